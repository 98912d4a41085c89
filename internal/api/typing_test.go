package api_test

import (
	"slices"
	"testing"
	"time"
)

func TestTypingIsToldToOpenStreamsThatAskForIt(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("G", c.bob, c.carl)
	for _, p := range []*person{c.alice, c.bob, c.carl} {
		p.forgetEvents()
	}
	asks, plain, own := c.bob.openStream("features=is-typing"), c.bob.openStream(""),
		c.alice.openStream("features=is-typing")
	other, _ := c.carl.openSocket("features=is-typing")
	for _, st := range []*stream{asks, plain, own, other} {
		st.wantReplay()
	}
	c.alice.post("/v2/message/typing", fields{"recipient": c.bob.token}).want(204)
	typing := asks.wantNext("message:is_typing")
	typing.wantIs(fields{"sender_token": c.alice.token, "status": "typing"})
	if typing.hasID {
		t.Error("typing is queued")
	}
	c.alice.delete("/v2/message/typing/" + c.bob.token).want(204)
	asks.wantNext("message:is_typing").wantIs(fields{"sender_token": c.alice.token, "status": "not_typing"})
	c.alice.do("POST", "/v2/message/typing/", form("recipient", group)).want(204)
	for _, st := range []*stream{asks, other} { // and to nobody before
		st.wantNext("message:is_typing").wantIs(fields{"sender_token": c.alice.token, "group_token": group,
			"status": "typing"})
	}
	c.alice.delete("/v2/message/typing/" + group + "/" + c.alice.token).want(204)
	other.wantNext("message:is_typing").wantFields(fields{"status": "not_typing"})
	// It was never queued, and never told to who did not ask or who typed.
	c.bob.wantEvents()
	c.carl.mustSend(c.bob.token, "x")
	c.carl.mustSend(c.alice.token, "x")
	plain.wantNext("message")
	own.wantNext("message")
}

func TestTypingFindsItsRecipient(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	group := c.alice.mustCreateGroup("G", c.bob)
	c.alice.post("/v2/message/typing", fields{}).wantError(400, "recipient_required").wantField("recipient")
	unknown := c.carl.post("/v2/message/typing", fields{"recipient": randomToken()}).wantMissing()
	wantSameAnswer(c.carl.post("/v2/message/typing", fields{"recipient": group}).wantMissing(), unknown)
	wantSameAnswer(c.carl.post("/v2/message/typing", fields{"recipient": stranger.token}).wantMissing(), unknown)
	// The end of typing comes before every send: it is never 404.
	for _, recipient := range []string{randomToken(), group, stranger.token, "nobody@example.com", "nonsense", "%00",
		"%ff"} {
		c.carl.delete("/v2/message/typing/" + recipient).want(204)
		c.carl.delete("/v2/message/typing/" + recipient + "/" + c.carl.token).want(204)
	}
}

func TestPresenceIsToldToThoseWhoHaveEachOther(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.linger = 50 * time.Millisecond })
	c.alice.mustSend(c.bob.token, "x")                                   // both rosters have the other
	c.carl.post("/v2/roster", fields{"entity": c.alice.token}).want(204) // carl's only
	watching, not := c.bob.openStream("features=presence,no-offline-messages"),
		c.carl.openStream("features=presence,no-offline-messages")
	plain := c.bob.openStream("features=no-offline-messages")
	first, second := c.alice.openStream(""), c.alice.openStream("")
	here := watching.wantNext("presence")
	here.wantIs(fields{"from": c.alice.token, "type": "available"})
	if here.hasID {
		t.Error("presence is queued")
	}
	second.close()
	c.alice.mustSend(c.bob.token, "between")
	watching.wantNext("message") // the second stream told nothing, nor did its end
	plain.wantNext("message")
	first.close()
	c.alice.delete("/v2/events?connections_only=true").want(200)
	watching.wantNext("presence").wantIs(fields{"from": c.alice.token, "type": "unavailable"})
	c.alice.mustSend(c.carl.token, "x")
	not.wantNext("message") // and nothing before
	c.alice.mustSend(c.bob.token, "x")
	plain.wantNext("message")
}

// A stream that begins late asks who is there; it is told as if it had been there from the beginning.
func TestWhoIsPresentIsReplayedToWhoAsks(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.linger = 50 * time.Millisecond })
	c.alice.mustSend(c.bob.token, "x")
	c.carl.post("/v2/roster", fields{"entity": c.alice.token}).want(204) // carl's only
	watching := c.bob.openStream("features=presence,no-offline-messages")
	here, carls := c.alice.openStream("features=no-offline-messages"), c.carl.openStream("features=no-offline-messages")
	watching.wantNext("presence").wantIs(fields{"from": c.alice.token, "type": "available"})

	// ends returns the kinds of what a stream brings, but for messages, until one that is sent now.
	ends := func(s *stream) (kinds []string) {
		t.Helper()
		id := c.alice.mustSend(c.bob.token, "end")
		for {
			e := s.next()
			if e.kind == "message" && e.text("message_id") == id {
				return kinds
			}
			if e.kind == "message" {
				continue
			}
			if e.kind == "presence" {
				e.wantIs(fields{"from": c.alice.token, "type": "available"})
				if e.hasID {
					t.Error("presence is queued")
				}
			}
			kinds = append(kinds, e.kind)
		}
	}
	replayed := []string{"client_advisory", "client_advisory", "presence"}
	for features, want := range map[string][]string{
		"presence,presence-replay": replayed,
		"presence-replay":          replayed[:2],
		"presence":                 replayed[:2],
		"presence,presence-replay,no-offline-messages": {"presence"},
	} {
		if got := ends(c.bob.openStream("features=" + features)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", features, got, want)
		}
	}
	carls.close()
	here.close()
	for e := watching.next(); e.kind != "presence"; e = watching.next() { // messages
	}
	if got := ends(c.bob.openStream("features=presence,presence-replay,no-offline-messages")); len(got) > 0 {
		t.Errorf("of who is gone: %v", got)
	}
}

// A key of one organization makes its account present there alone, and hears of others'
// presence there alone; so it is with typing.
func TestPresenceAndTypingStayWithinAScope(t *testing.T) {
	t.Parallel()
	s := start(t, func(f *figures) { f.linger = 50 * time.Millisecond })
	one, two := s.mustCreateOrganization("One"), s.mustCreateOrganization("Two")
	ann, inOne, inTwo, both := s.mustCreate(one, "ann"), s.mustCreate(one, "inone"), s.mustCreate(two, "intwo"),
		s.mustCreate(one, "both")
	s.operator.mustJoin(two, ann)
	s.operator.mustJoin(two, both)
	for _, p := range []*person{inOne, both} {
		ann.mustSend(p.token, "x", "sender_organization", one)
	}
	for _, p := range []*person{inTwo, both} {
		ann.mustSend(p.token, "x", "sender_organization", two)
	}
	scoped := func(p *person, organization string) *person {
		return p.withKey(s.operator.post(p.path("/key"), fields{"organization": organization}).reply())
	}
	type watcher struct {
		*stream
		who          *person
		organization string // of a message that it gets
	}
	watching := map[string]watcher{}
	watch := func(name string, p *person, organization string) {
		watching[name] = watcher{p.openStream("features=presence,is-typing,no-offline-messages"), p, organization}
	}
	watch("one", inOne, one)
	watch("two", inTwo, two)
	watch("both", both, one)
	watch("both, scope one", scoped(both, one), one)
	watch("both, scope two", scoped(both, two), two)
	wantHeard := func(what, want string, names ...string) {
		t.Helper()
		for name, w := range watching {
			// Whatever was to come comes before this message.
			id := ann.mustSend(w.who.token, what, "sender_organization", w.organization)
			var got []string
			for e := w.next(); e.kind != "message" || e.text("message_id") != id; e = w.next() {
				switch e.kind {
				case "presence":
					got = append(got, e.text("type"))
				case "message:is_typing":
					got = append(got, e.text("status"))
				}
			}
			var expected []string
			if slices.Contains(names, name) {
				expected = []string{want}
			}
			if !slices.Equal(got, expected) {
				t.Errorf("%s: %s heard %v, want %v", what, name, got, expected)
			}
		}
	}
	wantGone := func(names ...string) {
		t.Helper()
		for _, name := range names {
			e := watching[name].next()
			for e.kind != "presence" { // messages to other watchers of the account
				e = watching[name].next()
			}
			e.wantIs(fields{"from": ann.token, "type": "unavailable"})
		}
		wantHeard("gone", "")
	}
	annOne, annTwo := scoped(ann, one), scoped(ann, two)
	ofOne := annOne.openStream("features=no-offline-messages")
	wantHeard("a stream of One", "available", "one", "both", "both, scope one")
	everywhere := ann.openStream("features=no-offline-messages")
	wantHeard("one everywhere", "available", "two", "both, scope two")
	ofTwo := annTwo.openStream("features=no-offline-messages")
	wantHeard("one of Two", "")
	everywhere.close()
	wantHeard("others are left", "")
	ofTwo.close()
	wantGone("two", "both, scope two")
	ofOne.close()
	wantGone("one", "both", "both, scope one")

	annOne.post("/v2/message/typing", fields{"recipient": both.token}).want(204)
	wantHeard("typing in One", "typing", "both", "both, scope one")
	ann.post("/v2/message/typing", fields{"recipient": both.token}).want(204)
	wantHeard("typing", "typing", "both", "both, scope one", "both, scope two")
	annOne.post("/v2/message/typing", fields{"recipient": inTwo.token}).wantMissing()
	group := ann.post("/v2/group", fields{"name": "G", "members": []string{both.token}},
		in(two)).want(204).Header.Get("TT-X-Group-Token")
	ann.post("/v2/message/typing", fields{"recipient": group}).want(204)
	wantHeard("typing in a group of Two", "typing", "both", "both, scope two")
}
