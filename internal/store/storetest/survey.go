package storetest

import (
	"errors"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/erasure"
	"signet/internal/store/overview"
	"signet/internal/store/sealing"
)

// backlog counts what the sweep has to do.
func backlog(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	organization, doomed := p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann, bob)
	look := func(limit int) overview.Backlog {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) (overview.Backlog, error) { return overview.BacklogAt(tx, p.now(), limit) })
	}
	wantEqual(t, "at first", look(10), overview.Backlog{})
	ends := p.now().Add(time.Minute).Truncate(time.Millisecond)
	for i := range 3 {
		m := p.letter(organization, ann, bob)
		m.Blob, m.Expires = p.id(), ends.Add(time.Duration(i)*time.Minute)
		m.Ends = m.Expires
		p.mustSend(t, m)
	}
	lasting := p.letter(organization, ann, bob)
	lasting.Blob = p.id()
	p.mustSend(t, lasting)
	wantEqual(t, "before one has ended", look(10), overview.Backlog{})
	p.clock.Advance(2 * time.Minute)
	wantEqual(t, "when two have ended", look(10), overview.Backlog{Messages: 2, Oldest: ends})
	wantEqual(t, "up to a limit", look(1), overview.Backlog{Messages: 1, Oldest: ends})
	p.mustUpdate(t, func(tx *store.Tx) error {
		return errors.Join(tx.RecallMessage(lasting), sealing.NoteKeyEnding(tx, organization, lasting.KeyDay()),
			erasure.EndOrganization(tx, doomed), erasure.NoteAccount(tx, bob, p.now()))
	})
	got := look(10)
	wantEqual(t, "with a recall, a deleted organization and an account that ended",
		overview.Backlog{Messages: got.Messages, Oldest: got.Oldest, Files: got.Files, Organizations: got.Organizations,
			Accounts: got.Accounts},
		overview.Backlog{Messages: 2, Oldest: ends, Files: 1, Organizations: 1, Accounts: 1})
	if got.Keys < 1 {
		t.Errorf("%d days whose keys may go, want one or more", got.Keys)
	}
}

// queueLengths are those of all queues, some at a time.
func queueLengths(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	ann, bob, eve := model.AccountID{1}, model.AccountID{2}, model.AccountID{0xff}
	look := func(after model.AccountID, limit int) []overview.QueueLength {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]overview.QueueLength, error) {
			return overview.QueueLengths(tx, after, limit)
		})
	}
	wantEqual(t, "at first", len(look(model.AccountID{}, 10)), 0)
	firstOfEve, firstOfAnn := p.mustNote(t, eve, "", "a"), p.mustNote(t, ann, "", "a")
	p.mustNote(t, eve, "", "b")
	firstOfBob := p.mustNote(t, bob, "", "a")
	want := []overview.QueueLength{{Account: ann, Events: 1, First: firstOfAnn},
		{Account: bob, Events: 1, First: firstOfBob},
		{Account: eve, Events: 2, First: firstOfEve}}
	wantEqual(t, "all", look(model.AccountID{}, 10), want)
	wantEqual(t, "the first two", look(model.AccountID{}, 2), want[:2])
	wantEqual(t, "the rest", look(bob, 2), want[2:])
	p.mustUpdate(t, func(tx *store.Tx) error {
		return errors.Join(tx.DeleteEventsAt(eve, []int64{firstOfEve}), tx.WithdrawAll(ann, "", 0, store.EndOfQueue))
	})
	got := look(model.AccountID{}, 10)
	wantEqual(t, "queues when some were acknowledged", len(got), 2)
	wantEqual(t, "eve's", got[1].Events, 1)
}
