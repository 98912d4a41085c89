package storetest

import (
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/erasure"
)

func departures(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	first, second := p.mustOrganization(t, ann, bob, eve), p.mustOrganization(t, ann, bob)
	g := p.mustGroup(t, first, ann, bob)
	said, answered, apart := p.letter(first, ann, bob), p.letter(first, bob, ann), p.letter(first, ann, eve)
	toAll, elsewhere, history := p.groupLetter(&g, bob), p.letter(second, ann, bob), p.groupLetter(&g, ann)
	toAll.Replay, history.Replay = false, true
	removed := p.mustGroup(t, first, ann, bob)
	toRemoved := p.groupLetter(&removed, bob)
	toRemoved.Replay = false
	for _, m := range []*store.MessageRow{said, answered, apart, toAll, elsewhere, history, toRemoved} {
		p.mustSend(t, m)
	}
	note := func(organization model.OrganizationID, change func(*store.Tx) error) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error {
			if err := change(tx); err != nil {
				return err
			}
			return erasure.NoteDeparture(tx, organization)
		})
	}
	clear := func(account, other model.AccountID) func(*store.Tx) error {
		return func(tx *store.Tx) error {
			position, err := tx.Position(1, account)
			if err != nil {
				return err
			}
			return tx.ClearConversation(account, first, model.EntityID(other), position)
		}
	}
	clearGroup := func(account model.AccountID) func(*store.Tx) error {
		return func(tx *store.Tx) error {
			position, err := tx.Position(1, account)
			if err != nil {
				return err
			}
			return tx.ClearGroup(account, first, removed.ID, position)
		}
	}
	leave := func(account model.AccountID) func(*store.Tx) error {
		return func(tx *store.Tx) error { return tx.DeleteMembership(first, account) }
	}
	departure := func(tx *store.Tx) (erasure.Departure, bool, error) { return erasure.DepartureOf(tx, first) }
	// look goes through an organization in windows of one message, as between has it.
	look := func(between func(), want ...*store.MessageRow) {
		t.Helper()
		found := map[model.MessageID]bool{}
		for d, windows := mustFind(t, p, "the departure", departure), 0; !d.Over(); windows++ {
			var ids []model.MessageID
			p.mustUpdate(t, func(tx *store.Tx) (err error) {
				if ids, d, err = erasure.Unreadable(tx, d, 1); err != nil {
					return err
				}
				rows, err := erasure.UnreadableAmong(tx, first, ids)
				if len(rows) != len(ids) {
					t.Errorf("of %v there are %d", ids, len(rows))
				}
				if err != nil {
					return err
				}
				return erasure.KeepDeparture(tx, d)
			})
			for _, id := range ids {
				found[id] = true
			}
			if between != nil {
				between()
				between = nil
			}
			if windows > 20 {
				t.Fatal("there is no end")
			}
			if !d.Over() {
				d = mustFind(t, p, "the departure", departure) // as who goes on finds it
			}
		}
		wanted := map[model.MessageID]bool{}
		for _, m := range want {
			wanted[m.ID] = true
		}
		wantEqual(t, "what nobody can read", found, wanted)
	}

	wantMissing(t, p, "a departure at first", departure)
	note(first, clear(ann, bob))
	look(nil)
	wantMissing(t, p, "a departure afterwards", departure)
	note(first, clear(bob, ann))
	look(nil, said, answered)
	note(first, clearGroup(ann))
	look(nil, said, answered)
	note(first, clearGroup(bob))
	look(nil, said, answered, toRemoved)
	note(first, leave(bob))
	look(nil, said, answered, toRemoved)
	note(first, leave(ann))
	look(func() { note(first, func(*store.Tx) error { return nil }) }, said, answered, toRemoved, toAll)
	look(nil, said, answered, toRemoved, toAll) // again, as one was noted meanwhile
	wantMissing(t, p, "a departure at last", departure)
	note(first, leave(eve))
	look(nil, said, answered, toRemoved, toAll, apart)
	note(first, func(tx *store.Tx) error {
		g.Deleted = true
		return tx.UpdateGroup(&g)
	})
	look(nil, said, answered, toRemoved, toAll, apart, history)
}
