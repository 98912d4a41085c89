package api_test

import (
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
