package storetest

import (
	"errors"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
)

// arrivals: an acknowledgement finds what is New of its messages, and makes it Delivered.
func arrivals(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	organization := p.mustOrganization(t, ann, bob, eve)
	g := p.mustGroup(t, organization, ann, bob, eve)
	find := func(account model.AccountID, after int64, positions ...int64) (out []store.Arrival) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			out, _, err = tx.Arrivals(account, positions, after, p.now())
			return err
		})
		return out
	}
	arrival := func(m *store.MessageRow) store.Arrival {
		return store.Arrival{Organization: organization, Message: m.ID, Sender: m.Sender, Group: m.Group, Told: true}
	}
	first, second, third := p.letter(organization, ann, bob), p.groupLetter(&g, eve), p.letter(organization, ann, bob)
	third.Expires = p.now().Add(time.Minute)
	for _, m := range []*store.MessageRow{first, second, third} {
		p.mustSend(t, m)
	}
	note := p.mustNote(t, bob, organization, "note")
	all := []int64{note, third.Sort, second.Sort, first.Sort, 12, first.Sort}

	t.Run("come_in_the_order_of_the_queue", func(t *testing.T) {
		wantEqual(t, "all", find(bob, 0, all...), []store.Arrival{arrival(first), arrival(second), arrival(third)})
		wantEqual(t, "one", find(bob, 0, second.Sort), []store.Arrival{arrival(second)})
		wantEqual(t, "those after a position", find(bob, first.Sort, all...),
			[]store.Arrival{arrival(second), arrival(third)})
		wantEqual(t, "no message", len(find(bob, 0, note)), 0)
		wantEqual(t, "nothing", len(find(bob, 0)), 0)
		wantEqual(t, "those in another queue", len(find(p.id(), 0, all...)), 0)
	})
	t.Run("are_delivered_once_and_tell_the_sender", func(t *testing.T) {
		before := len(p.mustQueue(t, ann))
		p.mustUpdate(t, func(tx *store.Tx) error {
			position, err := tx.Position(1, ann)
			a := arrival(first)
			return errors.Join(err, tx.Deliver(bob, &a, p.now(), position, model.EventStatus, []byte("told")))
		})
		wantEqual(t, "all", find(bob, 0, all...), []store.Arrival{arrival(second), arrival(third)})
		d := mustFind(t, p, "copy", delivery(first, bob))
		queue := p.mustQueue(t, ann)
		if len(queue) != before+1 {
			t.Fatalf("the sender has %d events, want one more than %d", len(queue), before)
		}
		wantEqual(t, "event", queue[before],
			store.EventRow{Position: d.StatusEvent, Kind: model.EventStatus, Organization: organization, MessageID: first.ID,
				Payload: []byte("told")})
		wantEqual(t, "copy", d, store.Delivery{Message: first.ID, Account: bob, Position: first.Sort, Status: model.Delivered,
			StatusTime: p.now(), StatusEvent: d.StatusEvent})
	})
	t.Run("tell_nobody_who_has_left", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteMembership(organization, eve) })
		want := arrival(second)
		want.Told = false
		wantEqual(t, "that of who has left", find(bob, 0, second.Sort), []store.Arrival{want})
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.Deliver(bob, &want, p.now(), 0, model.EventGroupStatus, nil) })
		wantEqual(t, "copy", mustFind(t, p, "copy", delivery(second, bob)),
			store.Delivery{Message: second.ID, Account: bob, Position: second.Sort, Status: model.Delivered,
				StatusTime: p.now()})
		wantEqual(t, "queue of who has left", len(p.mustQueue(t, eve)), 0)
	})
	t.Run("are_none_that_are_over", func(t *testing.T) {
		wantEqual(t, "before its end", find(bob, 0, all...), []store.Arrival{arrival(third)})
		p.clock.Advance(time.Minute)
		wantEqual(t, "at its end", len(find(bob, 0, all...)), 0)
		recalled := p.letter(organization, ann, bob)
		p.mustSend(t, recalled)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.RecallMessage(recalled) })
		wantEqual(t, "recalled", len(find(bob, 0, recalled.Sort)), 0)
	})
	t.Run("of_a_groups_history_tell_nobody", func(t *testing.T) {
		old := p.groupLetter(&g, ann)
		p.mustSend(t, old)
		joe := p.mustAccount(t, "joe").ID
		p.mustUpdate(t, func(tx *store.Tx) error {
			position, err := tx.Position(1, joe)
			return errors.Join(err, tx.InsertDelivery(old, joe, position, true),
				tx.InsertEvent(joe, position, organization, model.EventGroupMessage, old.ID, nil))
		})
		want := arrival(old)
		want.Replayed, want.Told = true, false
		wantEqual(t, "history", find(joe, 0, mustFind(t, p, "copy", delivery(old, joe)).Position), []store.Arrival{want})
	})
}
