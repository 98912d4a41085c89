package stream

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
	"signet/internal/testenv"
)

// changes are the accounts in the log of changes of access.
func (j *nodes) changes() (accounts []model.AccountID) {
	j.t.Helper()
	var changes []store.AccessChange
	j.must(j.store.View(j.t.Context(), func(tx *store.Tx) error {
		changes = nil
		if err := tx.AskAccessChanges(&changes); err != nil {
			return err
		}
		return tx.Await()
	}))
	for _, c := range changes {
		accounts = append(accounts, c.Account)
	}
	return accounts
}

// Whatever takes access away in one transaction, on whichever server, ends what is read on
// another one in its next round.
func TestWhatTakesAccessAwayEndsReadersOnEachNode(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 0)
	stays := j.stream(1, j.one)
	home := func(of *model.Actor) model.OrganizationID { return of.Memberships[0].Organization }
	for name, do := range map[string]func(tx *store.Tx, of *model.Actor) error{
		"key":          func(tx *store.Tx, of *model.Actor) error { return tx.DeleteKeys([]string{of.Key.Key}) },
		"secret":       func(tx *store.Tx, of *model.Actor) error { return tx.RotateKey(of.Key.Key, []byte{1}, time.Time{}) },
		"membership":   func(tx *store.Tx, of *model.Actor) error { return tx.DeleteMembership(home(of), of.Account) },
		"account":      func(tx *store.Tx, of *model.Actor) error { return tx.SetDisabled(of.Account, true) },
		"erasure":      func(tx *store.Tx, of *model.Actor) error { return erasure.CloseAccount(tx, of.Account) },
		"organization": func(tx *store.Tx, of *model.Actor) error { return erasure.EndOrganization(tx, home(of)) },
	} {
		of := j.member(j.organization(), name)
		ends := j.stream(1, of)
		j.round(1) // which has looked at it once
		j.must(j.store.Update(t.Context(), func(tx *store.Tx) error { return do(tx, of) }))
		j.round(1)
		ends.wantEnd()
	}
	stays.wantOpen()
}

// What was changed by hand is in no log: it is found once a minute.
func TestAllReadersAreLookedAtOnceAMinute(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 0)
	reader := j.stream(1, j.one)
	j.round(1)
	j.must(j.store.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(`DELETE FROM keys WHERE api_key = ?`, j.one.Key.Key)
		return err
	}))
	j.clock.Advance(lookThrough - time.Second)
	j.round(1)
	reader.wantOpen()
	j.clock.Advance(time.Second)
	j.round(1)
	reader.wantEnd()
}

// Who is let in by what the node remembers, after it has seen the change, does not stay.
func TestAReaderThatComesLateIsLookedAt(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 0)
	key := j.issue(j.one)
	remembered := j.signIn(j.servers[1], key.Key.Key, key.Secret)
	j.must(j.store.Update(t.Context(), func(tx *store.Tx) error { return tx.DeleteKeys([]string{remembered.Key.Key}) }))
	j.round(1)
	late := j.stream(1, remembered)
	j.round(1)
	late.wantEnd()
}

// A change is forgotten once every node has had the time to see it.
func TestSeenChangesAreForgotten(t *testing.T) {
	t.Parallel()
	j := newPeople(t, 0)
	j.clock.Advance(changeKept)
	j.round(0)
	j.clock.Advance(changeKept)
	j.round(0)
	if left := j.changes(); len(left) > 0 {
		t.Fatalf("changes are left of %v", left)
	}
	key := j.issue(j.one)
	j.must(j.servers[0].RevokeKey(t.Context(), j.one, "me", key.Key.Key))
	j.clock.Advance(changeKept) // nobody has looked
	j.round(0)
	j.clock.Advance(changeKept - time.Second)
	j.round(0)
	if left := j.changes(); len(left) != 1 || left[0] != j.one.Account {
		t.Errorf("changes of %v are there, want that of %v", left, j.one.Account)
	}
	j.clock.Advance(time.Second)
	j.round(0)
	if left := j.changes(); len(left) > 0 {
		t.Errorf("changes are left of %v", left)
	}
	j.round(0) // which knows nothing of it any more
	if known := len(j.servers[0].node.access.seen); known > 0 {
		t.Errorf("%d changes are remembered", known)
	}
}

// A stream is not woken for the position at which it was opened, and is for what was queued
// before that and is not in what it has.
func TestAnOpenedStreamIsNotWokenForNothing(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 0)
	s := j.servers[1]
	has, err := s.Unacknowledged(t.Context(), j.one, "")
	j.must(err)
	for upTo, want := range map[int64]bool{has.Last: false, has.Last - 1: true} {
		sub := s.hub.Subscribe(live.Subscriber{Account: j.one.Account, Key: j.one.Key.Key, Stream: true,
			ID: model.StreamID(uuid.Must(uuid.NewV7()))})
		defer sub.Close()
		_, err := s.node.open(t.Context(), sub, upTo)
		j.must(err)
		j.must(s.node.look(t.Context()))
		if woken := sub.Take().Look; woken != want {
			t.Errorf("a stream that has its queue up to %d of %d: woken %t, want %t", upTo, has.Last, woken, want)
		}
	}
}

// A node that is busy with something else ends all the same what may not be read any more.
func TestABusyNodeEndsWhatMayNotBeReadAnyMore(t *testing.T) {
	t.Parallel()
	j := newPeople(t, 0)
	leaves, ends := j.stream(1, j.pal), j.stream(1, j.one)
	busy := j.servers[1]
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		busy.node.Run(ctx)
	}()
	defer func() {
		stop()
		<-stopped
	}()
	busy.engine.gate.Lock()
	defer busy.engine.gate.Unlock()
	leaves.close() // which the node is to write, and cannot
	j.must(j.store.Update(t.Context(), func(tx *store.Tx) error { return tx.DeleteKeys([]string{j.one.Key.Key}) }))
	ends.wantEnd()
}
