package api_test

import "testing"

func TestUnreadCountsWhatIsReceivedAndNotRead(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	second := c.mustCreateOrganization("Second")
	c.operator.mustJoin(second, c.alice)
	c.operator.mustJoin(second, c.bob)
	want := func(all, priority, first, firstPriority int) {
		t.Helper()
		c.bob.get(c.bob.path("/message/unread_count/")).reply().wantIs(fields{"unread_count": all, "unread_priority_count": priority})
		c.bob.get(c.bob.path("/organization/" + c.org + "/message/unread_count")).reply().wantIs(fields{"unread_count": first, "unread_priority_count": firstPriority})
		c.bob.get("/v2/user/me/organization/" + second + "/message/unread_count").reply().wantIs(fields{"unread_count": all - first, "unread_priority_count": priority - firstPriority})
	}
	send := func(org string, more ...any) string {
		t.Helper()
		return c.alice.mustSend(c.bob.token, "x", append(more, "sender_organization", org)...)
	}
	want(0, 0, 0, 0)
	one := send(c.org)
	two := send(c.org, "priority", 1)
	three := send(second, "priority", 1)
	low := send(second, "priority", -1)
	group := c.alice.mustCreateGroupIn("G", c.org, c.bob)
	four := c.alice.mustSend(group, "x", "priority", 1)
	c.bob.mustSend(c.alice.token, "sent ones do not count", "sender_organization", c.org)
	want(5, 3, 3, 2)
	c.bob.mustMark("delivered", one, two, three, four)
	want(5, 3, 3, 2)
	c.bob.mustMark("read", two, four)
	want(3, 1, 1, 0)
	c.bob.mustMark("read", two)
	want(3, 1, 1, 0)
	c.alice.delete("/v2/message/" + one).want(204)
	c.alice.delete("/v2/message/" + two).want(204) // read before: no more and no less
	want(2, 1, 0, 0)
	c.bob.mustMark("read", low, three)
	want(0, 0, 0, 0)
	c.bob.mustSend("me", "to oneself", "sender_organization", second)
	want(1, 0, 0, 0)
}

func TestUnreadCountIsForOneselfAndAdministrators(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	stranger := c.mustCreateStranger("stranger")
	c.alice.mustSend(c.bob.token, "x")
	for _, path := range []string{c.bob.path("/message/unread_count"), c.bob.path("/organization/" + c.org + "/message/unread_count")} {
		for _, p := range []*person{c.bob, admin, c.operator} {
			p.get(path).reply().wantIs(fields{"unread_count": 1, "unread_priority_count": 0})
		}
		c.alice.get(path).want(403)
		wantSameAnswer(stranger.get(path).wantMissing(), stranger.get("/v2/user/"+randomToken()+"/message/unread_count").wantMissing())
	}
	c.bob.get(c.bob.path("/organization/" + randomOrganization() + "/message/unread_count")).wantMissing()
	admin.get(stranger.path("/message/unread_count")).wantMissing()
	admin.get(stranger.path("/organization/" + c.org + "/message/unread_count")).wantMissing()
	c.operator.get(stranger.path("/message/unread_count")).want(200)
	c.operator.get(stranger.path("/organization/" + c.org + "/message/unread_count")).wantMissing()
}
