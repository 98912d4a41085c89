package api_test

import (
	"slices"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// takers are all ways to take events out of one's queue. Each gets events of which the last
// is a message that the key may take, and whatever else is queued.
var takers = map[string]func(p *person, ids []string){
	"POST events/ack": func(p *person, ids []string) { p.mustAck(ids...) },
	"auto_ack":        func(p *person, _ []string) { p.get("/v2/events?auto_ack=true&limit=1000").want(200) },
	"auto_ack with wait": func(p *person, _ []string) {
		p.get("/v2/events?auto_ack=true&wait=60&limit=1000").want(200)
	},
	"DELETE events": func(p *person, _ []string) { p.forgetEvents() },
	"a stream with auto-ack": func(p *person, _ []string) {
		p.openStream("features=auto-ack,close-after-messages")
	},
	"a WebSocket with auto-ack": func(p *person, _ []string) {
		p.openSocket("features=auto-ack,close-after-messages")
	},
	"an ack over a WebSocket": func(p *person, ids []string) {
		_, send := p.openSocket("features=no-offline-messages")
		for _, id := range ids {
			send(`{"ack":["` + id + `"]}`)
		}
	},
}

// A key that somebody else issued does not take the notice of itself out of the queue, in
// whichever way, nor does what was issued with it. The notice stays when the key has ended.
func TestTheNoticeOfAKeyOutlivesTheKey(t *testing.T) {
	t.Parallel()
	for what, take := range takers {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := startHijack(t)
			for by, issue := range map[string]func() *person{
				"another organization": func() *person { return h.chief.withKey(h.other.post(h.chief.path("/key"), nil).reply()) },
				"the creating organization": func() *person {
					return h.chief.withKey(h.admin.post(h.chief.path("/key"), nil).reply())
				},
				"another organization, and issued with that": func() *person {
					first := h.chief.withKey(h.other.post(h.chief.path("/key"), nil).reply())
					return first.withKey(first.post("/v2/user/me/key", nil).reply())
				},
				"the creating organization, and signed in with that": func() *person {
					first := h.chief.withKey(h.admin.post(h.chief.path("/key"), nil).reply())
					auth := first.do("POST", "/v5/login", jsonBody(fields{"device_id": "d"})).reply().at("auth")
					return first.with(auth.text("key"), auth.text("secret"))
				},
			} {
				h.own.forgetEvents()
				issued := issue()
				notice := h.own.wantEvents("account:settings")[0].id
				sender := h.admin // a message that the key may take
				if by[0] == 'a' {
					sender = h.ben
				}
				message := sender.mustSend(h.chief.token, "x")
				take(issued, idsOf(h.own.events()))
				until(t, "the message is taken", func() bool {
					return len(ofKind(h.own.events(), "message")) == 0
				})
				h.own.get("/v2/message/" + message).want(200)
				if got := h.own.wantEvents("account:settings"); got[0].id != notice {
					t.Errorf("with the key of %s, the notice of it became another event", by)
				}

				// Nor does the notice go with the key.
				h.own.delete("/v2/user/me/key/" + issued.key).want(204)
				h.own.wantEvents("account:settings")
				h.own.mustAck(notice)
				h.own.wantEvents()
			}
		})
	}
}

// In a long queue, too, which is emptied in pieces.
func TestTheNoticeOfAKeyStaysInALongQueue(t *testing.T) {
	t.Parallel()
	h := startHijack(t)
	issued := h.chief.withKey(h.other.post(h.chief.path("/key"), nil).reply())
	chief, _ := model.ParseAccountID(h.chief.token)
	err := h.store.Update(t.Context(), func(tx *store.Tx) error {
		position, err := tx.Position(600, chief)
		for i := range int64(600) {
			if err == nil {
				err = tx.InsertEvent(chief, position+i, model.OrganizationID(h.two), model.EventFriends, model.MessageID{},
					store.Payload{}.Encode())
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	issued.forgetEvents()
	h.own.wantEvents("account:settings")
	h.mustSweep()
	h.own.wantEvents("account:settings")
}

// The notice stays however the key ends: revoked by who issued it, expired, with the
// membership, and with the organization.
func TestTheNoticeOfAKeyStaysHoweverItEnds(t *testing.T) {
	t.Parallel()
	for how, end := range map[string]func(h *hijack, key string){
		"revoked": func(h *hijack, key string) { h.other.delete(h.chief.path("/key/" + key)).want(204) },
		"expired": func(h *hijack, _ string) {
			h.clock.Advance(2 * time.Minute)
			h.mustSweep()
			h.mustKeepHouse()
		},
		"rotated": func(h *hijack, key string) {
			h.other.post(h.chief.path("/key/"+key+"/rotate"), fields{"grace": 0}).want(200)
		},
		"removed": func(h *hijack, _ string) { h.other.delete(h.chief.path("/organization/" + h.two)).want(204) },
		"deleted": func(h *hijack, _ string) {
			h.operator.do("DELETE", "/v2/organization/"+h.two, jsonBody(fields{"name": "Two"})).want(204)
			h.mustSweep()
		},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			h := startHijack(t)
			key := h.other.post(h.chief.path("/key"), fields{"expires_in": 60}).reply().text("api_key")
			first := h.own.wantEvents("account:settings")[0].id
			end(h, key)
			queued := h.own.events()
			if how == "rotated" { // which is a notice of its own, in place of the first
				first = queued[0].id
			}
			if !slices.Contains(idsOf(queued), first) {
				t.Errorf("of the key that is %s nothing tells any more: %v", how, kindsOf(queued))
			}
		})
	}
}

// Keys that may take notices: those without a scope, of the creating organization's from
// before, and of sign-ins. A later key that somebody else issued takes none from before it.
func TestWhoseKeysTakeNotices(t *testing.T) {
	t.Parallel()
	h := startHijack(t)
	for what, p := range map[string]*person{
		"its first key": h.chief, "a key without a scope": h.own, "its sign-in": h.signed(knownPassword, "d"),
		"what its first key issued": h.chief.withKey(h.chief.post("/v2/user/me/key", nil).reply()),
	} {
		h.own.forgetEvents()
		h.other.post(h.chief.path("/key"), nil).want(200)
		p.wantEvents("account:settings")
		p.mustAck(idsOf(p.events())...)
		if got := h.own.events(); len(got) != 0 {
			t.Errorf("%s leaves %v in the queue", what, kindsOf(got))
		}
	}

	first := h.chief.withKey(h.admin.post(h.chief.path("/key"), nil).reply())
	second := h.chief.withKey(h.admin.post(h.chief.path("/key"), nil).reply())
	for range 2 {
		second.forgetEvents()
		second.get("/v2/events?auto_ack=true").want(200)
		h.own.wantEvents("account:settings", "account:settings")
		second.wantEvents()
	}
	first.wantEvents("account:settings")
	first.forgetEvents() // of the second
	h.own.wantEvents("account:settings")

	// What another organization does meanwhile tells of the first, too.
	h.other.post(h.chief.path("/key"), nil).want(200)
	first.forgetEvents()
	second.forgetEvents()
	h.own.wantEvents("account:settings")
	// Whoever has the secret from before a rotation hears of the rotation, and whoever has the new one does not.
	h.own.forgetEvents()
	rotated := h.chief.with(h.chief.key, h.admin.post(h.chief.path("/key/"+h.chief.key+"/rotate"), nil).reply().
		text("api_secret"))
	h.chief.wantEvents("account:settings")
	rotated.wantEvents()
	rotated.forgetEvents()
	h.chief.wantEvents("account:settings")
	// All other events about the account are for every key of it.
	h.own.forgetEvents()
	h.own.post("/v2/user/me/settings", fields{"status": "x"}).want(204)
	h.chief.withKey(h.other.post(h.chief.path("/key"), nil).reply()).wantEvents("account:settings")
}
