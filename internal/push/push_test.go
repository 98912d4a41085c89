package push

import (
	"bytes"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store/subscriptions"
	"signet/internal/webpush/webpushtest"
)

func mustIdentity(t *testing.T, secret string) *Identity {
	t.Helper()
	identity, err := NewIdentity([]byte(strings.Repeat(secret, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return identity
}

// What is stored of a subscription opens under the key of its installation, in its row, and whole.
func TestSubscriptionsOpenInTheirRowOnly(t *testing.T) {
	identity := mustIdentity(t, "a")
	p256dh, auth := webpushtest.NewBrowser(t).Keys()
	const endpoint = "https://push.example.net/secret"
	row := subscriptions.Subscription{Account: model.AccountID{1}, Mark: identity.seal.mark(endpoint)}
	var err error
	row.Sealed, err = identity.seal.close(row.Account, row.Mark, storedSubscription{endpoint, p256dh, auth})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := identity.seal.open(&row); err != nil || got.Endpoint.String() != endpoint {
		t.Errorf("got %v (%v)", got.Endpoint, err)
	}
	if bytes.Contains(row.Sealed, []byte("secret")) || bytes.Contains(row.Sealed, []byte(auth)) {
		t.Error("the row shows the subscription")
	}
	for name, change := range map[string]func(s *subscriptions.Subscription, i **Identity){
		"another account":      func(s *subscriptions.Subscription, _ **Identity) { s.Account = model.AccountID{3} },
		"another browser":      func(s *subscriptions.Subscription, i **Identity) { s.Mark = (*i).seal.mark("x") },
		"a flipped bit":        func(s *subscriptions.Subscription, _ **Identity) { s.Sealed[len(s.Sealed)-1] ^= 1 },
		"a part":               func(s *subscriptions.Subscription, _ **Identity) { s.Sealed = s.Sealed[:10] },
		"nothing":              func(s *subscriptions.Subscription, _ **Identity) { s.Sealed = nil },
		"another installation": func(_ *subscriptions.Subscription, i **Identity) { *i = mustIdentity(t, "b") },
	} {
		other, by := row, identity
		other.Sealed = slices.Clone(row.Sealed)
		change(&other, &by)
		if _, err := by.seal.open(&other); err == nil {
			t.Errorf("%s opens", name)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error tells the endpoint: %v", name, err)
		}
	}
}

func TestMarksAndTopicsStandForOne(t *testing.T) {
	one, other := mustIdentity(t, "a"), mustIdentity(t, "b")
	if !bytes.Equal(one.seal.mark("x"), one.seal.mark("x")) || bytes.Equal(one.seal.mark("x"), one.seal.mark("y")) ||
		bytes.Equal(one.seal.mark("x"), other.seal.mark("x")) {
		t.Error("a mark is not that of an endpoint and an installation")
	}
	ann, bob := model.AccountID{1}, model.AccountID{2}
	if topic := one.seal.topic(ann); len(topic) != 32 || topic != one.seal.topic(ann) || topic == one.seal.topic(bob) ||
		topic == other.seal.topic(ann) {
		t.Errorf("the topic %q is not that of an account and an installation", topic)
	}
}

func TestTargetsComeBackAsTheyWere(t *testing.T) {
	due := time.Date(2026, 11, 21, 8, 15, 30, 123e6, time.UTC)
	targets := []target{{account: model.AccountID{1}}, {account: model.AccountID{2}},
		{subscription: model.SubscriptionID{3}, pushes: 1 << 40, due: due, tries: 11, waited: true},
		{account: model.AccountID{4}}}
	got, err := parseTargets(encodeTargets(targets))
	for i := range got {
		if !got[i].due.IsZero() {
			got[i].due = got[i].due.UTC()
		}
	}
	if err != nil || !reflect.DeepEqual(got, targets) {
		t.Errorf("got %+v (%v), want %+v", got, err, targets)
	}
	whole := encodeTargets(targets)
	for _, wrong := range [][]byte{{0}, {1, 2}, {2, 1}, {9}, whole[:len(whole)-1], append(whole, 1)} {
		if got, err := parseTargets(wrong); err == nil {
			t.Errorf("%x was read: %v", wrong, got)
		}
	}
	organization, message, ok := parseSubject(subject(1<<40, model.MessageID{7}))
	if organization != 1<<40 || message != (model.MessageID{7}) || !ok {
		t.Errorf("the subject is %d %s", organization, message)
	}
	if _, _, ok := parseSubject([]byte("x")); ok {
		t.Error("half a subject was read")
	}
}

func TestWaitsOfFailures(t *testing.T) {
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	c := result{}
	var got []time.Duration
	for {
		next, more := c.retry(now)
		if !more {
			break
		}
		got = append(got, next.due.Sub(now))
		c.target = next
	}
	want := []time.Duration{5 * time.Second, 20 * time.Second, 80 * time.Second, 320 * time.Second, 1280 * time.Second}
	for range 6 {
		want = append(want, time.Hour)
	}
	if !slices.Equal(got, want) {
		t.Errorf("it waits %v, want %v", got, want)
	}
	for text, want := range map[string]time.Duration{"": 0, "120": 2 * time.Minute, " 3 ": 3 * time.Second, "soon": 0,
		"-1":                            0,
		"Sat, 21 Nov 2026 08:01:00 GMT": time.Minute, "Sat, 21 Nov 2026 07:00:00 GMT": 0} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

// That a host refuses is logged once an hour, and what is remembered for that has an end.
func TestHostsThatRefuseAreToldOfNowAndThen(t *testing.T) {
	var log strings.Builder
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	p := New(Options{Clock: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(&log, nil))})
	told := func() int { defer log.Reset(); return strings.Count(log.String(), "\n") }
	for i := range 3000 {
		p.tellRefused(fmt.Sprintf("%d.example.com", i))
		p.tellRefused(fmt.Sprintf("%d.example.com", i))
	}
	if n := told(); n != mostRefused || len(p.refused) != n {
		t.Errorf("%d hosts are told of, and %d remembered, want %d", n, len(p.refused), mostRefused)
	}
	now = now.Add(toldEvery)
	for range 2 {
		p.tellRefused("2999.example.com")
	}
	if n := told(); n != 1 || len(p.refused) != 1 {
		t.Errorf("an hour later %d hosts are told of, and %d remembered", n, len(p.refused))
	}
}
