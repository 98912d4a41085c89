package metamorphic

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"pgregory.net/rapid"

	"signet/internal/egress"
	"signet/internal/push"
)

// browsers is how many there are in which people are told of messages: few, so that they change hands.
const browsers = 4

// What a browser subscribes with, from the example of RFC 8291.
const (
	p256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	auth   = "BTBZMqHH6r4Tts7J_aSIgg"
)

// subscription is a browser in which an account is told of messages.
type subscription struct {
	browser int
	account *account
	key     string // with which it ends; none: that with which its account calls
}

// host is the push service of a browser, by which it is known in lists.
func host(browser int) string { return fmt.Sprintf("browser%d.push.example.net", browser) }

// attachPusher has the server take subscriptions.
func (h *hooks) attachPusher() error {
	hosts, err := egress.ParseHosts([]string{"*.push.example.net"})
	if err != nil {
		return err
	}
	identity, err := push.NewIdentity(bytes.Repeat([]byte("secret"), 8))
	h.pusher = push.New(push.Options{Store: h.kept.Store, Access: h.service.Control, Identity: identity,
		Guard: egress.New(egress.Options{Hosts: hosts}), Clock: func() time.Time { return h.world.now },
		Log: slog.New(slog.DiscardHandler)})
	return err
}

// subscribe has an account told in a browser, which was perhaps another one's, with its own key or with that of a
// webhook of it.
func (h *hooks) subscribe(t *rapid.T) {
	a := h.anybody(t, "who")
	s := subscription{browser: rapid.IntRange(1, browsers).Draw(t, "browser"), account: a}
	actor := h.actor(t, a)
	if of := h.of(a); len(of) > 0 && of[0].key != "" && !of[0].over && rapid.Bool().Draw(t, "with its key") {
		by, err := h.service.Authenticate(t.Context(), of[0].key, of[0].secret, netip.Addr{})
		agree(t, "a key", err, fine)
		actor, s.key = by, of[0].key
	}
	h.tick()
	err := h.pusher.Subscribe(t.Context(), actor, "https://"+host(s.browser)+"/x", p256dh, auth)
	agree(t, "subscribe", err, fine)
	h.subscribed = slices.DeleteFunc(h.subscribed, func(old subscription) bool { return old.browser == s.browser })
	h.subscribed = append(h.subscribed, s)
}

func (h *hooks) unsubscribe(t *rapid.T) {
	a := h.anybody(t, "who")
	actor := h.actor(t, a)
	all, err := h.pusher.Subscriptions(t.Context(), actor)
	agree(t, "subscriptions", err, fine)
	shown := pick(t, all, "subscription")
	h.tick()
	agree(t, "unsubscribe", h.pusher.Unsubscribe(t.Context(), actor, shown.ID.String()), fine)
	h.subscribed = slices.DeleteFunc(h.subscribed, func(s subscription) bool { return host(s.browser) == shown.Host })
}

// compareSubscriptions compares the browsers of each account, in the order in which they subscribed.
func (h *hooks) compareSubscriptions(t *rapid.T) {
	for _, a := range h.world.accounts {
		all, err := h.pusher.Subscriptions(t.Context(), h.actor(t, a))
		agree(t, "subscriptions", err, fine)
		got, want := []string{}, []string{}
		for _, s := range all {
			got = append(got, s.Host)
		}
		for _, s := range h.subscribed {
			if s.account == a {
				want = append(want, host(s.browser))
			}
		}
		wantSame(t, "the browsers of "+a.name, got, want)
	}
}
