package api_test

import (
	"testing"
	"time"
)

func TestMute(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	group := c.alice.mustCreateGroup("G", c.bob)
	c.bob.forgetEvents()
	c.bob.get("/v2/mute").reply().wantIs([]any{})
	start := c.clock.Now().Unix()
	entry := func(more fields) fields {
		e := fields{"organization_id": c.org, "caller_organization": c.org, "mute_duration": 60, "mute_start": start}
		for name, v := range more {
			e[name] = v
		}
		return e
	}
	person, ofGroup := fields{"sender_type": "account", "sender_token": c.alice.token},
		fields{"sender_type": "group", "sender_token": group}
	c.bob.post("/v2/mute/p2p",
		fields{"sender_token": c.alice.token, "sender_organization": c.org, "receiver_organization": c.org,
			"duration": "60"}).want(204)
	c.bob.wantEvents("conversation_mute")[0].wantIs(merged(entry(person), fields{"token": c.bob.token, "action": "add"}))
	c.bob.post("/v2/mute/group/"+group, fields{"duration": 60, "receiver_organization": c.org}).want(204)
	c.bob.do("POST", "/v2/mute/organization/"+c.org, form("duration", "60")).want(204)
	if got := c.bob.get("/v2/mute").reply().list(); len(got) != 3 {
		t.Errorf("muted are %v", got)
	} else {
		for _, m := range got {
			switch {
			case !m.has("sender_token"):
				m.wantIs(entry(nil))
			case m.text("sender_type") == "group":
				m.wantIs(entry(ofGroup))
			default:
				m.wantIs(entry(person))
			}
		}
	}
	// Its messages and counts stay.
	c.alice.mustSend(c.bob.token, "x")
	c.bob.get(c.bob.path("/message/unread_count")).reply().wantFields(fields{"unread_count": 1})
	c.alice.get("/v2/mute").reply().wantIs([]any{})

	c.bob.forgetEvents()
	c.bob.delete("/v2/mute/p2p",
		jsonBody(fields{"sender_token": c.alice.token, "sender_organization": c.org,
			"receiver_organization": c.org})).want(204)
	gone := c.bob.wantEvents("conversation_mute")[0]
	gone.wantFields(fields{"token": c.bob.token, "action": "del", "sender_type": "account", "sender_token": c.alice.token,
		"organization_id": c.org})
	c.bob.delete("/v2/mute/group/" + group).want(204)
	if got := c.bob.get("/v2/mute").reply().list(); len(got) != 1 {
		t.Errorf("muted are %v, want the organization", got)
	}
	c.bob.delete("/v2/mute/organization/" + c.org).want(204)
	c.bob.post("/v2/mute/p2p", fields{"sender_token": c.alice.token, "duration": 1}).want(204)
	c.bob.delete("/v2/mute").want(204)
	events := c.bob.events()
	events[len(events)-1].wantIs(fields{"token": c.bob.token, "action": "clear"})
	c.bob.get("/v2/mute").reply().wantIs([]any{})
	c.bob.delete("/v2/mute").want(204)

	// A key that is good in one organization ends no other's mutes, and does not say so.
	other := c.operator.mustCreateOrganization("Other")
	c.operator.mustJoin(other, c.bob)
	scoped := c.bob.withKey(c.bob.post("/v2/user/me/key", fields{"organization": c.org}).reply())
	for _, org := range []string{c.org, other} {
		c.bob.post("/v2/mute/organization/"+org, fields{"duration": 5}).want(204)
	}
	c.bob.forgetEvents()
	scoped.delete("/v2/mute").want(204)
	ended := c.bob.wantEvents("conversation_mute")
	if len(ended) != 1 {
		t.Errorf("%d mutes are said to have ended, want one", len(ended))
	}
	ended[0].wantFields(fields{"action": "del", "organization_id": c.org})
	if got := c.bob.get("/v2/mute").reply().list(); len(got) != 1 || got[0].text("organization_id") != other {
		t.Errorf("muted are %v, want the other organization", got)
	}
	c.bob.delete("/v2/mute").want(204)

	for _, bad := range []any{0, -1, 525601, "long", nil} {
		c.bob.post("/v2/mute/p2p", fields{"sender_token": c.alice.token, "duration": bad}).want(400).wantField("duration")
		c.bob.post("/v2/mute/group/"+group, fields{"duration": bad}).want(400).wantField("duration")
	}
	for _, good := range []int{1, 525600} {
		c.bob.post("/v2/mute/p2p", fields{"sender_token": c.alice.token, "duration": good}).want(204)
	}
	c.bob.post("/v2/mute/p2p", fields{"duration": 5}).wantError(400, "sender_token_required").wantField("sender_token")
	unknown := c.carl.post("/v2/mute/p2p", fields{"sender_token": randomToken(), "duration": 5}).wantMissing()
	wantSameAnswer(c.carl.post("/v2/mute/p2p", fields{"sender_token": stranger.token, "duration": 5}).wantMissing(),
		unknown)
	wantSameAnswer(c.carl.post("/v2/mute/group/"+group, fields{"duration": 5}).wantMissing(), unknown)
	wantSameAnswer(c.carl.post("/v2/mute/organization/"+randomOrganization(), fields{"duration": 5}).wantMissing(),
		unknown)
	// A mute ends by itself.
	c.bob.post("/v2/mute/p2p", fields{"sender_token": c.alice.token, "duration": 1}).want(204)
	c.clock.Advance(time.Minute)
	c.bob.get("/v2/mute").reply().wantIs([]any{})
}

func TestMuteOfWhatHasGoneOutOfSightCanBeEnded(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	left, deleted := c.alice.mustCreateGroup("left", c.bob), c.alice.mustCreateGroup("deleted", c.bob)
	c.bob.post("/v2/mute/p2p", fields{"sender_token": c.carl.token, "duration": 60}).want(204)
	c.bob.post("/v2/mute/group/"+left, fields{"duration": 60}).want(204)
	c.bob.post("/v2/mute/group/"+deleted, fields{"duration": 60}).want(204)
	c.operator.delete(c.carl.path("/organization/" + c.org)).want(204)
	c.alice.post("/v2/group/"+left+"/members/remove", fields{"members": c.bob.token}).want(204)
	c.alice.delete("/v2/group/" + deleted).want(204)

	c.alice.delete("/v2/mute/p2p", jsonBody(fields{"sender_token": c.carl.token})).wantMissing() // who has not muted him
	c.bob.delete("/v2/mute/p2p", jsonBody(fields{"sender_token": c.carl.token, "receiver_organization": c.org})).want(204)
	c.bob.delete("/v2/mute/group/" + left).want(204)
	c.bob.delete("/v2/mute/group/" + deleted).want(204)
	c.bob.get("/v2/mute").reply().wantIs([]any{})
	c.bob.delete("/v2/mute/group/" + left).wantMissing()
}

// merged is the fields of both.
func merged(all ...fields) fields {
	out := fields{}
	for _, f := range all {
		for name, v := range f {
			out[name] = v
		}
	}
	return out
}
