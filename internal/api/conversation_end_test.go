package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// shown is the list of conversations in short: of each the entity's name, what the last
// message says, and what is unread.
func (p *person) shown(options ...option) (out []string) {
	p.t.Helper()
	for _, e := range p.conversations("", options...) {
		said := "-"
		if e.has("last_message") {
			last := e.at("last_message")
			said = says(last)
			if e.int("sort_number") != last.int("sort_number") {
				p.t.Errorf("%s sees %s, which is not at the place of its last message", p.name, e)
			}
		} else if e.int("sort_number") != 0 {
			p.t.Errorf("%s sees %s, which has a place and no message", p.name, e)
		}
		line := fmt.Sprintf("%s: %s, %d, %d", e.text("entity", "display_name"), said, e.int("unread_count"),
			e.int("unread_priority_count"))
		if e.at("muted").v == true {
			line += ", muted"
		}
		out = append(out, line)
	}
	return out
}

func (p *person) wantShown(when string, want ...string) {
	p.t.Helper()
	if got := p.shown(); !slices.Equal(got, want) {
		p.t.Errorf("%s: %s sees %q, want %q", when, p.name, got, want)
	}
}

// says is what a message says.
func says(message value) string {
	if message.has("is_recalled") {
		return "recalled"
	}
	return message.text("body")
}

// wantHistory checks what a conversation says, the newest first.
func (p *person) wantHistory(when, entity, want string, options ...option) {
	p.t.Helper()
	var texts []string
	for _, m := range p.get("/v2/conversation/"+entity+"/message", options...).reply().list("results") {
		texts = append(texts, says(m))
	}
	if got := strings.Join(texts, " "); got != want {
		p.t.Errorf("%s: %s reads %q of %s, want %q", when, p.name, got, entity, want)
	}
}

// TestConversationsShowTheLastThatIsThere: what has ended or was recalled counts no more at
// once, and the last message is the newest that is there still.
func TestConversationsShowTheLastThatIsThere(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for _, swept := range []bool{false, true} {
		sweep := func() {
			if swept {
				c.mustSweep()
			}
		}
		when := fmt.Sprint("swept: ", swept)
		c.alice.mustSend("bob", "stays")
		brief := c.alice.mustSend("bob", "brief", "ttl", 1, "priority", 1)
		c.bob.wantShown(when, "Alice: brief, 2, 1")
		c.clock.Advance(time.Minute)
		sweep()
		wantGoneFor(c, brief, c.bob)
		c.bob.wantShown(when+", expired", "Alice: stays, 1, 0")
		c.bob.wantHistory(when+", expired", "alice", "stays")

		once := c.alice.mustSend("bob", "once", "dor", true)
		c.bob.wantShown(when, "Alice: once, 2, 0")
		c.bob.mustMark("read", once)
		c.bob.wantShown(when+", read", "Alice: once, 1, 0")
		c.clock.Advance(time.Minute)
		sweep()
		c.bob.wantShown(when+", read and gone", "Alice: stays, 1, 0")
		c.alice.wantShown(when+", read and gone", "Bob: stays, 0, 0")
		c.bob.wantHistory(when+", read and gone", "alice", "stays")

		wrong := c.alice.mustSend("bob", "wrong", "priority", 1)
		c.alice.delete("/v2/message/" + wrong).want(204)
		sweep()
		c.bob.wantShown(when+", recalled", "Alice: recalled, 1, 0")
		c.alice.wantShown(when+", recalled", "Bob: recalled, 0, 0")
		last := c.bob.get("/v2/conversation/alice/message?limit=1").reply().list("results")
		last[0].wantFields(fields{"message_id": wrong, "is_recalled": true}, "body", "attachments", "data")
		c.bob.post("/v2/mute/p2p", fields{"sender_token": c.alice.token, "duration": 1}).want(204)
		c.bob.wantShown(when+", muted", "Alice: recalled, 1, 0, muted")
		c.clock.Advance(time.Minute)
		c.bob.wantShown(when+", no longer muted", "Alice: recalled, 1, 0")

		// Removing it takes the conversation away from whoever removes it, and from nobody else.
		c.bob.delete("/v2/roster/" + c.alice.token).want(204)
		sweep()
		c.bob.wantShown(when + ", removed")
		c.bob.wantHistory(when+", removed", "alice", "")
		c.alice.wantHistory(when+", removed by bob", "bob", "recalled stays")
		c.alice.delete("/v2/roster/" + c.bob.token).want(204)
		sweep()
		c.alice.wantShown(when + ", removed by both")
	}
}

func TestAConversationWithOneself(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.alice.wantHistory("before there is any", "me", "")
	c.alice.mustSend("alice", "one")
	second := c.alice.mustSend(c.alice.token, "two", "priority", 1)
	c.alice.wantShown("sent", "Alice: two, 2, 1")
	for _, address := range []string{"me", "alice", c.alice.token, strings.ToUpper(c.alice.token)} {
		c.alice.wantHistory("sent", address, "two one")
	}
	c.alice.forgetEvents()
	c.alice.post("/v2/conversation/me/read", fields{"up_to": 1 << 60}).want(204)
	c.alice.wantShown("read", "Alice: two, 0, 0")
	c.alice.wantEvents("message:status", "message:status")[1].wantFields(fields{"client_id": second, "status": "Read"})
	c.bob.wantHistory("of another's self", "alice", "")
	c.bob.wantShown("of another's self")
}

// TestConversationsOfGroupsThatOneHasLeft: what was got there stays, and shows no more of the
// group than its token and the name that it had.
func TestConversationsOfGroupsThatOneHasLeft(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	plain := c.alice.mustCreateGroup("plain", c.bob, c.carl)
	open := c.alice.mustCreateGroupAs(fields{"name": "open", "replay_history": true}, c.bob, c.carl)
	say := func(text string) {
		c.alice.mustSend(plain, text)
		c.alice.mustSend(open, text)
	}
	say("one")
	c.carl.wantShown("in them", "open: one, 1, 0", "plain: one, 1, 0")
	for _, g := range []string{plain, open} {
		c.carl.post("/v2/group/"+g+"/members/remove", fields{"members": c.carl.token}).want(204)
	}
	say("two")
	c.alice.post("/v2/group/"+plain, fields{"name": "secret"}).want(204)
	for _, e := range c.carl.conversations("") {
		e.at("entity").wantFields(fields{"type": "tigertext:entity:group", "members": []string{}, "num_members": 0,
			"description": ""}, "created_by", "created_time")
	}
	c.carl.wantShown("gone", "open: one, 0, 0", "plain: one, 0, 0")
	for _, g := range []string{plain, open} {
		c.carl.get("/v2/group/" + g).wantMissing()
		c.carl.wantHistory("gone", g, "one")
		c.carl.wantHistory("gone, with the header", g, "one", in(c.org))
		c.carl.get("/v2/conversation/"+g+"/message", in(randomOrganization())).wantMissing()
		c.alice.post("/v2/group/"+g+"/members", fields{"members": c.carl.token}).want(204)
	}
	c.settle()
	say("three")
	c.carl.wantHistory("back", plain, "three one")
	c.carl.wantHistory("back, with the history", open, "three two one")
	if texts, more := c.carl.history(open, "after=0&limit=2"); strings.Join(texts, " ") != "one two" || !more {
		t.Errorf("from the beginning carl reads %v, %v", texts, more)
	}
	c.bob.forgetEvents()
	for _, g := range []string{plain, open} {
		c.alice.delete("/v2/group/" + g).want(204)
	}
	for _, p := range []*person{c.bob, c.alice} {
		p.wantHistory("deleted", plain, "three two one")
		p.wantHistory("deleted", open, "three two one")
	}
	c.carl.wantHistory("deleted", plain, "three one")
	c.bob.wantShown("deleted", "open: three, 0, 0", "secret: three, 0, 0")
	c.alice.forgetEvents()
	c.bob.post("/v2/conversation/"+plain+"/read", fields{"up_to": 1 << 60}).want(204)
	c.alice.wantEvents("group:message:status", "group:message:status", "group:message:status")
}

// TestConversationsWithThoseWhoAreGone: what they said stays with whom they said it to.
func TestConversationsWithThoseWhoAreGone(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.bob.mustSend("alice", "from bob")
	c.carl.mustSend("alice", "from carl")
	c.operator.post(c.bob.path("/disable"), nil).want(204)
	c.alice.wantShown("disabled", "Carl: from carl, 1, 0", "Bob: from bob, 1, 0")
	c.alice.wantHistory("disabled", "bob", "from bob")
	c.operator.delete(c.bob.path("/organization/" + c.org)).want(204)
	c.alice.wantShown("removed", "Carl: from carl, 1, 0", "Bob: from bob, 1, 0")
	c.alice.wantHistory("removed", c.bob.token, "from bob")
	c.alice.wantHistory("removed, with the header", c.bob.token, "from bob", in(c.org))
	c.alice.post("/v2/conversation/"+c.bob.token+"/read", fields{"up_to": 1 << 60}).want(204)
	c.alice.wantShown("read", "Carl: from carl, 1, 0", "Bob: from bob, 0, 0")

	if err := c.eraseAccount(c.carl.token, false); err != nil {
		t.Fatal(err)
	}
	c.alice.wantShown("erased", "Bob: from bob, 0, 0")
	c.alice.get("/v2/conversation/" + c.carl.token + "/message").wantMissing()
	c.alice.get("/v2/conversation/carl/message").wantMissing()
	// It leaves itself: nothing of the organization is seen, and nothing comes back with it.
	c.operator.delete(c.alice.path("/organization/" + c.org)).want(204)
	c.alice.wantShown("out")
	c.alice.get("/v2/conversation/" + c.bob.token + "/message").wantMissing()
	c.operator.mustJoin(c.org, c.alice)
	c.alice.wantShown("in again")
}

// TestConversationsInTwoOrganizations: each is one of its own, and what names none goes where
// a message would go.
func TestConversationsInTwoOrganizations(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	second := c.mustCreateOrganization("Second")
	c.operator.mustJoin(second, c.alice)
	c.operator.mustJoin(second, c.bob)
	c.alice.mustSend("bob", "first")
	c.alice.mustSend("bob", "second", "recipient_organization", second)
	c.bob.wantShown("sent", "Alice: second, 1, 0", "Alice: first, 1, 0")
	c.bob.wantHistory("none named", "alice", "first")
	c.bob.wantHistory("the first named", "alice", "first", in(c.org))
	c.bob.wantHistory("the second named", "alice", "second", in(second))
	if found := c.bob.shown(in(second)); !slices.Equal(found, []string{"Alice: second, 1, 0"}) {
		t.Errorf("in the second there are %q", found)
	}
	c.bob.post("/v2/conversation/alice/read", fields{"up_to": 1 << 60}, in(second)).want(204)
	c.bob.wantShown("read", "Alice: second, 0, 0", "Alice: first, 1, 0")
	// Where both no longer are together, it is the one with messages.
	c.operator.delete(c.alice.path("/organization/" + c.org)).want(204)
	c.bob.wantHistory("one is left", "alice", "second")
	c.operator.delete(c.alice.path("/organization/" + second)).want(204)
	c.bob.wantHistory("none is left", c.alice.token, "first")
	c.bob.wantHistory("none is left, named", c.alice.token, "second", in(second))
}

// TestASortNumberIsAPlaceInAnyConversation: one of another conversation, or of none, is as
// good, and tells nothing.
func TestASortNumberIsAPlaceInAnyConversation(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.alice.mustSend("bob", "one")
	others := c.carl.get("/v2/message/" + c.carl.mustSend("bob", "apart")).reply().int("sort_number")
	c.alice.mustSend("bob", "two")
	for query, want := range map[string]string{
		fmt.Sprint("before=", others): "one", fmt.Sprint("after=", others): "two",
		"before=0": "", "after=0": "one two", "before=9223372036854775807": "two one", "after=9223372036854775807": "",
	} {
		texts, more := c.alice.history("bob", query)
		if got := strings.Join(texts, " "); got != want || more {
			t.Errorf("%s: got %q, %v, want %q", query, got, more, want)
		}
	}
	c.bob.post("/v2/conversation/alice/read", fields{"up_to": others}).want(204)
	c.bob.wantShown("read up to another's", "Alice: two, 1, 0", "Carl: apart, 1, 0")
	c.bob.post("/v2/conversation/alice/read", fields{"up_to": 0}).want(204)
	c.bob.wantShown("read up to none", "Alice: two, 1, 0", "Carl: apart, 1, 0")
}
