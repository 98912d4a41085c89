package api_test

import (
	"maps"
	"slices"
	"testing"

	"signet/internal/testenv"
)

// stored tells in which columns a message is named.
func (s *server) stored(message string) []string {
	s.t.Helper()
	return slices.Sorted(maps.Keys(s.traces(mustParseAccount(s.t, message), message)))
}

func (s *server) wantStored(what, message string, want bool) {
	s.t.Helper()
	found := s.stored(message)
	if kept := slices.Contains(found, "messages.message"); kept != want || !want && len(found) > 0 {
		s.t.Errorf("%s: the message is named in %v, want it kept: %v", what, found, want)
	}
}

// forEver is a message that does not expire.
func (p *person) forEver(recipient, text string) string {
	p.t.Helper()
	return p.mustSend(recipient, text, "ttl", -1)
}

func (p *person) removeFromRoster(entity, organization string) {
	p.t.Helper()
	p.delete("/v2/roster/"+entity, in(organization)).want(204)
}

func TestConversationThatBothRemovedIsErased(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	file := c.alice.mustAttach(c.bob.token, "scan.png", "image/png", []byte("secret file"))
	said, answered := c.alice.forEver(c.bob.token, "to bob"), c.bob.forEver(c.alice.token, "to alice")
	recalled := c.bob.forEver(c.alice.token, "not to be said")
	c.bob.delete("/v2/message/" + recalled).want(204)
	apart := c.alice.forEver(c.carl.token, "to carl")
	own := c.alice.forEver("me", "a note")

	c.alice.removeFromRoster(c.bob.token, c.org)
	c.mustSweep()
	c.alice.get("/v2/message/" + said).wantMissing()
	c.bob.get("/v2/message/" + said).want(200) // who has not removed it still reads all of it
	c.bob.get("/v2/message/" + answered).want(200)
	c.bob.get("/v2/message/" + file + "/attachment/1").want(200)
	later := c.alice.forEver(c.bob.token, "after all")

	c.bob.removeFromRoster(c.alice.token, c.org)
	for range 2 {
		c.mustSweep()
	}
	for what, id := range map[string]string{"the file": file, "one": said, "the answer": answered} {
		c.wantStored(what, id, false)
	}
	if found := c.stored(recalled); slices.Contains(found, "messages.message") {
		t.Errorf("the recalled one is named in %v", found)
	}
	if n := c.countBlobs(); n != 0 {
		t.Errorf("%d files are left", n)
	}
	c.wantStored("what alice sent since", later, true) // she has not removed that
	c.alice.get("/v2/message/" + later).want(200)
	c.wantStored("another conversation", apart, true)
	c.carl.get("/v2/message/" + apart).want(200)
	if n := len(c.traces(mustParseAccount(t, c.alice.token), c.org)); n == 0 {
		t.Error("the test looks at nothing")
	}
	if found := c.traces(mustParseAccount(t, randomToken()), c.org)["departures.organization"]; found != 0 {
		t.Error("the sweep has not finished")
	}

	// So is one that one has with oneself.
	c.alice.get("/v2/message/" + own).want(200)
	c.alice.removeFromRoster(c.alice.token, c.org)
	c.mustSweep()
	c.wantStored("a note to oneself", own, false)
	c.carl.removeFromRoster(c.alice.token, c.org)
	c.alice.removeFromRoster(c.carl.token, c.org)
	c.mustSweep()
	c.wantStored("the other conversation", apart, false)
	for _, p := range []*person{c.alice, c.bob, c.carl} {
		p.get("/v2/user/me/message/unread_count").reply().wantIs(fields{"unread_count": 0, "unread_priority_count": 0})
	}
}

func TestWhatThoseWhoHaveLeftSaidIsErased(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	toBob, toCarl := c.alice.forEver(c.bob.token, "to bob"), c.alice.forEver(c.carl.token, "to carl")
	group := c.alice.mustCreateGroup("G", c.bob)
	inGroup := c.bob.forEver(group, "to all")
	open := c.alice.mustCreateGroupAs(fields{"name": "Open", "replay_history": true}, c.bob)
	history := c.bob.forEver(open, "for who comes later")
	leave := func(p *person) {
		t.Helper()
		c.operator.delete(p.path("/organization/" + c.org)).want(204)
		c.mustSweep()
	}
	leave(c.alice)
	for what, id := range map[string]string{"to bob": toBob, "to carl": toCarl, "in the group": inGroup} {
		c.wantStored(what+", who is there", id, true)
	}
	leave(c.bob)
	c.wantStored("to bob, who has left", toBob, false)
	c.wantStored("in the group that all have left", inGroup, false)
	c.wantStored("to carl, who is there", toCarl, true)
	c.wantStored("a history that others may get", history, true)
	c.carl.get("/v2/message/" + toCarl).want(200)
	c.operator.post("/v2/group/"+open+"/members", fields{"members": []string{c.carl.token}}).want(204)
	c.carl.get("/v2/message/" + history).want(200)

	// Who comes back gets nothing of before, and keeps what comes then.
	c.operator.mustJoin(c.org, c.bob)
	again := c.carl.forEver(c.bob.token, "welcome back")
	c.mustSweep()
	c.wantStored("what came since", again, true)

	if err := c.eraseAccount(c.carl.token, false); err != nil {
		t.Fatal(err)
	}
	c.wantStored("to carl, who is erased", toCarl, false)
	c.wantStored("a history that others may get", history, true)
	c.operator.delete("/v2/group/" + open).want(204)
	c.mustSweep()
	c.wantStored("a history of a deleted group", history, false)
}

func TestLegalHoldKeepsWhatNobodyCanRead(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	said := c.alice.forEver(c.bob.token, "evidence")
	c.operator.post("/v2/organization/"+c.org+"/hold", nil).want(204)
	c.alice.removeFromRoster(c.bob.token, c.org)
	c.bob.removeFromRoster(c.alice.token, c.org)
	c.mustSweep()
	if m := c.mustExportHeld(c.org).message(t, said); m == nil || m["body"] != "evidence" {
		t.Errorf("the hold keeps %v", m)
	}
	c.operator.delete("/v2/organization/" + c.org + "/hold").want(204)
	c.mustSweep()
	c.wantStored("once the hold is lifted", said, false)
}
