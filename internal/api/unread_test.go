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
		c.bob.get(c.bob.path("/message/unread_count/")).reply().wantIs(fields{"unread_count": all,
			"unread_priority_count": priority})
		c.bob.get(c.bob.path("/organization/" + c.org + "/message/unread_count")).reply().wantIs(fields{"unread_count": first,
			"unread_priority_count": firstPriority})
		c.bob.get("/v2/user/me/organization/" + second +
			"/message/unread_count").reply().wantIs(fields{"unread_count": all - first,
			"unread_priority_count": priority - firstPriority})
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
	for _, path := range []string{c.bob.path("/message/unread_count"),
		c.bob.path("/organization/" + c.org + "/message/unread_count")} {
		for _, p := range []*person{c.bob, admin, c.operator} {
			p.get(path).reply().wantIs(fields{"unread_count": 1, "unread_priority_count": 0})
		}
		c.alice.get(path).want(403)
		wantSameAnswer(stranger.get(path).wantMissing(),
			stranger.get("/v2/user/"+randomToken()+"/message/unread_count").wantMissing())
	}
	c.bob.get(c.bob.path("/organization/" + randomOrganization() + "/message/unread_count")).wantMissing()
	admin.get(stranger.path("/message/unread_count")).wantMissing()
	admin.get(stranger.path("/organization/" + c.org + "/message/unread_count")).wantMissing()
	c.operator.get(stranger.path("/message/unread_count")).want(200)
	c.operator.get(stranger.path("/organization/" + c.org + "/message/unread_count")).wantMissing()

	// Of an account that is in another's organization too, an administrator counts what
	// its own organizations are about.
	second, third := c.mustCreateOrganization("Second"), c.mustCreateOrganization("Third")
	for _, o := range []string{second, third} {
		c.operator.mustJoin(o, c.alice)
		c.operator.mustJoin(o, c.bob)
		c.alice.mustSend(c.bob.token, "x", "sender_organization", o, "priority", 1)
	}
	counted := func(by *person, all, priority int) {
		t.Helper()
		by.get(c.bob.path("/message/unread_count")).reply().wantIs(fields{"unread_count": all,
			"unread_priority_count": priority})
	}
	counted(admin, 1, 0)
	counted(c.bob, 3, 2)
	counted(c.operator, 3, 2)
	c.operator.mustJoin(third, admin)
	c.operator.post(admin.path("/organization/"+third+"/roles/admin"), nil).want(204)
	counted(admin, 2, 1)
	admin.get(c.bob.path("/organization/" + second + "/message/unread_count")).wantMissing()
}

// What somebody has in a group does not count once it has left, though it can still read
// it: the group is in its roster no more.
func TestUnreadDoesNotCountGroupsThatOneHasLeft(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for how, end := range map[string]func(group string){
		"leaves": func(group string) {
			c.bob.post("/v2/group/"+group+"/members/remove", fields{"members": []string{c.bob.token}}).want(204)
		},
		"removed": func(group string) {
			c.alice.post("/v2/group/"+group+"/members/remove", fields{"members": []string{c.bob.token}}).want(204)
		},
		"deleted": func(group string) { c.alice.delete("/v2/group/" + group).want(204) },
	} {
		group := c.alice.mustCreateGroup(how, c.bob)
		message := c.alice.mustSend(group, "x", "priority", 1)
		for _, want := range []int{1, 0} {
			c.bob.get("/v2/user/me/message/unread_count").reply().wantIs(fields{"unread_count": want,
				"unread_priority_count": want})
			c.bob.get("/v2/user/me/organization/" + c.org +
				"/message/unread_count").reply().wantIs(fields{"unread_count": want, "unread_priority_count": want})
			c.bob.get("/v2/message/" + message).reply().wantFields(fields{"status": "New"})
			if want == 1 {
				end(group)
			}
		}
		c.bob.mustMark("read", message)
		c.alice.get("/v2/message/" + message).reply().wantFields(fields{"status": "Read"})
		c.bob.get("/v2/user/me/message/unread_count").reply().wantIs(fields{"unread_count": 0, "unread_priority_count": 0})
	}
}
