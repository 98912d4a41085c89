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

// readerUses are when the programs of accounts called.
func readerUses(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	eve := p.mustAccount(t, "eve").ID
	ago := func(d time.Duration) time.Time { return p.now().Add(-d).Truncate(time.Millisecond) }
	issue := func(name string, account model.AccountID, created, used time.Time, login bool) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error {
			return tx.InsertKey(&model.Key{Key: name, Account: account, SecretHash: []byte(name), PreviousHash: []byte{},
				Counter: name, Created: created, LastUsed: used, Login: login})
		})
	}
	look := func(accounts ...model.AccountID) map[model.AccountID]overview.ReaderUse {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) (map[model.AccountID]overview.ReaderUse, error) {
			return overview.ReaderUses(tx, accounts)
		})
	}
	day, hour, minute := ago(24*time.Hour), ago(time.Hour), ago(time.Minute)
	issue("a program's", ann, day, hour, false)
	issue("another program's", ann, hour, minute, false)
	issue("a sign-in's", ann, ago(48*time.Hour), ago(0), true)
	issue("bob's sign-in's", bob, day, ago(0), true)
	issue("unused", bob, day, time.Time{}, false)
	issue("eve's", eve, day, hour, false)
	ofAnn, ofEve := overview.ReaderUse{Since: day, Last: minute}, overview.ReaderUse{Since: day, Last: hour}
	wantEqual(t, "of all", look(ann, bob, eve), map[model.AccountID]overview.ReaderUse{ann: ofAnn, eve: ofEve})
	wantEqual(t, "of one", look(eve), map[model.AccountID]overview.ReaderUse{eve: ofEve})
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.SetDisabled(eve, true) })
	wantEqual(t, "of one that is disabled", look(eve), map[model.AccountID]overview.ReaderUse{})
}

// backupNotes are what is known of backups, and when the next is due.
func backupNotes(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	asked := p.now().Truncate(time.Millisecond)
	due := func() time.Time {
		t.Helper()
		note := mustRead(t, p, (*store.Tx).LastBackup)
		return note.Due(time.Hour).UTC()
	}
	wantEqual(t, "before anybody asks", due(), time.Time{})
	note := func(fault error) {
		t.Helper()
		if fault != nil {
			t.Fatal(fault)
		}
	}
	note(p.AskBackups(t.Context(), asked))
	note(p.AskBackups(t.Context(), asked.Add(time.Minute))) // only the first counts
	wantEqual(t, "before the first", due(), asked.Add(time.Hour))
	note(p.NoteFailedBackup(t.Context(), asked.Add(2*time.Minute)))
	wantEqual(t, "after one that failed", due(), asked.Add(time.Hour))
	note(p.NoteBackup(t.Context(), asked.Add(3*time.Minute), time.Second, 7, 2))
	wantEqual(t, "after one", due(), asked.Add(63*time.Minute))
	got := mustRead(t, p, (*store.Tx).LastBackup)
	if !got.Failed.Equal(asked.Add(2*time.Minute)) || got.Bytes != 7 || got.Took != time.Second || got.Lost != 2 {
		t.Errorf("the note is %+v", got)
	}
}
