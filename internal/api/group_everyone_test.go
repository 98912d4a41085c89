package api_test

import (
	"slices"
	"testing"

	"signet/internal/model"
)

// mustCreateEveryone makes the group that always holds all members of an organization.
func (p *person) mustCreateEveryone(organization string, f fields) string {
	p.t.Helper()
	f["everyone"] = true
	return p.post("/v2/group", f, in(organization)).want(204).Header.Get("TT-X-Group-Token")
}

// wantMembers checks who is in a group, as one of them sees it.
func (p *person) wantMembers(when, group string, want ...*person) {
	p.t.Helper()
	var got, tokens []string
	for _, v := range p.get("/v2/group/" + group).reply().list("members") {
		got = append(got, v.text())
	}
	for _, w := range want {
		tokens = append(tokens, w.token)
	}
	slices.Sort(got)
	slices.Sort(tokens)
	if !slices.Equal(got, tokens) {
		p.t.Errorf("%s: %v are in the group, want %v", when, got, tokens)
	}
}

func TestGroupOfEverybodyHoldsAllMembers(t *testing.T) {
	t.Parallel()
	c := startClinic(t, approving)
	boss := c.mustCreateAdmin(c.org, "boss")
	c.operator.delete(c.operator.path("/organization/" + c.org)).want(204)
	for _, p := range []*person{c.alice, c.bob, c.carl, boss} {
		p.forgetEvents()
	}
	group := boss.mustCreateEveryone(c.org, fields{})
	for _, p := range []*person{c.alice, c.bob, c.carl, boss} {
		events := p.wantEvents("friends", "bang")
		events[0].at("friend").wantFields(fields{"action": "add", "token": group, "name": "Clinic", "everyone": true})
		events[1].at("subject_entity").wantFields(fields{"token": p.token})
		p.forgetEvents()
	}
	c.alice.wantMembers("at first", group, c.alice, c.bob, c.carl, boss)

	// Who is made, alone or with others, is in it; nobody else is told.
	dora := c.mustCreate(c.org, "dora")
	dora.wantEvents("friends")[0].at("friend").wantFields(fields{"action": "add", "token": group})
	made := boss.mustCreateMany(c.org, []fields{{"username": "erin"}, {"username": "finn"}})
	everybody := []*person{c.alice, c.bob, c.carl, boss, dora}
	for _, r := range made {
		everybody = append(everybody, &person{token: r.text("user", "token")})
	}
	c.alice.wantMembers("with new accounts", group, everybody...)
	for _, p := range []*person{c.alice, c.bob, c.carl, boss} {
		p.wantEvents()
	}

	// So is who comes from another organization, once that agrees.
	guest := c.mustCreateStranger("guest")
	boss.post(guest.path("/organization"), fields{"organization": c.org}).want(200)
	c.alice.wantMembers("while somebody is asked", group, everybody...)
	guest.post("/v2/user/me/organization", fields{"organization": c.org}).want(204)
	everybody = append(everybody, guest)
	c.alice.wantMembers("with a guest", group, everybody...)

	// Who leaves the organization, or ends, leaves it.
	guest.delete("/v2/user/me/organization/" + c.org).want(204)
	guest.get("/v2/group/" + group).wantMissing()
	boss.delete(c.carl.path("/organization/" + c.org)).want(204)
	boss.delete(dora.path(""), jsonBody(fields{"username": "dora"})).want(204)
	everybody = slices.DeleteFunc(everybody, func(p *person) bool { return p == guest || p == c.carl || p == dora })
	c.alice.wantMembers("at last", group, everybody...)
	for _, p := range []*person{c.alice, c.bob} {
		p.wantEvents()
	}
	c.mustSweep()
	c.wantNoTrace("a person in a group of everybody", dora.id(), "dora")
}

func TestAdministratorsWriteToEverybody(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	group := boss.mustCreateEveryone(c.org, fields{"name": "All", "replay_history": true})
	for _, p := range []*person{c.alice, c.bob, boss} {
		p.forgetEvents()
	}
	first := boss.mustSend(group, "The lift is out of order.")
	for _, p := range []*person{c.alice, c.bob} {
		p.wantEvents("group_message")[0].wantFields(fields{"body": "The lift is out of order.", "message_id": first})
	}
	// An administrator's key need not be an administrative one; others have no key that does.
	regular := boss.withKey(boss.post("/v2/user/me/key", nil).reply())
	regular.mustSend(group, "It works again.")
	c.alice.post("/v2/message", fields{"recipient": group, "body": "Thanks!"}).wantError(403, "administrators_write")
	c.alice.post("/v2/message/"+first+"/forward", fields{"recipient": group}).wantError(403, "administrators_write")
	c.alice.post("/v2/message/typing", fields{"recipient": group}).wantError(403, "administrators_write")
	c.alice.delete("/v2/message/typing/" + group).want(204)
	boss.post(c.alice.path("/organization/"+c.org+"/roles/admin"), nil).want(204)
	c.alice.mustSend(group, "I am one now.")

	// With its history on, who comes later reads what was sent, and sees what was changed.
	boss.changeGroup(group, fields{"name": "Everybody"})
	late := c.mustCreate(c.org, "late")
	c.settle()
	var read []string
	for _, e := range ofKind(late.events(), "group_message") {
		read = append(read, e.text("body"))
	}
	wantTexts(t, "what a new member reads", read, "The lift is out of order.", "It works again.", "I am one now.")
	all, _, _ := boss.page(group, "after=0&limit=200")
	if len(all) != 2+len(read) {
		t.Errorf("there are %q, want two notes and what was sent", all)
	}
	late.wantNoted("with the history on", group, all...)
	boss.changeGroup(group, fields{"replay_history": false})
	last := c.mustCreate(c.org, "last")
	last.wantNoted("with the history off", group)
	boss.changeGroup(group, fields{"name": "All"})
	if seen, _, _ := last.page(group, "after=0"); len(seen) != 1 {
		t.Errorf("with the history off, one who came before a change sees %q", seen)
	}
}

func TestGroupOfEverybodyIsFixed(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	for field, f := range map[string]fields{
		"members":   {"members": []string{c.bob.token}, "everyone": true},
		"is_public": {"is_public": true, "everyone": true},
	} {
		boss.post("/v2/group", f).wantError(400, "everyone_fixed").wantField(field)
	}
	boss.post("/v2/group?exclude_creator=true", fields{"everyone": true}).wantError(400, "everyone_fixed")
	boss.post("/v2/group", fields{"everyone": "maybe"}).want(400).wantField("everyone")
	group := boss.mustCreateEveryone(c.org, fields{"name": "All"})
	boss.post("/v2/group", fields{"everyone": true}).wantError(400, "everyone_exists").wantField("everyone")
	path := "/v2/group/" + group
	for field, f := range map[string]fields{
		"members":   {"members": []string{c.bob.token}},
		"is_public": {"is_public": true},
		"everyone":  {"everyone": false},
	} {
		boss.post(path, f).wantError(400, "everyone_fixed").wantField(field)
	}
	boss.post(path+"/members", fields{"members": "bob"}).wantError(400, "everyone_fixed")
	c.bob.post(path+"/members/remove", fields{"members": "me"}).wantError(400, "everyone_fixed")
	c.bob.delete("/v2/roster/"+group).wantError(400, "everyone_fixed")
	c.bob.get("/v2/group/" + group).want(200)
	boss.post(path, fields{"name": "All of us", "is_public": false, "everyone": true, "replay_history": true}).want(204)
	c.bob.get(path).reply().wantFields(fields{"name": "All of us", "everyone": true, "is_public": false})
	other := c.alice.mustCreateGroup("G", c.bob)
	c.alice.post("/v2/group/"+other, fields{"everyone": true}).wantError(400, "everyone_fixed")
	c.bob.get("/v2/group/"+other).reply().wantFields(fields{}, "everyone")
	listed := boss.pages("/v2/organization/"+c.org+"/group?q=all", 50)
	listed[0].wantFields(fields{"token": group, "everyone": true, "num_members": 5}, "members")

	// What is done to it is in the audit log, although its maker is a member.
	boss.delete(path).want(204)
	var acts []string
	for _, line := range c.linesOf(boss) {
		if a := string(line.Action); a == "group.create" || a == "group.update" || a == "group.delete" {
			acts = append(acts, a)
		}
	}
	wantTexts(t, "in the audit log", acts, "group.create", "group.update", "group.delete")
	boss.mustCreateEveryone(c.org, fields{}) // another one, once that is gone
}

// A group of more members than an answer names is created, written to and grows all the same.
func TestGroupOfEverybodyMayBeVeryLarge(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	c.mustFillOrganization(c.org, model.MostMembersShown)
	group := boss.mustCreateEveryone(c.org, fields{"name": "All"})
	c.settle()
	c.bob.get("/v2/group/" + group).reply().wantFields(fields{"num_members": model.MostMembersShown + 5,
		"members": []any{}})
	c.bob.get("/v2/group/"+group+"/members").wantError(400, "members_not_listed")
	id := boss.mustSend(group, "hello")
	c.settle()
	c.bob.get("/v2/message/" + id).reply().wantFields(fields{"body": "hello"})
	dora := c.mustCreate(c.org, "dora")
	dora.get("/v2/group/" + group).reply().wantFields(fields{"num_members": model.MostMembersShown + 6})
}
