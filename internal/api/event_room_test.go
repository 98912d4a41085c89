package api_test

import (
	"strings"
	"testing"
)

// TestAnAnswerOfEventsEndsAtFourMebibytes: contract, section 6. What did not fit is not
// acknowledged either.
func TestAnAnswerOfEventsEndsAtFourMebibytes(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	const long, count = 64 << 10, 70
	for range count {
		c.alice.mustSend(c.bob.token, strings.Repeat("x", long))
	}
	first := c.bob.get("/v2/events?limit=1000&auto_ack=true")
	got := len(first.reply().list())
	if size := len(first.content); size > 4<<20+200 || got < 60 || got >= count {
		t.Errorf("an answer has %d events in %d bytes", got, size)
	}
	if rest := len(c.bob.get("/v2/events?limit=1000").reply().list()); got+rest != count {
		t.Errorf("%d events, then %d, of %d", got, rest, count)
	}
}

// TestEventsOfALargeGroupNameNoMembers: contract, section 6.
func TestEventsOfALargeGroupNameNoMembers(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	extra := c.mustFillOrganization(c.org, 99)
	created := c.alice.post("/v2/group?render_entity=true",
		fields{"name": "G", "members": append(extra[:98:98], c.bob.token)})
	group := created.reply().text("token")
	told := c.bob.wantEvents("friends", "bang")
	if n := len(told[0].at("friend").list("members")); n != 100 {
		t.Errorf("the event of a group of 100 names %d members", n)
	}
	c.bob.forgetEvents()
	c.alice.post("/v2/group/"+group+"/members", fields{"members": extra[98]}).want(204)
	c.alice.post("/v2/group/"+group, fields{"description": "large"}).want(204)
	told = c.bob.wantEvents("bang", "update")
	told[0].at("target_entity").wantFields(fields{"num_members": 101}, "members")
	told[1].wantFields(fields{"num_members": 101}, "members")
	if n := len(c.bob.get("/v2/group/" + group).reply().list("members")); n != 101 {
		t.Errorf("the group itself names %d members", n)
	}
}
