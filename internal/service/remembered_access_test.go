package service

import (
	"errors"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
)

// A server that is alone relies on what it has just read, too. What a command beside it takes
// away, of which nobody tells it, counts from its commit on.
func TestWhatIsRememberedEndsAsACommandEndsIt(t *testing.T) {
	type change func(tx *store.Tx, o model.OrganizationID, key string, ann, bob model.AccountID) error
	for what, end := range map[string]change{
		"the key ended": func(tx *store.Tx, _ model.OrganizationID, key string, _, _ model.AccountID) error {
			return tx.DeleteKeys([]string{key})
		},
		"the sender disabled": func(tx *store.Tx, _ model.OrganizationID, _ string, ann, _ model.AccountID) error {
			return tx.SetDisabled(ann, true)
		},
		"the sender erased": func(tx *store.Tx, _ model.OrganizationID, _ string, ann, _ model.AccountID) error {
			return errors.Join(erasure.CloseAccount(tx, ann), erasure.FinishAccount(tx, ann))
		},
		"the sender taken out": func(tx *store.Tx, o model.OrganizationID, _ string, ann, _ model.AccountID) error {
			return tx.DeleteMembership(o, ann)
		},
		"the recipient taken out": func(tx *store.Tx, o model.OrganizationID, _ string, _, bob model.AccountID) error {
			return tx.DeleteMembership(o, bob)
		},
		"the recipient erased": func(tx *store.Tx, _ model.OrganizationID, _ string, _, bob model.AccountID) error {
			return errors.Join(erasure.CloseAccount(tx, bob), erasure.FinishAccount(tx, bob))
		},
		"the organization ended": func(tx *store.Tx, o model.OrganizationID, _ string, _, _ model.AccountID) error {
			return erasure.EndOrganization(tx, o)
		},
	} {
		f := newFixture(t)
		o := f.organization()
		ann, bob := f.named("ann", o), f.named("bob", o)
		actor, err := f.service.access.Current(t.Context(), f.actor(ann))
		if err != nil {
			t.Fatal(err)
		}
		send := func() error {
			return second(f.service.Send(t.Context(), actor, SendCommand{Recipient: bob.String(), Body: "hello"}))
		}
		for range 2 { // the second one relies on what the first one has read
			if err := send(); err != nil {
				t.Fatal(err)
			}
		}
		f.mustUpdate(func(tx *store.Tx) error { return end(tx, o, actor.Key.Key, ann, bob) })
		if refused := new(model.Error); !errors.As(send(), &refused) {
			t.Errorf("%s: a message is not refused", what)
		}
	}
}
