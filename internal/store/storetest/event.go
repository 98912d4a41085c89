package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/overview"
)

// mustNote queues an event without a message and returns its position.
func (p *platform) mustNote(t testing.TB, account model.AccountID, organization model.OrganizationID,
	payload string) (position int64) {
	t.Helper()
	p.mustUpdate(t, func(tx *store.Tx) (err error) {
		if position, err = tx.Position(1, account); err != nil {
			return err
		}
		return tx.InsertEvent(account, position, organization, model.EventFriends, model.MessageID{}, []byte(payload))
	})
	return position
}

// mustTrim removes what is older than a position from a queue, at most limit events.
func (p *platform) mustTrim(t testing.TB, account model.AccountID, position int64, limit int, want int64) {
	t.Helper()
	p.mustUpdate(t, func(tx *store.Tx) error {
		n, err := tx.DeleteEventsBefore(account, position, limit)
		wantEqual(t, "events removed", n, want)
		return err
	})
}

// length is how many events lie in a queue, seen or not.
func (p *platform) length(t testing.TB, account model.AccountID) int {
	t.Helper()
	all := mustRead(t, p, func(tx *store.Tx) ([]overview.QueueLength, error) {
		return overview.QueueLengths(tx, model.AccountID{}, 1e6)
	})
	for _, l := range all {
		if l.Account == account {
			return l.Events
		}
	}
	return 0
}

// wantPayloads compares what the queue says, in order.
func (p *platform) wantPayloads(t testing.TB, account model.AccountID, want ...string) {
	t.Helper()
	got := []string{}
	for _, e := range p.mustQueue(t, account) {
		got = append(got, string(e.Payload))
	}
	wantEqual(t, "queue", got, append([]string{}, want...))
}

func events(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	first, second := p.mustOrganization(t, ann, bob, eve), p.mustOrganization(t, ann, bob)

	t.Run("come_back_as_they_were", func(t *testing.T) {
		m := p.letter(first, ann, bob)
		m.Priority, m.Blob = 1, p.id()
		p.mustSend(t, m)
		note := p.mustNote(t, bob, "", `{"name":"Žofie 🐎"}`)
		want := []store.EventRow{
			{Position: m.Sort, Kind: model.EventMessage, Organization: first, MessageID: m.ID, Payload: []byte{}, Message: m},
			{Position: note, Kind: model.EventFriends, Payload: []byte(`{"name":"Žofie 🐎"}`)},
		}
		wantEqual(t, "queue", p.mustQueue(t, bob), want)
		p.mustMarkRead(t, m, bob)
		want[0].Status = model.Read
		wantEqual(t, "queue after the message was read", p.mustQueue(t, bob), want)
		wantEqual(t, "queue of the sender", len(p.mustQueue(t, ann)), 0)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.WithdrawAll(bob, "", 0, store.EndOfQueue) })
	})

	t.Run("are_read_in_order_and_in_parts", func(t *testing.T) {
		var positions []int64
		for i := range 7 {
			positions = append(positions, p.mustNote(t, bob, first, fmt.Sprint(i)))
			p.mustNote(t, eve, first, "of another")
		}
		part := func(after, upTo int64, limit int) (out string) {
			t.Helper()
			q := store.Queue{Account: bob, After: after, UpTo: upTo, Now: p.now()}
			for _, e := range mustRead(t, p, func(tx *store.Tx) ([]store.EventRow, error) { return tx.Events(q, limit, nil) }) {
				out += string(e.Payload)
			}
			n := mustRead(t, p, func(tx *store.Tx) (int, error) { return tx.CountEvents(q) })
			if limit > 7 {
				wantEqual(t, "count", n, len(out))
			}
			some := mustRead(t, p, func(tx *store.Tx) (*store.Asked[int], error) {
				asked, err := tx.AskCountEvents(q, 2)
				if err == nil {
					err = tx.Await()
				}
				return asked, err
			})
			wantEqual(t, "count up to 2", some.Row, min(n, 2))
			return out
		}
		wantEqual(t, "all", part(0, store.EndOfQueue, 100), "0123456")
		wantEqual(t, "the first three", part(0, store.EndOfQueue, 3), "012")
		wantEqual(t, "the next three", part(positions[2], store.EndOfQueue, 3), "345")
		wantEqual(t, "the last", part(positions[5], store.EndOfQueue, 100), "6")
		wantEqual(t, "up to one", part(positions[1], positions[3], 100), "23")
		wantEqual(t, "after the end", part(positions[6], store.EndOfQueue, 100), "")
		last := func(account model.AccountID) int64 {
			return mustRead(t, p, func(tx *store.Tx) (int64, error) { return tx.LastPosition(account) })
		}
		wantEqual(t, "last position", last(bob), positions[6])
		wantEqual(t, "last position of nobody", last(p.id()), 0)

		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteEventsAt(bob, []int64{positions[0], positions[3], 12}) })
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteEventsAt(bob, nil) })
		wantEqual(t, "all after an acknowledgement", part(0, store.EndOfQueue, 100), "12456")
		p.mustTrim(t, bob, positions[4], 1, 1)
		wantEqual(t, "all but the oldest", part(0, store.EndOfQueue, 100), "2456")
		p.mustTrim(t, bob, positions[4], 10, 1)
		wantEqual(t, "all that is young", part(0, store.EndOfQueue, 100), "456")
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.WithdrawAll(bob, "", 0, store.EndOfQueue) })
		wantEqual(t, "all after a deletion", part(0, store.EndOfQueue, 100), "")
		wantEqual(t, "queue of another", len(p.mustQueue(t, eve)), 7)
		var taken int64 // for which there never was an event
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			taken, err = tx.Position(1, bob)
			return err
		})
		wantEqual(t, "last one handed out", mustRead(t, p,
			func(tx *store.Tx) (int64, error) { return tx.HandedOut(bob) }), taken)
	})

	t.Run("of_one_organization_are_withdrawn_alone", func(t *testing.T) {
		p.mustNote(t, ann, first, "first")
		p.mustNote(t, ann, second, "second")
		p.mustNote(t, ann, "", "none")
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.WithdrawEventsOf(ann, first, store.EndOfQueue) })
		p.wantPayloads(t, ann, "second", "none")
	})

	t.Run("are_unique_by_position", func(t *testing.T) {
		position := p.mustNote(t, eve, first, "x")
		err := p.Update(t.Context(), func(tx *store.Tx) error {
			return tx.InsertEvent(eve, position, first, model.EventFriends, model.MessageID{}, nil)
		})
		wantError(t, "second event", err, store.ErrConflict)
	})

	t.Run("go_to_several_at_one_position", func(t *testing.T) {
		p, ann, bob, eve := newTrio(t, h)
		organization := p.mustOrganization(t, ann, bob)
		p.mustUpdate(t, func(tx *store.Tx) error {
			position, err := tx.Position(2, ann, bob, eve)
			return errors.Join(err,
				tx.InsertEvents([]model.AccountID{ann, bob, eve}, position, organization, model.EventFriends, model.MessageID{},
					[]byte("some")),
				tx.InsertEvents(nil, position, organization, model.EventFriends, model.MessageID{}, []byte("none")))
		})
		p.wantPayloads(t, ann, "some")
		p.wantPayloads(t, bob, "some")
		p.wantPayloads(t, eve) // of another organization
	})

	t.Run("are_found_queue_by_queue", func(t *testing.T) {
		p := newPlatform(t, h)
		want := []model.AccountID{{1}, {2}, {2, 1}, {0xff}}
		for _, account := range []model.AccountID{want[2], want[0], want[3], want[1]} {
			p.mustNote(t, account, "", "a")
			p.mustNote(t, account, "", "b")
		}
		var got []model.AccountID
		var account model.AccountID
		var oldest int64
		for found := true; found; {
			p.mustView(t, func(tx *store.Tx) (err error) {
				account, oldest, found, err = tx.NextQueue(account)
				return err
			})
			if found {
				got = append(got, account)
				wantEqual(t, "the oldest event", oldest, p.mustQueue(t, account)[0].Position)
			}
		}
		wantEqual(t, "accounts with events", got, want)
	})
}

// queueFilter: messages that are over for a reader are out of its queue, swept or not.
func queueFilter(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	organization := p.mustOrganization(t, ann, bob, eve)
	g := p.mustGroup(t, organization, ann, bob, eve)

	t.Run("ended", func(t *testing.T) {
		stays, ends := p.letter(organization, ann, bob), p.letter(organization, ann, bob)
		ends.Expires = p.now().Add(time.Minute)
		p.mustSend(t, ends)
		p.mustSend(t, stays)
		p.wantQueued(t, bob, ends, stays)
		p.clock.Advance(time.Minute)
		p.wantQueued(t, bob, stays)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.WithdrawAll(bob, "", 0, store.EndOfQueue) })
	})
	t.Run("recalled", func(t *testing.T) {
		m, other := p.groupLetter(&g, ann), p.groupLetter(&g, ann)
		p.mustSend(t, m)
		p.mustSend(t, other)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.RecallMessage(m) })
		p.wantQueued(t, bob, other)
		p.wantQueued(t, eve, other)
		p.mustUpdate(t, func(tx *store.Tx) error { return takeBack(tx, m) })
		for _, reader := range []model.AccountID{bob, eve} {
			wantEqual(t, "rows left", p.length(t, reader), 1)
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.WithdrawAll(reader, "", 0, store.EndOfQueue) })
		}
	})
	t.Run("read_and_gone_for_one_reader", func(t *testing.T) {
		m, plain := p.groupLetter(&g, ann), p.groupLetter(&g, ann)
		m.DOR = true
		p.mustSend(t, m)
		p.mustSend(t, plain)
		p.mustMarkRead(t, m, bob)
		p.mustMarkRead(t, plain, bob)
		p.clock.Advance(model.ReadGrace - time.Millisecond)
		p.wantQueued(t, bob, m, plain)
		p.clock.Advance(time.Millisecond)
		p.wantQueued(t, bob, plain)
		p.wantQueued(t, eve, m, plain)
	})
	t.Run("what_holds_no_content_stays", func(t *testing.T) {
		joe := p.mustAccount(t, "joe").ID
		p.mustUpdate(t, func(tx *store.Tx) error {
			position, err := tx.Position(1, joe)
			return errors.Join(err, tx.InsertEvent(joe, position, organization, model.EventStatus, p.id(), []byte("status")))
		})
		p.wantPayloads(t, joe, "status")
	})
	t.Run("older_than_asked_for", func(t *testing.T) {
		sam := p.mustAccount(t, "sam").ID
		p.mustNote(t, sam, organization, "old")
		p.clock.Advance(time.Hour)
		p.mustNote(t, sam, organization, "new")
		q := p.queue(sam)
		q.After = p.now().Add(-time.Minute).UnixMicro()
		wantEqual(t, "count", mustRead(t, p, func(tx *store.Tx) (int, error) { return tx.CountEvents(q) }), 1)
		p.mustTrim(t, sam, q.After, 10, 1)
		p.wantPayloads(t, sam, "new")
	})
}
