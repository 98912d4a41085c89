package api_test

import (
	"maps"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/testenv"
)

func TestGroupCreationTellsEachMemberOfItself(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("G", c.bob, c.carl)
	for _, p := range []*person{c.alice, c.bob, c.carl} {
		events := p.wantEvents("friends", "bang")
		events[0].at("friend").wantFields(fields{"action": "add", "organization_id": c.org, "token": group, "name": "G",
			"xmlns": "tigertext:entity:group", "num_members": 3})
		bang := events[1]
		bang.wantFields(fields{"event": "added", "created_on": "2026-11-21T08:15:30.123Z"})
		bang.at("caller_entity").wantFields(fields{"token": c.alice.token, "xmlns": "tigertext:entity:account",
			"display_name": "Alice"})
		bang.at("subject_entity").wantFields(fields{"token": p.token})
		bang.at("target_entity").wantFields(fields{"token": group, "xmlns": "tigertext:entity:group"})
		if bang.int("sort_number") <= 0 {
			t.Errorf("sort_number is %s", bang.at("sort_number"))
		}
	}
}

func TestGroupMembersComeAndGo(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	group := c.alice.mustCreateGroup("G", c.bob)
	add, remove := "/v2/group/"+group+"/members", "/v2/group/"+group+"/members/remove"
	everybody := []*person{c.alice, c.bob, c.carl}
	forget := func() {
		for _, p := range everybody {
			p.forgetEvents()
		}
	}
	forget()
	c.bob.post(add, fields{"members": []string{"carl"}}).want(204) // by a member
	c.alice.wantEvents("bang")[0].wantFields(fields{"event": "added"})
	c.bob.wantEvents("bang")
	events := c.carl.wantEvents("friends", "bang")
	events[0].at("friend").wantFields(fields{"action": "add", "token": group})
	events[1].at("subject_entity").wantFields(fields{"token": c.carl.token})
	events[1].at("caller_entity").wantFields(fields{"token": c.bob.token})
	forget()
	c.bob.post(add, fields{"members": c.carl.token + "," + c.carl.token}).want(204) // twice is fine
	for _, p := range everybody {
		p.wantEvents()
	}
	admin.post(remove, fields{"members": c.carl.token}).want(204) // by an administrator
	c.alice.wantEvents("bang")[0].wantFields(fields{"event": "removed"})
	events = c.carl.wantEvents("friends", "bang")
	events[0].at("friend").wantFields(fields{"action": "del", "token": group})
	c.carl.get("/v2/group/" + group).wantMissing()
	admin.post(add, fields{"members": c.carl.token}).want(204)
	c.carl.post(remove, fields{"members": "me"}).want(204) // itself
	c.carl.get("/v2/group/" + group).wantMissing()
	c.alice.post(remove, fields{"members": []string{c.carl.token, "nobody", c.bob.token}}).want(204)
	c.alice.get("/v2/group/" + group).reply().wantFields(fields{"members": []string{c.alice.token}})
	for _, path := range []string{add, remove} {
		for _, bad := range []fields{{}, {"members": []any{}}, {"members": ""}, {"members": nil}, {"members": 5},
			{"members": []int{1}}} {
			c.alice.post(path, bad).want(400).wantField("members")
		}
	}
	c.alice.post(add, fields{"members": "nobody"}).wantError(400, "members_unknown")
	stranger := c.mustCreateStranger("stranger")
	c.alice.post(add, fields{"members": stranger.token}).wantError(400, "members_unknown")
	// Who has left gets no more of it.
	c.bob.forgetEvents()
	c.alice.mustSend(group, "x")
	c.bob.wantEvents()
	c.bob.post("/v2/message", fields{"recipient": group, "body": "x"}).wantMissing()
}

func TestPublicGroupMayBeJoined(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	group := c.alice.mustCreateGroupAs(fields{"name": "G", "is_public": true}, c.bob)
	add, remove := "/v2/group/"+group+"/members", "/v2/group/"+group+"/members/remove"
	dora := c.mustCreate(c.org, "dora")
	c.carl.post(add, fields{"members": dora.token}).want(403)
	c.carl.post(add, fields{"members": []string{c.carl.token, dora.token}}).want(403)
	c.carl.post("/v2/group/"+group, fields{"name": "x"}).want(403)
	c.carl.delete("/v2/group/" + group).want(403)
	c.carl.post(remove, fields{"members": c.bob.token}).want(403)
	c.carl.post("/v2/message", fields{"recipient": group, "body": "x"}).wantMissing() // not a member
	c.carl.post(add, fields{"members": "me"}).want(204)
	c.carl.mustSend(group, "x")
	stranger.post(add, fields{"members": "me"}).wantMissing()
}

func TestNewMemberGetsTheHistory(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("G", c.bob)
	add := func(p *person) {
		t.Helper()
		p.forgetEvents()
		c.alice.post("/v2/group/"+group+"/members", fields{"members": p.token}).want(204)
	}
	history := func(p *person) (out []string) {
		for _, e := range ofKind(p.events(), "group_message") {
			out = append(out, e.text("body"))
		}
		return out
	}
	c.alice.mustSend(group, "before it was on")
	c.alice.post("/v2/group/"+group, fields{"replay_history": true}).want(204)
	c.alice.mustSend(group, "expired", "ttl", 1)
	recalled := c.alice.mustSend(group, "recalled")
	one := c.alice.mustSend(group, "one", "priority", 1)
	c.bob.mustSend(group, "two")
	c.alice.delete("/v2/message/" + recalled).want(204)
	c.clock.Advance(time.Minute)
	c.bob.mustMark("read", one)

	add(c.carl)
	if got := history(c.carl); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("the new member gets %v", got)
	}
	if got := kindsOf(c.carl.events()); !slices.Equal(got, []string{"friends", "bang", "group_message", "group_message"}) {
		t.Errorf("it is told %v", got)
	}
	c.carl.get("/v2/message/" + one).reply().wantFields(fields{"status": "New", "sender_token": c.alice.token})
	c.carl.get(c.carl.path("/message/unread_count")).reply().wantIs(fields{"unread_count": 2, "unread_priority_count": 1})
	// They do not count in the sender's status.
	c.alice.get("/v2/message/" + one).reply().wantFields(fields{"status": "Read"})
	if rows := c.alice.get("/v2/message/" + one + "/status").reply().list("statuses"); len(rows) != 1 {
		t.Errorf("the sender sees %v, want the one recipient of then", rows)
	}
	c.alice.forgetEvents()
	c.carl.mustMark("read", one)
	c.carl.get("/v2/message/" + one).reply().wantFields(fields{"status": "Read"})
	c.alice.wantEvents()

	// What it never had: neither what it has from before, nor its own.
	c.carl.mustSend(group, "carl's own")
	c.carl.post("/v2/group/"+group+"/members/remove", fields{"members": "me"}).want(204)
	c.bob.mustSend(group, "while away")
	add(c.carl)
	if got := history(c.carl); !slices.Equal(got, []string{"while away"}) {
		t.Errorf("who comes back gets %v", got)
	}
	// A recall reaches them too.
	last := ofKind(c.carl.events(), "group_message")[0].text("message_id")
	c.bob.delete("/v2/message/" + last).want(204)
	if got := c.carl.events(); len(ofKind(got, "group_message")) != 0 || got[len(got)-1].kind != "group:message:status" {
		t.Errorf("after the recall carl has %v", kindsOf(got))
	}
	c.carl.get("/v2/message/"+last).reply().wantFields(fields{"is_recalled": true}, "body")
	c.alice.post("/v2/group/"+group, fields{"replay_history": false}).want(204)
	c.bob.mustSend(group, "off again")
	dora := c.mustCreate(c.org, "dora")
	add(dora)
	if got := history(dora); len(got) != 0 {
		t.Errorf("with the history off a new member gets %v", got)
	}
	c.alice.post("/v2/group/"+group, fields{"replay_history": true}).want(204)
	ed := c.mustCreate(c.org, "ed")
	ed.forgetEvents()
	c.alice.post("/v2/group/"+group, fields{"members": []string{"alice", "bob", "carl", "dora", "ed"}}).want(204)
	if got := history(ed); !slices.Equal(got, []string{"one", "two", "carl's own"}) {
		t.Errorf("who comes by an update gets %v", got)
	}
}

func TestHistoryIsTheNewestThousand(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroupAs(fields{"name": "G", "replay_history": true}, c.bob)
	// Past the wire, which is not what this is about: thousands of calls take long.
	actor := func(p *person) *model.Actor {
		a, err := c.access.Authenticate(t.Context(), p.key, p.secret, netip.Addr{})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	alice := actor(c.alice)
	var wg sync.WaitGroup
	for range 17 {
		wg.Go(func() {
			for range 59 { // 1003 in all
				if _, err := c.service.Send(t.Context(), alice, service.SendCommand{Recipient: group, Body: "x"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	history := func(p *person) (ids []model.MessageID) {
		for o := (service.PollOptions{Limit: service.MaxEvents}); ; {
			page, err := c.service.Poll(t.Context(), actor(p), o)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) == 0 {
				return ids
			}
			for _, e := range page {
				if e.Message != nil {
					ids = append(ids, e.Message.ID)
				}
			}
			o.After = page[len(page)-1].ID
		}
	}
	sent := history(c.bob)
	c.alice.post("/v2/group/"+group+"/members", fields{"members": c.carl.token}).want(204)
	c.settle()
	if got := history(c.carl); len(sent) != 1003 || !slices.Equal(got, sent[3:]) {
		t.Errorf("of %d messages the history has %d, want the newest thousand in order", len(sent), len(got))
	}
}

// Of a group that its reader has left an event tells the name that it had then.
func TestEventsOfAGroupThatWasLeftTellNothingNew(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("Ward 7", c.bob, c.carl)
	c.alice.post("/v2/group/"+group, fields{"name": "Ward 8"}).want(204)
	c.alice.post("/v2/group/"+group+"/members/remove", fields{"members": c.bob.token}).want(204)
	c.alice.post("/v2/group/"+group, fields{"name": "Merger with Mercy Hospital"}).want(204)
	told := map[string]string{}
	for _, e := range c.bob.events() {
		switch e.kind {
		case "friends":
			told[e.text("friend", "action")] = e.text("friend", "name")
		case "bang":
			told[e.text("event")] = e.text("target_entity", "name")
		}
	}
	want := map[string]string{"add": "Ward 7", "added": "Ward 7", "del": "Ward 8", "removed": "Ward 8"}
	if !maps.Equal(told, want) {
		t.Errorf("bob is told %v, want %v", told, want)
	}
	c.alice.delete("/v2/group/" + group).want(204)
	events := c.carl.events()
	events[len(events)-1].at("friend").wantFields(fields{"action": "del", "name": "Merger with Mercy Hospital"})
}

// A call costs what it writes: a token for each hundred rows.
func TestChangesOfLargeGroupsCostMore(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.api.RequestsPerSecond, f.api.Burst = 50, 100 })
	extra := c.mustFillOrganization(c.org, 120)
	for members, want := range map[int]string{1: "99", 120: "96"} { // an update is three rows for each member
		group := c.alice.mustCreateGroup("G")
		c.clock.Advance(time.Minute)
		c.alice.post("/v2/group/"+group+"/members", fields{"members": extra[:members]}).want(204)
		c.clock.Advance(time.Minute)
		c.alice.post("/v2/group/"+group, fields{"name": "H"}).want(204).wantHeader("RateLimit-Remaining", want)
	}
}

// Where one call would make more than 2,000 bangs, everybody gets one update in their place.
func TestManyChangesAreToldAsOneUpdate(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	extra := c.mustFillOrganization(c.org, 62)
	few, many := extra[:8], extra[8:]
	group := c.alice.mustCreateGroup("G", c.bob)
	path := "/v2/group/" + group
	want := func(what string, kinds map[string]int) {
		t.Helper()
		c.settle()
		got := map[string]int{}
		for _, e := range c.bob.events("limit=1000") {
			got[e.kind]++
		}
		for _, kind := range []string{"bang", "update", "friends"} {
			if got[kind] != kinds[kind] {
				t.Errorf("%s: bob is told %v, want %v", what, got, kinds)
				break
			}
		}
		c.bob.forgetEvents()
	}
	c.alice.post(path+"/members", fields{"members": few}).want(204) // ten now
	c.settle()
	c.bob.forgetEvents()
	c.alice.post(path+"/members", fields{"members": many[:40]}).want(204)
	want("40 come to 10", map[string]int{"bang": 40})
	c.alice.post(path+"/members/remove", fields{"members": many[:40]}).want(204)
	want("40 of 50 go", map[string]int{"bang": 40})
	c.alice.post(path+"/members", fields{"members": many[:41]}).want(204)
	want("41 come to 10", map[string]int{"update": 1})
	c.alice.post(path+"/members/remove", fields{"members": many[:41]}).want(204)
	want("41 of 51 go", map[string]int{"update": 1})
	stay := append([]string{"alice", "bob"}, few...)
	c.alice.post(path, fields{"members": append(stay, many[:40]...)}).want(204)
	want("40 come by an update", map[string]int{"bang": 40, "update": 1})
	c.alice.post(path, fields{"members": append(stay, many[40:41]...)}).want(204)
	want("one comes for 40", map[string]int{"update": 1})
	// On creation everybody is told of itself only, however many they are.
	c.alice.post("/v2/group", fields{"name": "Big", "members": append([]string{"bob"}, extra...)}).want(204)
	want("a big group is made", map[string]int{"bang": 1, "friends": 1})
}
