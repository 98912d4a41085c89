package api_test

import (
	"strings"
	"testing"
	"time"
)

func TestOpenRequestsForMembershipsAreListedByBothSides(t *testing.T) {
	t.Parallel()
	s := start(t, approving)
	one, two := s.mustCreateOrganization("One"), s.mustCreateOrganization("Two")
	home, other := s.mustCreateAdmin(one, "home"), s.mustCreateAdmin(two, "other")
	chief, ben := s.mustCreate(one, "chief"), s.mustCreate(two, "ben")
	third := s.mustCreateAdmin(s.mustCreateOrganization("Three"), "third")
	other.post(chief.path("/organization"), fields{"organization": two}).want(200)
	ben.post("/v2/user/me/organization/"+two+"/roles/admin", nil).want(200)

	theirs := home.pages("/v2/organization/"+one+"/request", 1)
	mine := other.pages("/v2/organization/"+two+"/request", 1)
	if len(theirs) != 1 || len(mine) != 2 {
		t.Fatalf("got %v and %v", theirs, mine)
	}
	for _, r := range []value{theirs[0], mine[0]} {
		r.wantFields(fields{"kind": "join", "organization_id": two, "created_time": wireTimeOf(s.clock.Now())}, "role")
		r.at("account").wantFields(fields{"token": chief.token})
	}
	mine[0].at("account").wantFields(fields{"emails": []any{}}) // nothing that a lookup does not tell
	mine[1].wantFields(fields{"kind": "admin"})
	for org, want := range map[string]int{one: 1, two: 2} {
		for _, o := range s.operator.pages("/v2/organization", 50) {
			if o.text("token") == org {
				o.wantFields(fields{"requests": want})
			}
		}
	}
	third.get("/v2/organization/" + one + "/request").wantMissing()
	home.post(chief.path("/organization"), fields{"organization": two}).want(204)
	if left := home.pages("/v2/organization/"+one+"/request", 1); len(left) != 0 {
		t.Errorf("left is %v", left)
	}
}

func TestQueuesAreListedByOrganization(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	other := c.mustCreateOrganization("Other")
	c.operator.mustJoin(other, c.bob)
	c.operator.mustJoin(other, c.alice)
	path := "/v2/organization/" + c.org + "/queue"
	for _, p := range []*person{c.alice, c.bob, c.carl, boss, c.operator} {
		p.forgetEvents()
	}
	wantTexts(t, "at first", texts(boss.pages(path, 1), "username"))
	begun := c.clock.Now()
	c.alice.mustSend(c.bob.token, "secret")
	c.clock.Advance(10 * time.Minute)
	c.alice.mustSend(c.bob.token, "secret")
	c.alice.mustSend(c.carl.token, "secret")
	c.alice.mustSend(c.bob.token, "elsewhere", "sender_organization", other)
	c.bob.openStream("")

	for _, size := range []int{1, 50} {
		all := boss.pages(path, size)
		wantTexts(t, "who has something", texts(all, "username"), "bob", "carl") // their tokens grow
		all[0].wantFields(fields{"account_id": c.bob.token, "display_name": "Bob", "depth": 2, "streams": 1,
			"oldest_event_time": wireTimeOf(begun), "last_seen_time": wireTimeOf(c.clock.Now().Truncate(time.Hour))})
		all[1].wantFields(fields{"depth": 1, "streams": 0, "oldest_event_time": wireTimeOf(c.clock.Now())})
	}
	wantTexts(t, "older", texts(boss.pages(path+"?older_than=9", 1), "username"), "bob")
	wantTexts(t, "not as old", texts(boss.pages(path+"?older_than=11", 1), "username"))
	all := c.operator.pages("/v2/queue", 1)
	wantTexts(t, "all", texts(all, "username"), "bob", "carl")
	all[0].wantFields(fields{"depth": 3, "streams": 1})
	if content := boss.get(path).content; strings.Contains(string(content), "secret") {
		t.Errorf("content: %s", content)
	}
	boss.get("/v2/queue").want(403)
	boss.get(path + "?older_than=0").want(400).wantField("older_than")
	boss.wantPagesRefused(path)
	c.bob.get(path).wantError(403, "administrative_key_required")

	// A stream of another organization's key is not told of.
	there := c.bob.withKey(c.operator.post(c.bob.path("/key"), fields{"organization": other}).reply())
	there.openStream("")
	boss.pages(path, 50)[0].wantFields(fields{"streams": 1})
	c.operator.pages("/v2/queue", 50)[0].wantFields(fields{"streams": 2})
}

func TestUndeliveredMessagesAreListed(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	path := "/v2/organization/" + c.org + "/undelivered"
	group := c.alice.mustCreateGroup("Ward", c.bob, c.carl)
	sent := c.clock.Now()
	first := c.alice.mustSend(c.bob.token, "secret", "priority", 1, "ttl", 60)
	second := c.alice.mustSend(c.bob.token, "secret", "ttl", -1)
	read := c.alice.mustSend(c.bob.token, "secret")
	toGroup := c.alice.mustSend(group, "secret")
	recalled := c.alice.mustSend(c.bob.token, "secret")
	short := c.alice.mustSend(c.bob.token, "secret", "ttl", 5)
	c.bob.mustMark("read", read)
	c.alice.delete("/v2/message/" + recalled).want(204)
	wantTexts(t, "at once", texts(boss.pages(path+"?minutes=1", 1), "message_id"))
	c.clock.Advance(16 * time.Minute)
	late := c.alice.mustSend(c.carl.token, "secret")

	for _, size := range []int{1, 2, 50} {
		all := boss.pages(path, size)
		wantTexts(t, "what waits", texts(all, "message_id"), first, second, toGroup)
		all[0].wantFields(fields{"sender_token": c.alice.token, "recipient_token": c.bob.token, "priority": 1,
			"created_time": wireTimeOf(sent), "expires_time": wireTimeOf(sent.Add(time.Hour))}, "group_token", "waiting")
		all[1].wantFields(fields{"priority": 0}, "expires_time")
		all[2].wantFields(fields{"recipient_token": group, "group_token": group, "waiting": 2})
	}
	_ = short // it has ended
	c.bob.mustMark("delivered", toGroup, first)
	all := boss.pages(path, 1) // the group's is listed with the next who has it New
	wantTexts(t, "what waits then", texts(all, "message_id"), second, toGroup)
	all[1].wantFields(fields{"waiting": 1})
	c.carl.mustMark("delivered", toGroup)
	wantTexts(t, "in the end", texts(boss.pages(path, 1), "message_id"), second)
	c.clock.Advance(2 * time.Minute)
	wantTexts(t, "sooner", texts(boss.pages(path+"?minutes=1", 1), "message_id"), second, late)
	if content := boss.get(path).content; strings.Contains(string(content), "secret") {
		t.Errorf("content: %s", content)
	}

	// A member who comes later waits for nothing that was sent before.
	c.bob.forgetEvents()
	open := c.alice.mustCreateGroupAs(fields{"name": "Open", "replay_history": true}, c.bob)
	old := c.alice.mustSend(open, "secret")
	c.bob.mustMark("delivered", old)
	c.alice.post("/v2/group/"+open+"/members", fields{"members": []string{c.carl.token}}).want(204)
	c.settle()
	c.clock.Advance(20 * time.Minute)
	wantTexts(t, "with a history", texts(boss.pages(path, 50), "message_id"), late)

	boss.get(path + "?minutes=0").want(400).wantField("minutes")
	boss.wantPagesRefused(path)
	c.bob.get(path).wantError(403, "administrative_key_required")
}

func TestMessagesAreFoundByWhoSentThem(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	path := "/v2/organization/" + c.org + "/message"
	group := c.alice.mustCreateGroup("Ward", c.bob, c.carl)
	first := c.alice.mustSend(c.bob.token, "secret", "priority", 1, "ttl", 60)
	c.clock.Advance(10 * time.Minute)
	sent := c.clock.Now()
	wrong := c.alice.mustSend(group, "secret", "ttl", -1)
	answer := c.bob.mustSend(c.alice.token, "secret")
	c.clock.Advance(10 * time.Minute)
	recalled := c.alice.mustSend(c.carl.token, "secret")
	c.alice.delete("/v2/message/" + recalled).want(204)
	at := func(of time.Time) string { return of.UTC().Format(time.RFC3339Nano) }

	for _, size := range []int{1, 2, 50} {
		all := boss.pages(path, size)
		wantTexts(t, "all", texts(all, "message_id"), recalled, answer, wrong, first)
		all[0].wantFields(fields{"is_recalled": true, "recipient_token": c.carl.token}, "group_token")
		all[2].wantFields(fields{"sender_token": c.alice.token, "recipient_token": group, "group_token": group,
			"created_time": wireTimeOf(sent), "priority": 0}, "expires_time", "is_recalled")
		all[3].wantFields(fields{"priority": 1, "recipient_token": c.bob.token}, "group_token")
	}
	for query, want := range map[string][]string{
		"sender=alice":                      {recalled, wrong, first},
		"sender=bob":                        {answer},
		"recipient=" + group:                {wrong},
		"sender=alice&recipient=bob":        {first},
		"sender=nobody":                     nil,
		"recipient=" + randomToken():        nil,
		"since=" + at(sent):                 {recalled, answer, wrong},
		"until=" + at(sent):                 {first},
		"until=" + at(sent.Add(-time.Hour)): nil,
		"since=" + at(sent) + "&until=" + at(sent.Add(time.Minute)) + "&sender=alice": {wrong},
	} {
		wantTexts(t, query, texts(boss.pages(path+"?"+query, 1), "message_id"), want...)
	}
	if content := boss.get(path).content; strings.Contains(string(content), "secret") {
		t.Errorf("content: %s", content)
	}
	// What was found is taken back, and is gone for everybody.
	boss.delete(path+"/"+wrong, jsonBody(fields{"reason": "sent to the wrong ward"})).want(204)
	c.bob.get("/v2/message/" + wrong).reply().wantFields(fields{"is_recalled": true})
	c.clock.Advance(time.Hour)
	wantTexts(t, "without what has ended", texts(boss.pages(path, 50), "message_id"), recalled, answer, wrong)
	boss.get(path + "?since=yesterday").want(400).wantField("since")
	boss.wantPagesRefused(path)
	c.bob.get(path).wantError(403, "administrative_key_required")
	if n := len(c.linesOf(boss)); n == 0 {
		t.Error("nothing is in the audit log")
	}
}
