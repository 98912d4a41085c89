package metamorphic

import (
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/push"
	"signet/internal/store"
	"signet/internal/webhook"
)

// TestWebhooksGetEachEventOnceAndInOrder plays calls of everybody, and kills of the server, beside webhooks that
// are made, changed and deleted, whose receivers refuse now and then, and whose keys are revoked: each gets what is
// queued for its account from then on, in the order of the queue, each event once, and nothing once it has ended.
// Browsers in which people are told of messages change hands, and end with their keys. In the end an account is
// erased while something waits for a webhook of it.
func TestWebhooksGetEachEventOnceAndInOrder(t *testing.T) {
	template := newTemplate(t)
	rapid.Check(t, func(t *rapid.T) {
		h := newHooks(t, newPlay(t, template))
		h.open(t)
		h.compareAll(t)
		t.Repeat(map[string]func(*rapid.T){
			"send":            h.send,
			"send again":      h.send,
			"send to a group": h.sendToGroup,
			"acknowledge":     h.acknowledge,
			"delete events":   h.deleteEvents,
			"mark":            h.mark,
			"recall":          h.recall,
			"create group":    h.createGroup,
			"add to group":    h.addToGroup,
			"remove of group": h.removeFromGroup,
			"join":            h.join,
			"leave":           h.leave,
			"wait a little":   h.waitALittle,
			"wait long":       h.waitLong,
			"sweep":           h.sweep,
			"kill":            h.kill,
			"make":            h.make,
			"make another":    h.make,
			"change":          h.change,
			"delete":          h.delete,
			"revoke":          h.revoke,
			"refuse":          h.refuse,
			"subscribe":       h.subscribe,
			"unsubscribe":     h.unsubscribe,
			"":                h.compareAll,
		})
		h.erase(t)
	})
}

// hook is a webhook as the world knows it.
type hook struct {
	account *account
	id      model.WebhookID
	path    string
	key     string            // with which it ends; none: that with which its account calls
	secret  string            // of the key
	kinds   []model.EventKind // none: all
	over    bool              // its key was revoked
	refused bool              // the next try is
	want    []seenEvent       // since the last comparison
}

// hooks are a play with webhooks.
type hooks struct {
	*play
	webhooks *webhook.Webhooks
	receiver *receiver
	all      []*hook         // that are there, as they were made
	passed   map[*event]bool // what was queued before the last comparison

	pusher     *push.Pusher
	subscribed []subscription // as they were made or renewed
}

func newHooks(t *rapid.T, p *play) *hooks {
	h := &hooks{play: p, receiver: newReceiver(), passed: map[*event]bool{}}
	start := p.start
	p.start = func(t *rapid.T) error {
		if err := start(t); err != nil {
			return err
		}
		return h.attach()
	}
	if err := h.attach(); err != nil {
		t.Fatal(err)
	}
	return h
}

// attach has the server deliver, and take subscriptions.
func (h *hooks) attach() error {
	clock := func() time.Time { return h.world.now }
	h.webhooks = webhook.New(webhook.Options{
		Store: h.kept.Store, Access: h.service.Control, Cases: h.service.Service, Vault: h.service.vault,
		Hub: h.service.hub, Clock: clock, Due: clock, Log: slog.New(slog.DiscardHandler), Client: h.receiver,
		Check: func(string) error { return nil }, Write: h.receiver.write, Chance: func() float64 { return 0.5 },
	})
	h.kept.work.Register(h.webhooks.Kinds()...)
	return h.attachPusher()
}

// make makes a webhook with a key of its own.
func (h *hooks) make(t *rapid.T) {
	a := h.anybody(t, "whose")
	if len(h.of(a)) == 3 {
		t.Skip("there are enough")
	}
	h.tick()
	issued, err := h.service.IssueKey(t.Context(), h.actor(t, a), access.IssueKeyCommand{Account: "me"})
	agree(t, "issue a key", err, fine)
	by, err := h.service.Authenticate(t.Context(), issued.Key.Key, issued.Secret, netip.Addr{})
	agree(t, "a key", err, fine)
	w := &hook{account: a, path: h.aPath(), key: issued.Key.Key, secret: issued.Secret,
		kinds: h.someKinds(t)}
	made, err := h.webhooks.Create(t.Context(), by, "me", webhook.Command{URL: urlOf(w.path), Events: names(w.kinds),
		EventsSet: true, Content: rapid.SampledFrom([]string{"", "thin", "full"}).Draw(t, "content")})
	agree(t, "make a webhook", err, fine)
	w.id = made.ID
	h.all = append(h.all, w)
}

func (h *hooks) aPath() string {
	h.made++
	return fmt.Sprint("/", h.made)
}

func urlOf(path string) string { return "https://receiver.example.com" + path }

func (h *hooks) someKinds(t *rapid.T) []model.EventKind {
	return rapid.SampledFrom([][]model.EventKind{nil, nil, {model.EventMessage, model.EventGroupMessage},
		{model.EventStatus, model.EventGroupStatus, model.EventBang}}).Draw(t, "kinds")
}

func names(kinds []model.EventKind) (out []string) {
	for _, kind := range kinds {
		out = append(out, string(kind))
	}
	return out
}

// of are the webhooks of an account.
func (h *hooks) of(a *account) (out []*hook) {
	for _, w := range h.all {
		if w.account == a {
			out = append(out, w)
		}
	}
	return out
}

// aHook picks a webhook whose key was not revoked.
func (h *hooks) aHook(t *rapid.T) *hook {
	return pick(t, slices.DeleteFunc(slices.Clone(h.all), func(w *hook) bool { return w.over }), "webhook")
}

// change changes what goes to a webhook, or where to: whoever says that answers for it from then on.
func (h *hooks) change(t *rapid.T) {
	w := h.aHook(t)
	w.kinds = h.someKinds(t)
	in := webhook.Command{Events: names(w.kinds), EventsSet: true, Content: "full"}
	if rapid.Bool().Draw(t, "goes elsewhere") {
		w.path, w.key, w.refused = h.aPath(), "", false
		in.URL = urlOf(w.path)
	}
	h.tick()
	agree(t, "change a webhook", h.webhooks.Change(t.Context(), h.actor(t, w.account), "me", w.id, in), fine)
}

func (h *hooks) delete(t *rapid.T) {
	w := pick(t, h.all, "webhook")
	h.tick()
	agree(t, "delete a webhook", h.webhooks.Delete(t.Context(), h.actor(t, w.account), "me", w.id), fine)
	h.forget(w)
}

func (h *hooks) forget(w *hook) {
	h.all = slices.DeleteFunc(h.all, func(other *hook) bool { return other == w })
}

// revoke ends the key with which a webhook was made: it is disabled when there is something for it. That is told
// once for each account, so that one webhook of an account waits for it.
func (h *hooks) revoke(t *rapid.T) {
	w := h.aHook(t)
	if w.key == "" || slices.ContainsFunc(h.of(w.account), func(other *hook) bool { return other.over }) {
		t.Skip("its key stays")
	}
	h.tick()
	agree(t, "revoke a key", h.service.RevokeKey(t.Context(), h.actor(t, w.account), "me", w.key), fine)
	w.over = true
	h.subscribed = slices.DeleteFunc(h.subscribed, func(s subscription) bool { return s.key == w.key })
}

// refuse has the next try of a webhook refused.
func (h *hooks) refuse(t *rapid.T) {
	w := h.aHook(t)
	w.refused = true
	h.receiver.refuseNext(w.path)
}

// compareAll has all be delivered, and compares it with the queues.
func (h *hooks) compareAll(t *rapid.T) {
	h.settle(t)
	for _, a := range h.world.accounts {
		h.compareQueue(t, a, h.actor(t, a))
	}
	h.compareSubscriptions(t)
	for h.round(t) {
	}
	got, err := h.receiver.take()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range h.all {
		seen := []seenEvent{}
		for i := range got[w.path] {
			seen = append(seen, asSeenEvent(&got[w.path][i]))
		}
		wantSame(t, fmt.Sprintf("what webhook %s of %s gets", w.path, w.account.name), seen, append([]seenEvent{}, w.want...))
		w.want = nil
		delete(got, w.path)
	}
	wantSame(t, "what webhooks get that are no more", len(got), 0)
}

// round has what is new be delivered, and reports whether anything was.
func (h *hooks) round(t *rapid.T) (more bool) {
	h.deliver(t)
	fresh := map[*account][]*event{}
	for _, a := range h.world.accounts {
		for _, e := range a.queue {
			if !h.passed[e] {
				fresh[a], h.passed[e] = append(fresh[a], e), true
			}
		}
	}
	again := []*hook{}
	for _, w := range slices.Clone(h.all) {
		something := fresh[w.account]
		if len(something) == 0 {
			continue
		}
		more = true
		switch {
		case w.over:
			h.disable(w)
		case w.refused && len(h.wanted(w, something)) > 0:
			again = append(again, w)
		default:
			w.want = append(w.want, h.wanted(w, something)...)
		}
	}
	if len(again) > 0 {
		h.world.now = h.world.now.Add(6 * time.Second) // a try that failed is made again after 5 s
		h.deliver(t)
	}
	for _, w := range again {
		w.refused = false
		w.want = append(w.want, h.wanted(w, fresh[w.account])...)
	}
	return more
}

// disable ends a webhook whose key has ended, which its account is told.
func (h *hooks) disable(w *hook) {
	h.forget(w)
	w.account.withdraw(func(e *event) bool { return e.kind == model.EventSettings && e.organization == nil })
	h.world.tellSettings(w.account, nil)
}

// wanted are those of some events that go to a webhook now.
func (h *hooks) wanted(w *hook, some []*event) (out []seenEvent) {
	for _, e := range some {
		if slices.Contains(w.account.queue, e) && h.world.queued(w.account, e) &&
			(len(w.kinds) == 0 || slices.Contains(w.kinds, e.kind)) {
			out = append(out, e.seenBy(w.account))
		}
	}
	return out
}

// deliver has the server deliver what is due.
func (h *hooks) deliver(t *rapid.T) {
	t.Helper()
	for more := true; more; {
		waiting, err := store.Read(t.Context(), h.kept.Store, func(tx *store.Tx) ([]model.AccountID, error) {
			return tx.AwaitedWebhooks(model.AccountID{}, 100)
		})
		for _, account := range waiting {
			if err == nil {
				err = h.webhooks.Arm(t.Context(), account)
			}
		}
		if err == nil {
			err = h.kept.work.Settle(t.Context(), store.DeliverWebhook)
		}
		if err != nil {
			t.Fatal(err)
		}
		more = len(waiting) > 0
	}
}

// erase ends an account while something waits for a webhook of it: nothing goes there any more, and nothing is left.
func (h *hooks) erase(t *rapid.T) {
	operator, a := h.world.accounts[0], pick(t, h.world.accounts[1:], "erased")
	for _, w := range h.of(a) {
		h.receiver.refuseNext(w.path)
	}
	h.tick()
	if in := h.world.shared(operator, a); len(in) > 0 {
		l := &letter{from: operator, to: a, named: in[0], body: "the last one"}
		h.post(t, l)
	}
	h.deliver(t)
	if _, err := h.receiver.take(); err != nil {
		t.Fatal(err)
	}
	err := h.service.EraseUser(t.Context(), h.actor(t, operator),
		people.EraseCommand{Address: a.id.String(), Username: a.name})
	agree(t, "erase an account", err, fine)
	for range 2 {
		h.world.now = h.world.now.Add(time.Minute)
		h.deliver(t)
		if err := h.kept.sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := h.receiver.take()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range h.of(a) {
		wantSame(t, "what a webhook of an erased account gets", len(got[w.path]), 0)
	}
	for _, table := range []string{"webhooks", "webhook_deliveries", "kept_events", "events", "push_subscriptions"} {
		if n := h.number(t, `SELECT COUNT(*) FROM `+table+` WHERE account = ?`, a.id); n != 0 {
			t.Fatalf("of an erased account there are %d rows in %s", n, table)
		}
	}
}
