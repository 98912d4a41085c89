package api_test

import (
	"net/http"
	"testing"
	"time"

	"signet/internal/store"
)

// mustBeElsewhere has somebody join another organization, whose doctor is returned.
func (c *clinic) mustBeElsewhere(p *person) (elsewhere string, foreign, doctor *person) {
	c.t.Helper()
	elsewhere = c.mustCreateOrganization("Elsewhere")
	foreign = c.mustCreateAdmin(elsewhere, "foreign")
	doctor = foreign.mustCreate(elsewhere, "doctor")
	foreign.mustJoin(elsewhere, p)
	return elsewhere, foreign, doctor
}

// What an administrator rotates or changes reads of its organization only, even after the account came to be in
// another one.
func TestWhatAnAdministratorChangesOfAWebhookHasItsScope(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	key := c.alice.withKey(c.alice.post("/v2/user/me/key", fields{}).reply())
	r, theirs := newReceiver(t), newReceiver(t)
	only := fields{"events": "message"}
	ofKey := r.mustHook(key, c.alice, only)
	rotated := r.mustHook(c.alice, c.alice, only)
	redirected := r.mustHook(c.alice, c.alice, only)
	c.alice.delete(ofKey + "/none").want(404)
	c.alice.forgetEvents()

	boss.post(c.alice.path("/key/"+key.key+"/rotate"), fields{"grace": 600}).want(200)
	c.alice.get(ofKey).reply().wantFields(fields{"organization": c.org, "enabled": true}, "issued_by")
	boss.post(rotated+"/rotate", nil).want(200)
	c.alice.get(rotated).reply().wantFields(fields{"organization": c.org}, "issued_by")
	theirs.secret = r.secret
	boss.post(redirected, fields{"url": theirs.url}).want(204)
	c.alice.get(redirected).reply().wantFields(fields{"organization": c.org, "issued_by": boss.token})
	c.alice.wantEvents("account:settings", "account:settings", "account:settings")

	elsewhere, _, doctor := c.mustBeElsewhere(c.alice)
	doctor.mustSend(c.alice.token, "of elsewhere", "sender_organization", elsewhere)
	inside := c.bob.mustSend(c.alice.token, "of the clinic", "sender_organization", c.org)
	c.alice.delete(ofKey).want(204)
	c.alice.delete(rotated).want(204)
	c.deliver(c.alice)
	r.wantKinds()
	theirs.wantKinds("message")[0].data.wantFields(fields{"message_id": inside})
}

func TestAWebhookEndsWithTheKeyThatGaveItsURL(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	r, other := newReceiver(t), newReceiver(t)
	path := r.mustHook(c.alice, c.alice, fields{"events": "message"})
	stolen := c.alice.withKey(c.alice.post("/v2/user/me/key", fields{}).reply())
	stolen.post(path, fields{"url": r.url, "content": "full"}).want(204) // which is where it goes already
	c.alice.delete("/v2/user/me/key/" + stolen.key).want(204)
	c.bob.mustSend(c.alice.token, "one")
	c.deliver(c.alice)
	r.wantKinds("message")

	stolen = c.alice.withKey(c.alice.post("/v2/user/me/key", fields{}).reply())
	stolen.post(path, fields{"url": other.url}).want(204)
	c.alice.delete("/v2/user/me/key/" + stolen.key).want(204)
	c.bob.mustSend(c.alice.token, "two")
	c.deliver(c.alice)
	r.wantKinds()
	other.wantKinds()
	c.alice.get(path).reply().wantFields(fields{"enabled": false, "disabled_reason": "key_ended"})
}

// A key that opens from some networks only gives nobody what opens from everywhere.
func TestAKeyWithNetworksMakesNoWebhook(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	r := newReceiver(t)
	path := r.mustHook(c.alice, c.alice, nil)
	bound := c.alice.withKey(c.alice.post("/v2/user/me/key", fields{"allowed_networks": "127.0.0.0/8,::1"}).reply())
	bound.post("/v2/user/me/webhook", fields{"url": r.url}).wantError(403, "exceeds_issuer")
	bound.post(path, fields{"url": r.url + "/else"}).wantError(403, "exceeds_issuer")
	bound.post(path, fields{"content": "full"}).want(204)
	bound.delete(path).want(204)
}

// Whoever manages some of an account's keys is not told of webhooks that it does not manage.
func TestAWebhookThatIsNotListedIsMissing(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	_, foreign, _ := c.mustBeElsewhere(c.alice)
	path := newReceiver(t).mustHook(c.alice, c.alice, nil)
	foreign.get(path).wantMissing()
	foreign.post(path, fields{"enabled": false}).wantMissing()
	foreign.post(path+"/rotate", nil).wantMissing()
	foreign.post(path+"/test", nil).wantMissing()
	foreign.delete(path).wantMissing()
}

// A webhook of an administrator passes over the notice of what the administrator did to it, and over those that
// take its place.
func TestAWebhookTakesNoNoticeOfItselfAway(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	_, foreign, _ := c.mustBeElsewhere(c.alice)
	r := newReceiver(t)
	path := r.mustHook(boss, c.alice, fields{"acknowledge": true})
	c.deliver(c.alice)
	boss.post(path, fields{"content": "full"}).want(204)
	c.deliver(c.alice)
	boss.post(path+"/rotate", nil).want(200)
	c.deliver(c.alice)
	c.alice.wantEvents("account:settings", "account:settings", "account:settings")

	// Another organization's takes the place of all these.
	foreign.post(c.alice.path("/key"), fields{}).want(200)
	c.deliver(c.alice)
	c.alice.wantEvents("account:settings")
	r.take()

	// Nor does it while it is changed in the middle of a turn.
	c.bob.mustSend(c.alice.token, "hello")
	c.deliver(c.alice)
	r.wantKinds("message")
	c.alice.mustAck(idsOf(c.alice.events())...)
	boss.post(path, fields{"from": c.clock.Now().Add(-time.Hour).UTC().Format(time.RFC3339)}).want(204)
	c.alice.mustAck(idsOf(c.alice.events())...)
	r.answer = func(n int, w http.ResponseWriter) {
		if n == 0 {
			boss.post(path, fields{"content": "thin"}).want(204)
		}
		w.WriteHeader(http.StatusNoContent)
	}
	c.deliver(c.alice)
	c.alice.wantEvents("account:settings")
}

func TestATestOfAWebhookTakesTheRightToChangeIt(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	r := newReceiver(t)
	path := r.mustHook(c.alice, c.alice, nil)
	old := c.alice.withKey(c.alice.post("/v2/user/me/key", fields{}).reply())
	c.alice.post("/v2/user/me/key/"+old.key+"/rotate", fields{"grace": 600}).want(200)
	old.post(path+"/test", nil).wantError(403, "secret_replaced")
	r.wantKinds()

	// One that is deleted while it is tested leaves nothing.
	r.answer = func(_ int, w http.ResponseWriter) {
		c.alice.delete(path).want(204)
		w.WriteHeader(http.StatusNoContent)
	}
	c.alice.post(path+"/test", nil).wantMissing()
	if n := c.countRows("webhook_deliveries"); n != 0 {
		t.Errorf("%d deliveries are left", n)
	}
}

// A server that is killed after it noted when is tried next leaves a job that is due at once.
func TestATryWaitsThoughItsJobIsDue(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	r := newReceiver(t)
	path := r.mustHook(c.alice, c.alice, fields{"events": "message"})
	c.bob.mustSend(c.alice.token, "hello")
	r.answers(500)
	c.deliver(c.alice)
	r.wantKinds("message")
	next := stamp(c.clock.Now().Add(5 * time.Second))
	c.behind(`UPDATE jobs SET due = 0 WHERE kind = ?`, int(store.DeliverWebhook))
	c.deliver(c.alice)
	r.wantKinds()
	c.alice.get(path).reply().wantFields(fields{"next_try_time": next, "failures": 1})
	c.clock.Advance(5 * time.Second)
	c.deliver(c.alice)
	r.wantKinds("message")
}

// What was delivered stays so where the store fails for a moment.
func TestADeliveryIsNotForgottenWhenAWriteFails(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.counted = true })
	r := newReceiver(t)
	path := r.mustHook(c.alice, c.alice, fields{"events": "message"})
	c.bob.mustSend(c.alice.token, "one")
	r.answers(500)
	c.deliver(c.alice)
	c.clock.Advance(5 * time.Second)
	r.answer = func(_ int, w http.ResponseWriter) {
		c.counted.failing.Store(1)
		w.WriteHeader(http.StatusNoContent)
	}
	c.deliver(c.alice)
	r.wantKinds("message", "message")
	shown := c.alice.get(path).reply()
	shown.wantFields(fields{"last_success_time": stamp(c.clock.Now())}, "failing_since", "failures")
	if got := len(shown.list("deliveries")); got != 2 {
		t.Errorf("%d deliveries are shown, want 2", got)
	}
	c.log.Take()
	c.clock.Advance(time.Minute)
	c.deliver(c.alice)
	r.wantKinds()
}

// What another server noted of a delivery, or this one before it lost its database, holds up nothing that follows.
func TestADeliveryGoesOnWhereItWasNotedMeanwhile(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	r := newReceiver(t)
	r.mustHook(c.alice, c.alice, fields{"events": "message"})
	c.bob.mustSend(c.alice.token, "one")
	r.answer = func(n int, w http.ResponseWriter) {
		if n == 0 {
			c.behind(`UPDATE webhooks SET position = (SELECT MAX(e.position) FROM events e WHERE e.account = webhooks.account)`)
		}
		w.WriteHeader(http.StatusNoContent)
	}
	c.deliver(c.alice)
	r.wantKinds("message")
	c.bob.mustSend(c.alice.token, "two")
	c.deliver(c.alice)
	r.wantKinds("message")
}

// However often an account's webhooks come and go, one job looks after what is kept for them.
func TestWebhooksThatComeAndGoLeaveOneJob(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	r := newReceiver(t)
	for range 5 {
		path := r.mustHook(c.alice, c.alice, nil)
		c.alice.delete(path).want(204)
		c.clock.Advance(10 * time.Minute)
		c.deliver()
	}
	r.mustHook(c.alice, c.alice, nil)
	for range 3 {
		c.clock.Advance(time.Hour)
		c.deliver()
	}
	if n := c.countRows("jobs WHERE kind = 12"); n != 1 {
		t.Errorf("%d jobs look after what is kept, want 1", n)
	}
}

// What a queue drops since it is long is there for webhooks still.
func TestAWebhookGetsWhatALongQueueDrops(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.queueMax = 5 })
	r := newReceiver(t)
	r.mustHook(c.bob, c.bob, fields{"events": "admin_request"})
	c.bob.mustQueueOther(c.org, 8)
	c.mustSweep()
	if n := len(others(c.bob.events())); n != 5 {
		t.Errorf("%d events are queued, want 5", n)
	}
	c.deliver(c.bob)
	if got := r.take(); len(got) != 8 {
		t.Errorf("%d events came, want 8", len(got))
	}
}
