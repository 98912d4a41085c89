package people_test

import (
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/store"
	"signet/internal/testclock"
	"signet/internal/testenv"
)

// TestAServerThatIsSetUpHasNoLink: with an organization, two operators, none, or one that has
// a password.
func TestAServerThatIsSetUpHasNoLink(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	kept, clock := two(t)[0], testclock.New()
	link := people.NewFirstLink(kept, clock.Now)
	want := func(what string, offered bool) {
		t.Helper()
		secret, err := link.Make(t.Context())
		must(t, err)
		if (secret != "") != offered {
			t.Errorf("%s: there is a link: %t, want %t", what, secret != "", offered)
		}
	}
	update := func(fn func(tx *store.Tx) error) { t.Helper(); must(t, kept.Update(t.Context(), fn)) }
	want("no operator", false)
	must(t, people.MakeFirstOperator(t.Context(), kept, clock.Now(), "first", "secret of the first one"))
	want("one operator", true)
	all, err := people.Operators(t.Context(), kept)
	must(t, err)
	update(func(tx *store.Tx) error { return tx.SetPassword(all[0].Account, store.Password{Hash: "some"}) })
	want("one with a password", false)
	update(func(tx *store.Tx) error { return tx.SetPassword(all[0].Account, store.Password{}) })
	must(t, people.AddOperator(t.Context(), kept, clock.Now(), "maria", "second", "secret of the second"))
	want("two operators", false)
	must(t, people.EndOperator(t.Context(), kept, clock.Now(), "maria"))
	want("one again", true)
	update(func(tx *store.Tx) error {
		return tx.InsertOrganization(&model.Organization{ID: "o", Name: "General Hospital", Created: clock.Now()})
	})
	want("an organization", false)
}

func TestALinkIsTakenOnceAndInTime(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	kept, clock := two(t)[0], testclock.New()
	link := people.NewFirstLink(kept, clock.Now)
	if _, good := link.Take(""); good {
		t.Error("a link is taken that was never made")
	}
	must(t, people.MakeFirstOperator(t.Context(), kept, clock.Now(), "first", "secret of the first one"))
	secret, err := link.Make(t.Context())
	must(t, err)
	for _, try := range []struct {
		secret string
		after  time.Duration
		good   bool
	}{{"", 0, false}, {secret + " ", 0, false}, {secret, people.FirstLinkLife - 1, true}, {secret, 0, false}} {
		clock.Advance(try.after)
		if _, good := link.Take(try.secret); good != try.good {
			t.Errorf("%q: taken: %t, want %t", try.secret, good, try.good)
		}
	}
	secret, err = link.Make(t.Context())
	must(t, err)
	clock.Advance(people.FirstLinkLife)
	if _, good := link.Take(secret); good {
		t.Error("a link is taken after its hour")
	}
}
