package api_test

import (
	"slices"
	"testing"
)

// Who takes a group from its roster leaves it, and has no message of it any more: not by its
// token, not in a history, not in the queue. Others keep theirs.
func TestAGroupTakenFromTheRosterIsGone(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("Ward", c.bob, c.carl)
	theirs, own := c.alice.mustSend(group, "before"), c.bob.mustSend(group, "own")
	history := "/v2/conversation/" + group + "/message"
	c.bob.delete("/v2/roster/" + group).want(204)
	gone := func() {
		t.Helper()
		for _, id := range []string{theirs, own} {
			c.bob.get("/v2/message/" + id).wantMissing()
			c.bob.get("/v2/message/" + id + "/status").wantMissing()
		}
		if got := kindsOf(c.bob.events()); slices.Contains(got, "group_message") {
			t.Errorf("the queue has %v", got)
		}
	}
	gone()
	c.bob.get(history).wantMissing()
	if got := c.bob.get("/v2/conversation").reply().at("results").list(); len(got) != 0 {
		t.Errorf("the conversations are %v", got)
	}
	c.bob.delete("/v2/roster/" + group).want(204) // again
	c.carl.get("/v2/message/" + theirs).want(200)
	c.carl.get("/v2/message/" + own).want(200)

	// Back in the group there is what comes from then on.
	c.alice.post("/v2/group/"+group+"/members", fields{"members": []string{c.bob.token}}).want(204)
	gone()
	if got := c.bob.get(history).reply().at("results").list(); len(got) != 0 {
		t.Errorf("the history has %v", got)
	}
	after := c.alice.mustSend(group, "after")
	c.bob.get("/v2/message/" + after).want(200)
	if got := c.bob.get(history).reply().at("results").list(); len(got) != 1 {
		t.Errorf("the history has %v", got)
	}
	c.bob.roster()[0].wantFields(fields{"token": group, "unread_count": 1})
}

// A group that one has left, or that was deleted, is removed from the conversations likewise.
// Who never was in it can't tell it from one that is not there.
func TestAGroupThatIsLeftIsTakenFromTheConversations(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	left, deleted := c.alice.mustCreateGroup("Left", c.bob), c.alice.mustCreateGroup("Deleted", c.bob)
	for _, group := range []string{left, deleted} {
		c.alice.mustSend(group, "x")
	}
	c.bob.post("/v2/group/"+left+"/members/remove", fields{"members": []string{c.bob.token}}).want(204)
	c.alice.delete("/v2/group/" + deleted).want(204)
	conversations := func() []value { return c.bob.get("/v2/conversation").reply().at("results").list() }
	if got := conversations(); len(got) != 2 {
		t.Fatalf("the conversations are %v", got)
	}
	unknown := c.carl.delete("/v2/roster/" + randomToken()).wantMissing()
	for _, group := range []string{left, deleted} {
		wantSameAnswer(c.carl.delete("/v2/roster/"+group).wantMissing(), unknown)
		c.bob.delete("/v2/roster/" + group).want(204)
		c.bob.delete("/v2/roster/" + group).want(204)
		c.bob.get("/v2/conversation/" + group + "/message").wantMissing()
	}
	if got := conversations(); len(got) != 0 {
		t.Errorf("the conversations are %v", got)
	}
}
