package api_test

import (
	"slices"
	"testing"
	"time"

	"signet/internal/model"
)

// tokensOf lists the entities of a roster.
func tokensOf(entries []value) (out []string) {
	for _, e := range entries {
		out = append(out, e.text("token"))
	}
	return out
}

func (p *person) roster(query ...string) []value {
	p.t.Helper()
	path := "/v2/roster"
	if len(query) > 0 {
		path += "?" + query[0]
	}
	return p.get(path).reply().list()
}

func TestRosterIsKeptByMessages(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	if got := c.alice.roster(); len(got) != 0 {
		t.Errorf("a new roster has %v", got)
	}
	group := c.alice.mustCreateGroup("G", c.bob)
	c.alice.mustSend(c.bob.token, "x")
	c.clock.Advance(time.Second)
	c.carl.mustSend(c.alice.token, "x", "priority", 1)
	c.carl.mustSend(c.alice.token, "y")
	c.clock.Advance(time.Second)
	c.alice.mustSend(group, "x")
	if got, want := tokensOf(c.alice.roster()), []string{group, c.carl.token, c.bob.token}; !slices.Equal(got, want) {
		t.Errorf("the roster is %v, want the newest first %v", got, want)
	}
	entries := c.alice.roster("render_metadata=true")
	entries[0].wantFields(fields{"type": "tigertext:entity:group", "xmlns": "tigertext:entity:group", "name": "G",
		"organization_key": c.org, "organization_id": c.org,
		"last_message_time": "2026-11-21T08:15:32.123Z", "unread_count": 0, "metadata": fields{}})
	entries[1].wantFields(fields{"type": "tigertext:entity:account", "xmlns": "tigertext:entity:account",
		"display_name": "Carl", "organization_key": c.org, "organization_id": c.org,
		"last_message_time": "2026-11-21T08:15:31.123Z", "unread_count": 2, "metadata": fields{}})
	c.alice.roster()[0].wantFields(nil, "metadata")
	c.bob.roster()[0].wantFields(fields{"token": group, "unread_count": 1})
	c.alice.get("/v2/roster?render_metadata=x").want(400).wantField("render_metadata")
}

// Events leave out the members of a group that has many; a roster names them, as the call for the group does.
func TestRosterNamesTheMembersOfALargeGroup(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	others := c.mustFillOrganization(c.org, model.MostMembersTold)
	group := c.alice.post("/v2/group", fields{"name": "Ward", "members": others},
		in(c.org)).want(204).Header.Get("TT-X-Group-Token")
	c.settle()
	want := fields{"token": group, "members": append([]string{c.alice.token}, others...), "num_members": len(others) + 1}
	c.alice.get("/v2/group/" + group).reply().wantFields(want)
	c.alice.roster()[0].wantFields(want)
}

// The roster goes on listing whoever has left the organization, and shows no more of that person than other calls do.
func TestRosterDescribesOnlyWhoIsInSight(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	c.bob.post("/v2/metadata/"+c.bob.token, fields{"pager": "7"}, in(c.org)).want(204)
	c.alice.mustSend(c.bob.token, "x")
	described := func(want fields) {
		t.Helper()
		c.alice.roster("render_metadata=true")[0].wantFields(fields{"token": c.bob.token, "metadata": want})
	}
	described(fields{"pager": "7"})
	boss.delete(c.bob.path("/organization/" + c.org)).want(204)
	c.alice.get("/v2/metadata/" + c.bob.token).wantMissing()
	described(fields{})
}

func TestRosterEntryIsAddedAndRemoved(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	add := func(entity string) *answer {
		return c.alice.post("/v2/roster", fields{"entity": entity, "type": "tigertext:entity:account"}, in(c.org))
	}
	add(c.bob.token).want(204)
	add("bob@example.com").want(204) // repeats are fine
	added := c.alice.wantEvents("friends")[0].at("friend")
	added.wantFields(fields{"action": "add", "organization_id": c.org, "token": c.bob.token,
		"xmlns": "tigertext:entity:account", "display_name": "Bob"})
	entries := c.alice.roster()
	if len(entries) != 1 {
		t.Fatalf("the roster is %v", entries)
	}
	entries[0].wantFields(fields{"token": c.bob.token, "unread_count": 0, "last_message_time": nil})
	if got := c.bob.roster(); len(got) != 0 {
		t.Errorf("bob has %v without his doing", got)
	}
	c.alice.post("/v2/roster", fields{"type": "tigertext:entity:account"}).wantError(400,
		"entity_required").wantField("entity")
	c.alice.post("/v2/roster", fields{"entity": 5}).want(400).wantField("entity")
	unknown := add(randomToken()).wantMissing()
	wantSameAnswer(add(stranger.token).wantMissing(), unknown)
	wantSameAnswer(c.alice.post("/v2/roster", fields{"entity": c.bob.token}, in(randomOrganization())).wantMissing(),
		unknown)

	st := c.alice.openStream("features=no-offline-messages")
	c.alice.delete("/v2/roster/"+c.bob.token, in(c.org), header("TT-X-Type", "tigertext:entity:account"),
		jsonBody(fields{"type": "tigertext:entity:account"})).want(204)
	st.wantNext("friends").at("friend").wantFields(fields{"action": "del", "token": c.bob.token, "organization_id": c.org})
	c.alice.delete("/v2/roster/" + c.bob.token + "?type=tigertext:entity:account").want(204) // again
	c.alice.wantEvents("friends", "friends")
	c.alice.delete("/v2/roster/" + randomToken()).wantMissing()
	c.alice.delete("/v2/roster/" + stranger.token).wantMissing()
}

func TestRosterRemovalTakesTheCallersCopies(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	sent, received := c.alice.mustSend(c.bob.token, "sent"), c.bob.mustSend(c.alice.token, "received", "priority", 1)
	other := c.carl.mustSend(c.alice.token, "other")
	c.alice.wantEvents("message", "message")
	c.alice.delete("/v2/roster/"+c.bob.token, in(c.org)).want(204)
	// Gone for the caller, through every endpoint, and for the caller only.
	wantGoneFor(c, sent, c.alice)
	wantGoneFor(c, received, c.alice)
	c.alice.get("/v2/message/" + other).want(200)
	c.bob.get("/v2/message/" + sent).want(200)
	c.bob.get("/v2/message/" + received).want(200)
	c.alice.wantEvents("message", "friends")
	c.alice.get(c.alice.path("/message/unread_count")).reply().wantIs(fields{"unread_count": 1,
		"unread_priority_count": 0})
	if got := tokensOf(c.alice.roster()); !slices.Equal(got, []string{c.carl.token}) {
		t.Errorf("the roster is %v", got)
	}
	if got := tokensOf(c.bob.roster()); !slices.Equal(got, []string{c.alice.token}) {
		t.Errorf("bob's roster is %v", got)
	}
	c.alice.mustMark("read", received)
	c.bob.wantEvents("message")
	// A new message opens the conversation again.
	again := c.bob.mustSend(c.alice.token, "again")
	c.alice.get("/v2/message/" + again).want(200)
	c.alice.get("/v2/message/" + received).wantMissing()
	entry := c.alice.roster()[0]
	entry.wantFields(fields{"token": c.bob.token, "unread_count": 1})
	c.alice.delete("/v2/roster/" + c.alice.token).want(204)
}

func TestRosterRemovalLeavesAGroup(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("G", c.bob)
	for _, p := range []*person{c.alice, c.bob} {
		p.forgetEvents()
	}
	c.bob.delete("/v2/roster/"+group, in(c.org), jsonBody(fields{"type": "tigertext:entity:group"})).want(204)
	c.bob.get("/v2/group/" + group).wantMissing()
	c.bob.wantEvents("friends", "bang")[0].at("friend").wantFields(fields{"action": "del", "token": group})
	c.alice.wantEvents("bang")[0].wantFields(fields{"event": "removed"})
	c.alice.get("/v2/group/" + group).reply().wantFields(fields{"members": []string{c.alice.token}})
	if got := c.bob.roster(); len(got) != 0 {
		t.Errorf("bob's roster is %v", got)
	}
	wantSameAnswer(c.carl.delete("/v2/roster/"+group).wantMissing(),
		c.carl.delete("/v2/roster/"+randomToken()).wantMissing())
	c.carl.post("/v2/roster", fields{"entity": group}).wantMissing()
}

// The type is known and not needed: a wrong one harms nothing, but it has to be a text.
func TestTheTypeOfARosterEntryIsAText(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.alice.post("/v2/roster", fields{"entity": c.bob.token, "type": []int{5}}).wantError(400,
		"field_invalid").wantField("type")
	c.alice.post("/v2/roster", fields{"entity": c.bob.token, "type": "another:entity"}).want(204)
	c.alice.delete("/v2/roster/"+c.bob.token, jsonBody(fields{"type": []string{"a"}})).wantError(400,
		"field_invalid").wantField("type")
	if got := c.alice.roster(); len(got) != 1 {
		t.Errorf("the roster is %v, want bob's entry", got)
	}
	c.alice.post("/v2/role_group", fields{"name": "G", "created_by": []int{5}}).wantError(400,
		"field_invalid").wantField("created_by")
}
