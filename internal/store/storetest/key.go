package storetest

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/quota"
)

func key(name string) func(*store.Tx) (model.Key, bool, error) {
	return func(tx *store.Tx) (model.Key, bool, error) { return tx.Key(name) }
}

func keys(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	plain := func(name string) model.Key {
		return model.Key{Key: name, Account: ann, SecretHash: []byte("hash of " + name), PreviousHash: []byte{},
			Counter: name, Created: p.now()}
	}
	insert := func(k model.Key) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertKey(&k) })
	}
	listed := func(account model.AccountID) []string {
		t.Helper()
		out := []string{}
		for _, k := range mustRead(t, p, func(tx *store.Tx) ([]model.Key, error) { return tx.Keys(account) }) {
			out = append(out, k.Key)
		}
		return out
	}

	t.Run("come_back_as_they_were", func(t *testing.T) {
		perDay, perSecond := 0, 7
		full := model.Key{
			Key: "Full", Account: bob, Kind: model.Administrative, SecretHash: []byte{0, 1, 0xff},
			PreviousHash: []byte("before"), PreviousUntil: p.now().Add(time.Minute),
			Counter: "another", IssuedBy: ann, Label: "Büro, ward 3", Device: "Ann's phone", Login: true, Session: true,
			Grants: p.now().Add(2 * time.Hour), Elevated: p.now().Add(time.Minute), ElevatedWith: "bare",
			MessagesPerDay:    &perDay,
			RequestsPerSecond: &perSecond,
			Created:           p.now(), LastUsed: p.now().Add(time.Second), Expires: p.now().Add(time.Hour),
			LastAddress: netip.MustParseAddr("2001:db8::7"),
			Networks:    model.Networks{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/48")},
		}
		insert(full)
		wantEqual(t, "full key", mustFind(t, p, "full", key("Full")), full)
		bare := plain("bare")
		insert(bare)
		wantEqual(t, "bare key", mustFind(t, p, "bare", key("bare")), bare)
		wantMissing(t, p, "a key of another case", key("full"))
		wantMissing(t, p, "no key", key(""))
	})
	t.Run("are_unique", func(t *testing.T) {
		again := plain("bare")
		err := p.Update(t.Context(), func(tx *store.Tx) error { return tx.InsertKey(&again) })
		wantError(t, "second insert", err, store.ErrConflict)
	})
	t.Run("are_listed_the_oldest_first", func(t *testing.T) {
		old := plain("old")
		old.Created = p.now().Add(-time.Hour)
		insert(old)
		wantEqual(t, "keys", listed(ann), []string{"old", "bare"})
		wantEqual(t, "keys of nobody", listed(p.id()), []string{})
	})
	t.Run("rotate_and_keep_the_secret_before", func(t *testing.T) {
		until := p.now().Add(time.Minute)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.RotateKey("bare", []byte("new"), until) })
		got := mustFind(t, p, "bare", key("bare"))
		wantEqual(t, "hashes", [][]byte{got.SecretHash, got.PreviousHash}, [][]byte{[]byte("new"), []byte("hash of bare")})
		wantEqual(t, "grace", got.PreviousUntil, until)
	})
	t.Run("have_a_label_that_a_rotation_keeps", func(t *testing.T) {
		label := func(text string) {
			t.Helper()
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.LabelKey("bare", text) })
			wantEqual(t, "label", mustFind(t, p, "bare", key("bare")).Label, text)
		}
		label("Wall display")
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.RotateKey("bare", []byte("new"), p.now()) })
		wantEqual(t, "label after a rotation", mustFind(t, p, "bare", key("bare")).Label, "Wall display")
		wantEqual(t, "label of another", mustFind(t, p, "old", key("old")).Label, "")
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.LabelKey("unknown", "x") })
		label("")
	})
	t.Run("are_elevated_with_a_new_secret_and_lowered", func(t *testing.T) {
		until, grace := p.now().Add(time.Hour), p.now().Add(time.Minute)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.ElevateKey("bare", []byte("newest"), grace, until, "old") })
		got := mustFind(t, p, "bare", key("bare"))
		wantEqual(t, "hashes", [][]byte{got.SecretHash, got.PreviousHash}, [][]byte{[]byte("newest"), []byte("new")})
		wantEqual(t, "times", []time.Time{got.Elevated, got.PreviousUntil}, []time.Time{until, grace})
		wantEqual(t, "what is issued with it", mustRead(t, p, func(tx *store.Tx) ([]string, error) {
			return tx.KeysIssuedWith(ann, []string{"old"})
		}), []string{"bare"})
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.LowerKey("bare") })
		got = mustFind(t, p, "bare", key("bare"))
		if !got.Elevated.IsZero() || got.ElevatedWith != "" {
			t.Errorf("lowered, it is elevated until %v with %q", got.Elevated, got.ElevatedWith)
		}
	})
	t.Run("get_limits_of_their_own_and_lose_them", func(t *testing.T) {
		none, many := 0, 1000
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.LimitKeys(ann, "bare", &none, &many) })
		got := mustFind(t, p, "bare", key("bare"))
		wantEqual(t, "limits", []int{*got.MessagesPerDay, *got.RequestsPerSecond}, []int{0, 1000})
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.LimitKeys(ann, "bare", nil, &none) })
		got = mustFind(t, p, "bare", key("bare"))
		if got.MessagesPerDay != nil || *got.RequestsPerSecond != 0 {
			t.Errorf("limits %v and %v, want none and 0", got.MessagesPerDay, got.RequestsPerSecond)
		}
		shares := plain("shares")
		shares.Counter = "bare"
		insert(shares)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.LimitKeys(ann, "bare", &many, nil) })
		for _, name := range []string{"bare", "shares"} {
			got := mustFind(t, p, name, key(name))
			wantEqual(t, "limits of "+name, []any{*got.MessagesPerDay, got.RequestsPerSecond}, []any{1000, (*int)(nil)})
		}
		if got := mustFind(t, p, "old", key("old")); got.MessagesPerDay != nil {
			t.Errorf("a key of another counter has %d", *got.MessagesPerDay)
		}
		for counter, want := range map[string]*int{"bare": &many, "old": nil, "nobody's": nil} {
			var perDay, perSecond *int
			err := p.View(t.Context(), func(tx *store.Tx) (err error) {
				perDay, perSecond, err = tx.LimitsOf(ann, counter)
				return err
			})
			if err != nil || perSecond != nil || model.LimitText(perDay) != model.LimitText(want) {
				t.Errorf("limits of the counter %s: %v, %v, %v, want %v", counter, perDay, perSecond, err, want)
			}
		}
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteKeys([]string{"shares"}) })
	})
	t.Run("remember_their_last_use_which_never_goes_back", func(t *testing.T) {
		for _, second := range []time.Duration{5, 9, 7} {
			p.mustUpdate(t, func(tx *store.Tx) error {
				at := model.KeyUse{At: p.now().Add(second * time.Second), From: netip.AddrFrom4([4]byte{192, 0, 2, byte(second)})}
				return tx.TouchKeys(map[string]model.KeyUse{"bare": at, "unknown": {At: p.now()}})
			})
		}
		got := mustFind(t, p, "bare", key("bare"))
		wantEqual(t, "last use", got.LastUsed, p.now().Add(9*time.Second))
		wantEqual(t, "where", got.LastAddress.String(), "192.0.2.9")
		p.mustUpdate(t, func(tx *store.Tx) error {
			return tx.TouchKeys(map[string]model.KeyUse{"bare": {At: p.now().Add(10 * time.Second)}})
		})
		wantEqual(t, "where, not known", mustFind(t, p, "bare", key("bare")).LastAddress, netip.Addr{})
	})
	t.Run("are_deleted", func(t *testing.T) {
		for range 2 {
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteKeys([]string{"bare"}) })
		}
		wantMissing(t, p, "it", key("bare"))
		wantEqual(t, "keys left", listed(ann), []string{"old"})
	})
	t.Run("expire", func(t *testing.T) {
		p := newPlatform(t, h)
		for name, change := range map[string]func(*model.Key){
			"never":       func(k *model.Key) {},
			"ends later":  func(k *model.Key) { k.Expires = p.now().Add(time.Second) },
			"ended":       func(k *model.Key) { k.Expires = p.now().Add(-time.Second) },
			"login, new":  func(k *model.Key) { k.Login = true },
			"login, used": func(k *model.Key) { k.Login, k.Created, k.LastUsed = true, p.now().Add(-100*time.Hour), p.now() },
			"login, idle": func(k *model.Key) {
				k.Login, k.Created, k.LastUsed = true, p.now().Add(-100*time.Hour), p.now().Add(-99*time.Hour)
			},
			"session, new": func(k *model.Key) { k.Login, k.Session = true, true },
			"session, idle": func(k *model.Key) {
				k.Login, k.Session, k.Created, k.LastUsed = true, true, p.now().Add(-11*time.Hour), p.now().Add(-10*time.Hour)
			},
			"session, used": func(k *model.Key) {
				k.Login, k.Session, k.Created, k.LastUsed = true, true, p.now().Add(-11*time.Hour), p.now()
			},
			"login, unused":    func(k *model.Key) { k.Login, k.Created = true, p.now().Add(-100*time.Hour) },
			"no login, unused": func(k *model.Key) { k.Created = p.now().Add(-100 * time.Hour) },
		} {
			k := plain(name)
			change(&k)
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertKey(&k) })
		}
		p.mustUpdate(t, func(tx *store.Tx) error {
			return tx.DeleteExpiredKeys(p.now(),
				store.IdleSince{Login: p.now().Add(-90 * time.Hour), Session: p.now().Add(-9 * time.Hour)})
		})
		left := map[string]bool{}
		for _, k := range mustRead(t, p, func(tx *store.Tx) ([]model.Key, error) { return tx.Keys(ann) }) {
			left[k.Key] = true
		}
		wantEqual(t, "keys left", left,
			map[string]bool{"never": true, "ends later": true, "login, new": true, "login, used": true,
				"session, new": true, "session, used": true, "no login, unused": true})
	})
}

func quotas(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	count := func(counter string, day int64) (n int) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			n, err = quota.CountMessage(tx, counter, day)
			return err
		})
		return n
	}
	sent := func(counter string, day int64) int {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) (int, error) { return quota.MessagesSent(tx, counter, day) })
	}

	t.Run("count_each_day_and_counter_alone", func(t *testing.T) {
		for i := range 3 {
			wantEqual(t, "first counter", count("a", 20000), i+1)
		}
		wantEqual(t, "another day", count("a", 20001), 1)
		wantEqual(t, "another counter", count("A", 20000), 1)
		wantEqual(t, "sent", []int{sent("a", 20000), sent("a", 20001), sent("A", 20000), sent("b", 20000)}, []int{3, 1, 1, 0})
	})
	t.Run("of_accounts_are_found_when_their_day_is_past", func(t *testing.T) {
		ann := model.AccountID{1}
		counter := quota.Counter(ann, "kind", "key:1")
		for range 3 {
			count(counter, 20000)
		}
		count(counter, 20001)
		account, kind, key := quota.ParseCounter(counter)
		wantEqual(t, "read again", []any{account, kind, key}, []any{ann, "kind", "key:1"})
		past := func(day, above int64) []quota.Count {
			return mustRead(t, p, func(tx *store.Tx) ([]quota.Count, error) { return quota.PastCounts(tx, day, above) })
		}
		want := []quota.Count{{Counter: counter, Day: 20000, Sent: 3}}
		wantEqual(t, "above 2", past(20001, 2), want)
		wantEqual(t, "above 3", past(20001, 3), []quota.Count(nil))
		count(counter, 20000) // after it was read
		for _, there := range []bool{true, false} {
			p.mustUpdate(t, func(tx *store.Tx) error {
				taken, found, err := quota.Take(tx, want[0])
				wantEqual(t, "found", found, there)
				if found {
					wantEqual(t, "taken", taken.Sent, 4)
				}
				return err
			})
		}
	})
	t.Run("of_an_account_that_ends_are_taken", func(t *testing.T) {
		ann, bob, at := model.AccountID{7}, model.AccountID{8}, time.Unix(20000*86400, 0)
		for _, account := range []model.AccountID{ann, bob} {
			count(quota.CounterOf(account), 20000)
			count(quota.Counter(account, "kind", "key:1"), 20001)
			p.mustUpdate(t, func(tx *store.Tx) error {
				_, err := quota.CountTold(tx, account, "o", at)
				return err
			})
		}
		told := fmt.Sprintf("%s:o:00", quota.ToldOf(ann))
		want := []quota.Count{{Counter: quota.CounterOf(ann), Day: 20000, Sent: 1},
			{Counter: quota.Counter(ann, "kind", "key:1"), Day: 20001, Sent: 1}, {Counter: told, Day: 20000, Sent: 1}}
		for _, want := range [][]quota.Count{want, nil} {
			p.mustUpdate(t, func(tx *store.Tx) error {
				taken, err := quota.TakeOf(tx, ann)
				slices.SortFunc(taken, func(a, b quota.Count) int { return strings.Compare(a.Counter, b.Counter) })
				wantEqual(t, "taken", taken, want)
				return err
			})
		}
		by := func(o model.OrganizationID) []quota.Count {
			return mustRead(t, p, func(tx *store.Tx) ([]quota.Count, error) { return quota.By(tx, o) })
		}
		count(quota.Counter(bob, "kind", "o"), 20000)
		count(quota.Counter(bob, "kind", "other"), 20000)
		wantEqual(t, "by an organization", len(by("o")), 2)
		wantEqual(t, "by another one", by("other"),
			[]quota.Count{{Counter: quota.Counter(bob, "kind", "other"), Day: 20000, Sent: 1}})
		wantEqual(t, "of another", sent(quota.CounterOf(bob), 20000), 1)
	})
	t.Run("are_forgotten_when_their_day_is_past", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error { return quota.DeleteBefore(tx, 20001) })
		wantEqual(t, "sent", []int{sent("a", 20000), sent("a", 20001), sent("A", 20000)}, []int{0, 1, 0})
	})
	t.Run("count_nothing_twice_and_lose_nothing", func(t *testing.T) {
		const workers, rounds = 6, 10
		p.everywhere(t, workers, func(worker int) error {
			for range rounds {
				err := p.Update(t.Context(), func(tx *store.Tx) error {
					_, err := quota.CountMessage(tx, "busy", 1)
					return err
				})
				if err != nil {
					return fmt.Errorf("count: %w", err)
				}
			}
			return nil
		})
		wantEqual(t, "sent", sent("busy", 1), workers*rounds)
	})
}

// everywhere runs as many workers at the same time on one store.
func (p *platform) everywhere(t *testing.T, workers int, work func(worker int) error) {
	t.Helper()
	conformance.Everywhere(t, []store.Engine{nil}, workers, func(_ store.Engine, worker int) error { return work(worker) })
}
