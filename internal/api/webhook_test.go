package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
)

func TestWebhooksAreMadeShownChangedAndDeleted(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	made := c.alice.post("/v2/user/me/webhook", fields{"url": "https://hooks.example.com/x?token=1"}).reply()
	if secret := made.text("secret"); !strings.HasPrefix(secret, "whsec_") || len(secret) != 50 {
		t.Errorf("the secret is %q", secret)
	}
	path := "/v2/user/me/webhook/" + made.text("webhook")
	whole := fields{"webhook": made.text("webhook"), "url": "https://hooks.example.com/x?token=1", "events": []any{},
		"content": "thin", "acknowledge": false, "signature": "v1", "enabled": true,
		"created_time": "2026-11-21T08:15:30.123Z"}
	absent := []string{"public_key", "disabled_reason", "issued_by", "organization", "last_success_time", "failing_since",
		"failures", "next_try_time"}
	c.alice.get("/v2/user/me/webhook").reply().list()[0].wantFields(whole, append(absent, "deliveries")...)
	whole["deliveries"] = []any{}
	c.alice.get(path).reply().wantFields(whole, absent...)

	c.alice.post(path, fields{"url": "https://other.example.com/", "events": "message,message:status", "content": "full",
		"acknowledge": true, "enabled": false}).want(204)
	whole = merged(whole, fields{"url": "https://other.example.com/", "events": []any{"message", "message:status"},
		"content": "full", "acknowledge": true, "enabled": false})
	c.alice.get(path).reply().wantFields(whole, absent...)
	c.alice.post(path, fields{"events": []string{}}).want(204)
	c.alice.get(path).reply().wantFields(merged(whole, fields{"events": []any{}}), absent...)

	signed := c.alice.post("/v2/user/me/webhook", fields{"url": "https://hooks.example.com/", "signature": "v1a"}).reply()
	public := signed.text("public_key")
	c.alice.get("/v2/user/me/webhook/" + signed.text("webhook")).reply().wantFields(fields{"public_key": public})
	if got := len(c.alice.get("/v2/user/me/webhook").reply().list()); got != 2 {
		t.Errorf("%d webhooks are listed, want 2", got)
	}

	c.alice.delete(path).want(204)
	c.alice.get(path).wantMissing()
	c.alice.delete(path).wantMissing()
	c.alice.post(path+"/test", nil).wantMissing()
	c.alice.get("/v2/user/me/webhook/nonsense").wantMissing()
}

func TestWebhooksThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	const url = "https://hooks.example.com/"
	for _, bad := range []struct {
		f           fields
		code, field string
	}{
		{fields{}, "url_required", "url"},
		{fields{"url": "hooks.example.com"}, "url_invalid", "url"},
		{fields{"url": "ftp://hooks.example.com/"}, "url_invalid", "url"},
		{fields{"url": "https://user@hooks.example.com/"}, "url_invalid", "url"},
		{fields{"url": "https://hooks.example.com/" + strings.Repeat("x", 2048)}, "url_invalid", "url"},
		{fields{"url": "https://forbidden.example.com/"}, "url_refused", "url"},
		{fields{"url": url, "events": []string{"typing"}}, "event_unknown", "events"},
		{fields{"url": url, "content": "whole"}, "content_invalid", "content"},
		{fields{"url": url, "signature": "v2"}, "signature_invalid", "signature"},
	} {
		c.alice.post("/v2/user/me/webhook", bad.f).wantError(400, bad.code).wantField(bad.field)
	}
	c.alice.post("/v2/user/me/webhook", fields{"url": url, "acknowledge": "perhaps"}).want(400).wantField("acknowledge")
	for range model.MaxWebhooks {
		c.alice.post("/v2/user/me/webhook", fields{"url": url}).want(200)
	}
	c.alice.post("/v2/user/me/webhook", fields{"url": url}).wantError(400, "too_many_webhooks")
	path := "/v2/user/me/webhook/" + c.alice.get("/v2/user/me/webhook").reply().text(0, "webhook")
	c.alice.post(path, fields{"from": "yesterday"}).wantError(400, "from_invalid").wantField("from")
	c.alice.post(path, fields{"url": "http:"}).wantError(400, "url_invalid")
	c.alice.post(path+"/rotate", fields{"grace": 86401}).wantError(400, "grace_invalid").wantField("grace")
}

func TestAWebhookGetsEventsInTheOrderOfTheQueue(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.bob.mustSend(c.alice.token, "before")
	r := newReceiver(t)
	path := r.mustHook(c.alice, c.alice, fields{"content": "full"})
	want := []string{c.bob.mustSend(c.alice.token, "one"), c.bob.mustSend(c.alice.token, "two")}
	group := c.bob.mustCreateGroup("Ward", c.alice)
	c.bob.mustSend(group, "three")
	queued := c.alice.events()[1:]
	c.deliver(c.alice)
	got := r.wantKinds(kindsOf(queued)...)
	for i := range got {
		if got[i].event != queued[i].id || !strings.HasSuffix(got[i].id, "_"+queued[i].id) {
			t.Errorf("event %d is %s, as %s; want %s", i, got[i].event, got[i].id, queued[i].id)
		}
		if !got[i].at.Equal(c.clock.Now().UTC().Truncate(time.Second)) {
			t.Errorf("it was signed at %s", got[i].at)
		}
	}
	for i, id := range want {
		got[i].data.wantFields(fields{"message_id": id, "body": []string{"one", "two"}[i], "status": "New"})
	}
	c.alice.wantEvents(append([]string{"message"}, kindsOf(queued)...)...) // the queue stays the programs'
	shown := c.alice.get(path).reply()
	shown.wantFields(fields{"last_success_time": "2026-11-21T08:15:30.123Z"}, "failing_since", "next_try_time")
	if tries := shown.list("deliveries"); len(tries) != len(queued) {
		t.Errorf("%d deliveries are shown, want %d", len(tries), len(queued))
	} else {
		tries[0].wantFields(fields{"event_id": queued[len(queued)-1].id, "type": "group_message", "try": 1,
			"outcome": "delivered", "response_status": 204})
	}
	c.deliver(c.alice)
	r.wantKinds()
}

func TestAThinWebhookTellsTokensAndTimesOnly(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	r := newReceiver(t)
	r.mustHook(c.alice, c.alice, nil)
	c.bob.post("/v2/user/me/settings", fields{"status": "In surgery"}).want(204)
	id := c.bob.mustAttach(c.alice.token, "Befund.txt", "text/plain", []byte("x"))
	group := c.bob.mustCreateGroup("Kardiologie", c.alice)
	c.bob.mustSend(group, "Geheimnis")
	c.bob.post("/v2/group/"+group, fields{"name": "Intensivstation"}).want(204)
	sent := c.alice.mustSend(c.bob.token, "Antwort")
	c.bob.mustMark("read", sent)
	c.alice.post("/v2/mute/p2p", fields{"sender_token": c.bob.token, "duration": 60}).want(204)
	c.deliver(c.alice)
	got := r.take()
	if len(got) < 6 {
		t.Fatalf("the receiver got only %v", got)
	}
	got[0].data.wantFields(fields{"message_id": id, "sender_token": c.bob.token, "recipient_token": c.alice.token,
		"created_time": "2026-11-21T08:15:30.123Z"}, "body", "attachments", "attachment_name")
	for _, p := range got {
		for _, word := range []string{"Befund", "Kardiologie", "Geheimnis", "Intensiv", "Antwort", "surgery", "bob", "alice",
			"display_name", "body"} {
			if strings.Contains(p.body, word) {
				t.Errorf("a thin %s says %q: %s", p.kind, word, p.body)
			}
		}
	}
}

func TestAFailedDeliveryIsTriedAgainAndHoldsUpTheNext(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	r := newReceiver(t)
	path := r.mustHook(c.alice, c.alice, fields{"events": "message"})
	c.bob.mustSend(c.alice.token, "one")
	c.bob.mustSend(c.alice.token, "two")
	pauses := []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
		10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour, 24 * time.Hour}
	r.answers(500, 503, 404, 302, 500, 500, 500, 500, 500, 500)
	c.deliver(c.alice)
	first := r.wantKinds("message")[0]
	since := c.clock.Now()
	for i, pause := range pauses {
		r.answers(500)
		if i == len(pauses)-1 {
			r.answers()
		}
		shown := c.alice.get(path).reply()
		shown.wantFields(fields{"failures": i + 1, "next_try_time": stamp(c.clock.Now().Add(pause)),
			"failing_since": stamp(since)})
		c.clock.Advance(pause - time.Millisecond)
		c.deliver(c.alice)
		r.wantKinds() // not yet, though more is queued
		c.bob.mustSend(c.alice.token, fmt.Sprint("more ", i))
		c.clock.Advance(time.Millisecond)
		c.deliver(c.alice)
		if i < len(pauses)-1 {
			again := r.wantKinds("message")[0]
			if again.id != first.id || again.body != first.body || !again.at.After(first.at) {
				t.Errorf("try %d is %+v, the first was %+v", i+2, again, first)
			}
		}
	}
	got := r.take()
	if len(got) != 2+len(pauses) || got[0].id != first.id {
		t.Errorf("%d events came in the end, want %d", len(got), 2+len(pauses))
	}
	c.alice.get(path).reply().wantFields(fields{"enabled": true}, "failures", "failing_since", "next_try_time")
}

func TestRetryAfterIsObeyed(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	r := newReceiver(t)
	path := r.mustHook(c.alice, c.alice, nil)
	at := c.clock.Now().Add(3 * time.Hour).UTC().Truncate(time.Second)
	for _, wait := range []struct {
		header string
		next   time.Time
	}{
		{"120", c.clock.Now().Add(2 * time.Minute)},
		{at.Format(http.TimeFormat), at},
		{"1", at.Add(30 * time.Minute)}, // never sooner than the schedule
	} {
		r.mu.Lock()
		r.answer = func(_ int, w http.ResponseWriter) {
			w.Header().Set("Retry-After", wait.header)
			w.WriteHeader(http.StatusTooManyRequests)
		}
		r.mu.Unlock()
		c.bob.mustSend(c.alice.token, "hello")
		c.deliver(c.alice)
		r.wantKinds("message")
		c.alice.get(path).reply().wantFields(fields{"next_try_time": stamp(wait.next)})
		c.clock.Set(wait.next)
	}
}

func TestAWebhookIsDisabledByA410AndAfterFiveDays(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	c.alice.forgetEvents()
	r := newReceiver(t)
	path := r.mustHook(c.alice, c.alice, fields{"events": "message"})
	c.bob.mustSend(c.alice.token, "one")
	r.answers(410)
	c.deliver(c.alice)
	r.wantKinds("message")
	c.alice.get(path).reply().wantFields(fields{"enabled": false, "disabled_reason": "gone"}, "next_try_time")
	c.alice.wantEvents("message", "account:settings")
	line := boss.get("/v2/organization/" + c.org + "/audit?action=webhook.disable").reply().list()
	if len(line) != 1 {
		t.Fatalf("the audit log has %d lines of it", len(line))
	}
	line[0].wantFields(fields{"on_account": c.alice.token, "on_key": path[strings.LastIndexByte(path, '/')+1:],
		"detail": "reason=gone", "outcome": "ok"})
	c.clock.Advance(time.Hour)
	c.deliver(c.alice)
	r.wantKinds()

	r.answers()
	c.alice.post(path, fields{"enabled": true}).want(204)
	c.deliver(c.alice)
	r.wantKinds("message")
	c.alice.get(path).reply().wantFields(fields{"enabled": true}, "disabled_reason")

	begun := c.clock.Now()
	c.bob.mustSend(c.alice.token, "two")
	r.mu.Lock()
	r.answer = func(_ int, w http.ResponseWriter) { w.WriteHeader(500) }
	r.mu.Unlock()
	c.deliver(c.alice)
	tries := 0
	for c.alice.get(path).reply().has("next_try_time") {
		next, err := time.Parse(time.RFC3339, c.alice.get(path).reply().text("next_try_time"))
		if err != nil {
			t.Fatal(err)
		}
		c.clock.Set(next)
		c.deliver(c.alice)
		tries++
	}
	if took := c.clock.Now().Sub(begun); took.Round(time.Second) != model.WebhookPatience || tries != 11 {
		t.Errorf("it was given up after %s and %d more tries", took, tries)
	}
	c.alice.get(path).reply().wantFields(fields{"enabled": false, "disabled_reason": "silent"})
	if n := c.webhooks.Counts.Gone.Load() + 10*c.webhooks.Counts.Silent.Load(); n != 11 {
		t.Errorf("the counts are %d, want 11", n)
	}
	// What came meanwhile is kept for seven days.
	r.answers()
	r.take()
	c.clock.Advance(24 * time.Hour)
	c.alice.post(path, fields{"enabled": true}).want(204)
	c.deliver(c.alice)
	r.wantKinds("message")
}

func TestAWebhookThatAcknowledgesIsAProgramOfTheQueue(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	before := c.bob.mustSend(c.alice.token, "before")
	c.bob.forgetEvents()
	r := newReceiver(t)
	path := r.mustHook(c.alice, c.alice, fields{"acknowledge": true, "events": "message"})
	group := c.bob.mustCreateGroup("Ward", c.alice)
	other := c.bob.mustSend(c.alice.token, "taken by another program")
	events := c.alice.events()
	c.alice.mustAck(events[len(events)-1].id)
	third := c.bob.mustSend(c.alice.token, "third")
	c.deliver(c.alice)
	got := r.wantKinds("message", "message")
	got[0].data.wantFields(fields{"message_id": before})
	got[1].data.wantFields(fields{"message_id": third})
	for _, e := range c.alice.events() {
		if e.kind == "message" {
			t.Errorf("message %s was not acknowledged", e.text("message_id"))
		}
	}
	delivered := 0
	for _, e := range ofKind(c.bob.events(), "message:status") {
		if id := e.text("client_id"); (id == before || id == third || id == other) && e.text("status") == "Delivered" {
			delivered++
		}
	}
	if delivered != 3 {
		t.Errorf("the sender was told of %d", delivered)
	}
	made := ofKind(c.alice.events(), "bang") // which does not go there, and so is not acknowledged
	if len(made) != 1 || made[0].text("target_entity", "token") != group {
		t.Errorf("the queue is %v, want the group", kindsOf(c.alice.events()))
	}
	// Sent again, from the beginning: the one that a program took is kept too.
	c.alice.post(path, fields{"from": c.clock.Now().Add(-time.Hour).UTC().Format(time.RFC3339)}).want(204)
	c.deliver(c.alice)
	again := r.wantKinds("message", "message", "message")
	if again[0].id != got[0].id || again[0].body == "" {
		t.Errorf("it came again as %s, before as %s", again[0].id, got[0].id)
	}
	c.deliver(c.alice)
	r.wantKinds()
}

func TestWhatIsAcknowledgedIsKeptForWebhooksSevenDays(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	r := newReceiver(t)
	path := r.mustHook(c.alice, c.alice, fields{"content": "full"})
	ack := func() {
		t.Helper()
		c.alice.mustAck(idsOf(c.alice.events())...)
		c.alice.wantEvents()
	}
	first := c.bob.mustSend(c.alice.token, "one")
	ack()
	c.bob.mustSend(c.alice.token, "two")
	recalled := c.bob.mustSend(c.alice.token, "recalled")
	ack()
	c.bob.delete("/v2/message/" + recalled).want(204)
	c.bob.mustSend(c.alice.token, "three")
	c.deliver(c.alice)
	got := r.take()
	var texts []string
	for _, p := range got {
		if p.kind == "message" {
			texts = append(texts, p.data.text("body"))
		}
	}
	if want := []string{"one", "two", "three"}; !slices.Equal(texts, want) {
		t.Errorf("the messages %q came, want %q", texts, want)
	}
	// Again from the first one, with the same ids.
	ack()
	c.alice.post(path, fields{"from": got[0].event}).want(204)
	c.deliver(c.alice)
	again := r.take()
	if len(again) != len(got) {
		t.Fatalf("%d events came again, want %d", len(again), len(got))
	}
	for i := range again {
		if again[i].id != got[i].id {
			t.Errorf("event %d came again as %s, before as %s", i, again[i].id, got[i].id)
		}
	}
	got[0].data.wantFields(fields{"message_id": first})

	// Of a conversation that alice removes nothing is sent any more, nor after seven days.
	c.alice.delete("/v2/roster/"+c.bob.token, jsonBody(fields{"type": "tigertext:entity:account"})).want(204)
	c.mustSweep()
	r.take()
	c.alice.post(path, fields{"from": got[0].event}).want(204)
	c.deliver(c.alice)
	for _, p := range r.take() {
		if p.kind == "message" {
			t.Errorf("a message of a conversation that is gone came: %s", p.body)
		}
	}
	c.bob.mustSend(c.alice.token, "four")
	ack()
	c.clock.Advance(model.WebhookKept + time.Minute)
	c.mustSweep()
	r.take()
	c.alice.post(path, fields{"from": got[0].event}).want(204)
	c.deliver(c.alice)
	r.wantKinds()
}

func TestAWebhookIsTested(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	r := newReceiver(t)
	path := r.mustHook(c.alice, c.alice, fields{"signature": "v1a"})
	c.alice.post(path, fields{"enabled": false}).want(204)
	c.alice.post(path+"/test", nil).reply().wantFields(fields{"type": "webhook.test", "outcome": "delivered",
		"response_status": 204, "try": 1}, "event_id")
	r.wantKinds("webhook.test")
	r.answers(503)
	c.alice.post(path+"/test", nil).reply().wantFields(fields{"outcome": "refused", "response_status": 503})
	first, second := r.wantKinds("webhook.test")[0], c.alice.get(path).reply().list("deliveries")
	if len(second) != 2 || first.id == "" {
		t.Errorf("%d tests are shown, want 2", len(second))
	}
	c.alice.post(path, fields{"url": "http://127.0.0.1:1/"}).want(204)
	c.alice.post(path+"/test", nil).reply().wantFields(fields{"outcome": "unreachable"}, "response_status")
	c.alice.get(path).reply().wantFields(fields{"enabled": false}, "failures", "failing_since")
}

func TestARotatedWebhookIsSignedTwiceForAWhile(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	r := newReceiver(t)
	path := r.mustHook(c.alice, c.alice, nil)
	old := r.secret
	rotated := c.alice.post(path+"/rotate", fields{"grace": 600}).reply().text("secret")
	send := func(secret string) {
		t.Helper()
		r.secret = secret
		c.bob.mustSend(c.alice.token, "hello")
		c.deliver(c.alice)
		r.wantKinds("message")
	}
	if rotated == old {
		t.Fatal("the secret is the same")
	}
	send(old)
	send(rotated)
	c.clock.Advance(601 * time.Second)
	send(rotated)
	send(c.alice.post(path+"/rotate", fields{"grace": 0}).reply().text("secret"))
}

// stamp is a time as the interface writes it.
func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }
