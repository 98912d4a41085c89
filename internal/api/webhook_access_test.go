package api_test

import (
	"strings"
	"testing"
	"time"
)

func TestAWebhookEndsWithTheKeyThatMadeIt(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for _, ends := range []struct {
		how string
		end func(key *person)
	}{
		{"revoked", func(key *person) { c.alice.delete("/v2/user/me/key/" + key.key).want(204) }},
		{"expired", func(*person) { c.clock.Advance(time.Hour + time.Second) }},
		{"rotated", func(key *person) {
			c.alice.post("/v2/user/me/key/"+key.key+"/rotate", fields{"grace": 0}).want(200)
		}},
	} {
		key := c.alice.withKey(c.alice.post("/v2/user/me/key", fields{"expires_in": 3600}).reply())
		r := newReceiver(t)
		path := r.mustHook(key, c.alice, fields{"events": "message"})
		c.bob.mustSend(c.alice.token, "one")
		c.deliver(c.alice)
		r.wantKinds("message")
		ends.end(key)
		c.bob.mustSend(c.alice.token, "two")
		c.alice.forgetEvents()
		c.bob.mustSend(c.alice.token, "three")
		c.deliver(c.alice)
		r.wantKinds()
		shown := c.alice.get(path).reply()
		shown.wantFields(fields{"enabled": false, "disabled_reason": "key_ended"})
		// Who enables it again answers for it.
		c.alice.post(path, fields{"enabled": true}).want(204)
		c.deliver(c.alice)
		if got := r.wantKinds("message"); got[0].id == "" {
			t.Errorf("%s: %+v", ends.how, got)
		}
		c.alice.delete(path).want(204)
		c.alice.forgetEvents()
	}
}

func TestAWebhookOfADisabledAccountRests(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	r := newReceiver(t)
	path := r.mustHook(boss, c.alice, fields{"events": "message,account:settings"})
	c.alice.forgetEvents()
	boss.post(c.alice.path("/disable"), nil).want(204)
	c.bob.mustSend(c.alice.token, "one")
	c.deliver(c.alice)
	r.wantKinds()
	boss.get(path).reply().wantFields(fields{"enabled": true}, "failures")
	boss.post(c.alice.path("/enable"), nil).want(204)
	c.deliver(c.alice)
	if got := r.take(); len(got) == 0 || got[0].kind != "message" {
		t.Errorf("the receiver got %+v", got)
	}
}

// A webhook that a password alone made waits while that is not enough, and asks now and then, not all the time.
func TestAWebhookOfAPasswordWaitsWhileASecondFactorIsRequired(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	c.mustHavePassword(c.alice)
	login := c.alice.with("alice", password).post("/v5/login", fields{"device_id": "phone"}).reply()
	r := newReceiver(t)
	path := r.mustHook(c.alice.with(login.text("auth", "key"), login.text("auth", "secret")), c.alice,
		fields{"events": "message"})
	boss.post("/v2/organization/"+c.org, fields{"second_factor": "required"}).want(204)
	c.bob.mustSend(c.alice.token, "one")
	for range 3 {
		c.deliver(c.alice)
		c.clock.Advance(time.Minute)
	}
	r.wantKinds()
	c.alice.get(path).reply().wantFields(fields{"enabled": true}, "failures")
	boss.post("/v2/organization/"+c.org, fields{"second_factor": "optional"}).want(204)
	c.deliver()
	r.wantKinds("message")
}

func TestAnAdministratorMakesWebhooksOfItsOrganization(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	elsewhere := c.mustCreateOrganization("Elsewhere")
	foreign := c.mustCreateAdmin(elsewhere, "foreign")
	doctor := foreign.mustCreate(elsewhere, "doctor")
	foreign.mustJoin(elsewhere, c.alice)
	c.alice.forgetEvents()

	r := newReceiver(t)
	path := r.mustHook(boss, c.alice, fields{"events": "message"})
	c.alice.wantEvents("account:settings")
	shown := boss.get(path).reply()
	shown.wantFields(fields{"organization": c.org, "issued_by": boss.token})
	lines := boss.get("/v2/organization/" + c.org + "/audit?action=webhook.create").reply().list()
	if len(lines) != 1 {
		t.Fatalf("the audit log has %d lines of it", len(lines))
	}
	lines[0].wantFields(fields{"on_account": c.alice.token, "account": boss.token})
	if text := lines[0].text("detail"); strings.Contains(text, "/hook") || !strings.Contains(text, "host=127.0.0.1") {
		t.Errorf("the audit log tells %q", text)
	}
	doctor.mustSend(c.alice.token, "of elsewhere", "sender_organization", elsewhere)
	inside := c.bob.mustSend(c.alice.token, "of the clinic", "sender_organization", c.org)
	c.deliver(c.alice)
	r.wantKinds("message")[0].data.wantFields(fields{"message_id": inside})

	// The other organization sees, changes and ends nothing of it, and a stranger not even the account.
	foreign.get(path).wantMissing()
	foreign.post(path, fields{"enabled": false}).wantMissing()
	foreign.delete(path).wantMissing()
	if got := len(foreign.get(c.alice.path("/webhook")).reply().list()); got != 0 {
		t.Errorf("the other organization sees %d webhooks", got)
	}
	c.bob.get(path).wantError(403, "administrative_key_required")
	c.bob.post(c.alice.path("/webhook"), fields{"url": r.url}).wantError(403, "administrative_key_required")
	// The account sees it, and may end it.
	c.alice.get(path).reply().wantFields(fields{"issued_by": boss.token})
	c.alice.delete(path).want(204)
	// With a key of a scope one makes webhooks of that alone.
	scoped := c.alice.withKey(c.alice.post("/v2/user/me/key", fields{"organization": elsewhere}).reply())
	made := scoped.post("/v2/user/me/webhook", fields{"url": r.url}).reply()
	c.alice.get("/v2/user/me/webhook/" + made.text("webhook")).reply().wantFields(fields{"organization": elsewhere})
	scoped.post("/v2/user/me/webhook", fields{"url": r.url, "organization": c.org}).wantError(403, "exceeds_issuer")
}

func TestAWebhookIsGoneWithItsAccount(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	r := newReceiver(t)
	r.mustHook(c.alice, c.alice, nil)
	c.bob.mustSend(c.alice.token, "one")
	c.alice.mustAck(idsOf(c.alice.events())...)
	if err := c.eraseAccount(c.alice.token, true); err != nil {
		t.Fatal(err)
	}
	c.deliver(c.alice)
	for _, table := range []string{"webhooks", "webhook_deliveries", "kept_events"} {
		if n := c.countRows(table); n != 0 {
			t.Errorf("%s still has %d rows", table, n)
		}
	}
}
