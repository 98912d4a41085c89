package api_test

import (
	"strings"
	"testing"
)

func TestAdministratorTakesBackAMessageWithoutReadingIt(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	group := c.alice.mustCreateGroup("G", c.bob, c.carl)
	one := c.alice.mustAttach(c.bob.token, "a.png", "image/png", picture)
	two := c.alice.mustSend(group, "two")
	self := c.alice.mustSend(c.alice.token, "three")
	for _, p := range []*person{c.alice, c.bob, c.carl} {
		p.forgetEvents()
	}
	path := func(id string) string { return "/v2/organization/" + c.org + "/message/" + id }
	for id, told := range map[string][]*person{one: {c.alice, c.bob}, two: {c.alice, c.bob, c.carl}, self: {c.alice}} {
		boss.get("/v2/message/" + id).wantMissing()
		boss.delete(path(id), jsonBody(fields{"reason": "wrong ward"})).want(204)
		for _, p := range told {
			events := p.events()
			if len(events) != 1 {
				t.Fatalf("%s is told by %v, want one event", p.name, kindsOf(events))
			}
			events[0].wantIs(fields{"client_id": id, "is_recalled": true})
			p.get("/v2/message/"+id).reply().wantFields(fields{"is_recalled": true}, "body", "attachments")
		}
		boss.delete(path(id)).want(204) // again, which tells nobody
		for _, p := range told {
			if n := len(p.events()); n != 1 {
				t.Errorf("%s has %d events after a repeat", p.name, n)
			}
			p.forgetEvents()
		}
		boss.get("/v2/message/" + id).wantMissing()
		c.alice.get("/v2/message/" + id + "/attachment/1").wantMissing()
	}
	c.bob.get(c.bob.path("/message/unread_count")).reply().wantIs(fields{"unread_count": 0, "unread_priority_count": 0})
	again := c.alice.mustSend(c.bob.token, "four")
	c.alice.forgetEvents()
	c.bob.forgetEvents()
	c.operator.do("DELETE", path(again)+"?reason="+strings.Repeat("x", 200)).want(204)
	c.bob.get("/v2/message/"+again).reply().wantFields(fields{"is_recalled": true}, "body")
	c.operator.delete(path(again), jsonBody(fields{"reason": strings.Repeat("ä", 201)})).want(400).wantField("reason")
	lines := boss.get("/v2/organization/" + c.org + "/audit?action=message.recall").reply()
	lines.at(0).wantFields(fields{"account": c.operator.token, "outcome": "too_long"})
	lines.at(1).wantFields(fields{"account": c.operator.token, "outcome": "ok", "on_organization": c.org,
		"detail": "message=" + again + " reason=" + strings.Repeat("x", 200)})
	lines.at(2).wantFields(fields{"account": boss.token, "outcome": "ok"})
}

func TestMessageIsTakenBackByItsOrganizationOnly(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	other := c.mustCreateOrganization("Other")
	foreign := c.mustCreateAdmin(other, "foreign")
	boss := c.mustCreateAdmin(c.org, "boss")
	id := c.alice.mustSend(c.bob.token, "x", "ttl", 1)
	in := func(organization string) string { return "/v2/organization/" + organization + "/message/" }
	for _, got := range []*answer{foreign.delete(in(c.org) + id), foreign.delete(in(other) + id),
		foreign.delete(in(other) + randomToken()), boss.delete(in(c.org) + "nonsense"),
		c.operator.delete(in(randomOrganization()) + id), c.operator.delete(in(other) + id)} {
		wantSameAnswer(got, boss.delete(in(c.org)+randomToken()))
		got.wantMissing()
	}
	c.alice.delete(in(c.org)+id).wantError(403, "administrative_key_required")
	c.bob.get("/v2/message/" + id).reply().wantFields(fields{"body": "x"})
	// Who has left the organization is told nothing of it any more.
	boss.delete(c.alice.path("/organization/" + c.org)).want(204)
	c.alice.forgetEvents()
	boss.delete(in(c.org) + id).want(204)
	c.alice.wantEvents()
	c.bob.get("/v2/message/"+id).reply().wantFields(fields{"is_recalled": true}, "body")
	c.clock.Advance(2 * 60e9)
	boss.delete(in(c.org) + id).wantMissing() // it is over
}

func TestLegalHoldKeepsWhatAnAdministratorTookBack(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	c.operator.post("/v2/organization/"+c.org+"/hold", nil).want(204)
	id := c.alice.mustAttach(c.bob.token, "scan.png", "image/png", []byte("secret of a recall"))
	boss.delete("/v2/organization/" + c.org + "/message/" + id).want(204)
	c.mustSweep()
	c.wantGone("taken back", id, "secret of a recall")
	files := c.mustExportHeld(c.org)
	if m := files.message(t, id); m["is_recalled"] != true || files[id] == nil ||
		files[id].String() != "secret of a recall" {
		t.Errorf("what was taken back is exported as %v, with the file %v", m, files[id])
	}
}
