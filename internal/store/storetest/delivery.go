package storetest

import (
	"slices"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
)

func delivery(m *store.MessageRow, account model.AccountID) func(*store.Tx) (store.Delivery, bool, error) {
	return func(tx *store.Tx) (store.Delivery, bool, error) { return tx.Delivery(m.Organization, m.ID, account) }
}

func deliveries(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	joe := p.mustAccount(t, "joe").ID
	organization := p.mustOrganization(t, ann, bob, eve, joe)
	g := p.mustGroup(t, organization, ann, bob, eve)
	m := p.groupLetter(&g, ann)
	p.mustSend(t, m)
	other := p.groupLetter(&g, ann)
	p.mustSend(t, other)
	advance := func(account model.AccountID, status model.Status, at time.Time) (moved bool) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error {
			moved = false
			return tx.AskAdvance(organization, m.ID, account, status, at, &moved)
		})
		return moved
	}
	least := func() (status model.Status, last time.Time) {
		t.Helper()
		p.mustView(t, func(tx *store.Tx) (err error) {
			all, err := tx.StatusesOf(organization, m.ID)
			status, last = all.Least, all.Last
			return err
		})
		return status, last
	}

	t.Run("go_to_every_member_but_the_sender", func(t *testing.T) {
		for _, reader := range []model.AccountID{bob, eve} {
			wantEqual(t, "copy", mustFind(t, p, "copy", delivery(m, reader)),
				store.Delivery{Message: m.ID, Account: reader, Position: m.Sort, StatusTime: m.Created})
		}
		wantMissing(t, p, "a copy of the sender", delivery(m, ann))
		wantMissing(t, p, "a copy of a stranger", delivery(m, joe))
	})
	t.Run("are_one_for_each_account", func(t *testing.T) {
		err := p.Update(t.Context(), func(tx *store.Tx) error { return tx.InsertDelivery(m, bob, 1, false) })
		wantError(t, "second copy", err, store.ErrConflict)
	})
	t.Run("advance_and_never_go_back", func(t *testing.T) {
		status, _ := least()
		wantEqual(t, "least of all", status, model.New)
		first, second := p.now().Add(time.Second), p.now().Add(2*time.Second)
		wantEqual(t, "moved to Delivered", advance(bob, model.Delivered, first), true)
		wantEqual(t, "moved to Delivered again", advance(bob, model.Delivered, second), false)
		wantEqual(t, "moved to Read", advance(bob, model.Read, second), true)
		wantEqual(t, "moved back", advance(bob, model.Delivered, p.now().Add(time.Minute)), false)
		got := mustFind(t, p, "copy", delivery(m, bob))
		wantEqual(t, "copy", got, store.Delivery{Message: m.ID, Account: bob, Position: m.Sort,
			Status: model.Read, StatusTime: second})
		wantEqual(t, "moved for a stranger", advance(joe, model.Read, second), false)
		status, _ = least()
		wantEqual(t, "least of all", status, model.New)
		wantEqual(t, "moved the last one", advance(eve, model.Read, first), true)
		status, last := least()
		wantEqual(t, "least of all", status, model.Read)
		wantEqual(t, "when the last one read it", last, second)
		wantEqual(t, "another message", mustFind(t, p, "copy", delivery(other, bob)).Status, model.New)
	})
	t.Run("as_history_count_in_no_status", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertDelivery(m, joe, m.Sort+100, true) })
		wantEqual(t, "copy", mustFind(t, p, "copy", delivery(m, joe)),
			store.Delivery{Message: m.ID, Account: joe, Position: m.Sort + 100, Replayed: true, StatusTime: m.Created})
		status, _ := least()
		wantEqual(t, "least of all", status, model.Read)
		var accounts []model.AccountID
		for _, d := range mustRead(t, p,
			func(tx *store.Tx) ([]store.Delivery, error) {
				return tx.Deliveries([]model.OrganizationID{organization}, m.ID)
			}) {
			accounts = append(accounts, d.Account)
		}
		wantSame(t, "those to whom it was sent", accounts, bob, eve)
		wantSame(t, "those who have it",
			mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) { return tx.DeliveredTo(organization, m.ID) }), bob,
			eve, joe)
	})
	t.Run("of_several_messages", func(t *testing.T) {
		organizations, both := []model.OrganizationID{organization}, []model.MessageID{m.ID, other.ID}
		got := mustRead(t, p,
			func(tx *store.Tx) (out []store.Delivery, err error) {
				if err = tx.AskDeliveriesTo(joe, organizations, both, &out); err == nil {
					err = tx.Await()
				}
				return out, err
			})
		wantEqual(t, "copies of joe", got,
			[]store.Delivery{{Message: m.ID, Account: joe, Position: m.Sort + 100, Replayed: true, StatusTime: m.Created}})
		all := mustRead(t, p, func(tx *store.Tx) ([]store.Delivery, error) { return tx.Deliveries(organizations, both...) })
		wantEqual(t, "copies", len(all), 4)
		heads := mustRead(t, p,
			func(tx *store.Tx) ([]store.MessageRow, error) { return tx.MessageHeads(organizations, both, p.now()) })
		wantEqual(t, "heads", len(heads), 2)
		for _, head := range heads {
			wantEqual(t, "content of a head", len(head.Sealed), 0)
			wantEqual(t, "organization of a head", head.Organization, organization)
		}
	})
	t.Run("of_nobody_are_new", func(t *testing.T) {
		lonely := p.mustGroup(t, organization, ann)
		alone := p.groupLetter(&lonely, ann)
		p.mustSend(t, alone)
		var status model.Status
		var last time.Time
		p.mustView(t, func(tx *store.Tx) (err error) {
			all, err := tx.StatusesOf(organization, alone.ID)
			status, last = all.Least, all.Last
			return err
		})
		wantEqual(t, "status", status, model.New)
		wantEqual(t, "time", last, time.Time{})
		wantEqual(t, "those who have it",
			len(mustRead(t, p,
				func(tx *store.Tx) ([]model.AccountID, error) { return tx.DeliveredTo(organization, alone.ID) })),
			0)
	})
}

// wantSame compares accounts without regard to their order.
func wantSame(t testing.TB, what string, got []model.AccountID, want ...model.AccountID) {
	t.Helper()
	order := func(a, b model.AccountID) int { return slices.Compare(a[:], b[:]) }
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// statusEvents: of the changes of one copy the sender has one queued, the newest.
func statusEvents(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	organization := p.mustOrganization(t, ann, bob, eve)
	g := p.mustGroup(t, organization, ann, bob, eve)
	m := p.groupLetter(&g, ann)
	p.mustSend(t, m)
	tell := func(account model.AccountID, payload string) (position int64) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error {
			d, _, err := tx.Delivery(organization, m.ID, account)
			if err != nil {
				return err
			}
			if position, err = tx.Position(1, ann); err != nil {
				return err
			}
			return tx.ReplaceStatusEvent(m, &d, position, model.EventGroupStatus, []byte(payload))
		})
		return position
	}
	wantPayloads := func(want ...string) {
		t.Helper()
		got := []string{}
		for _, e := range p.mustQueue(t, ann) {
			wantEqual(t, "message of the event", e.MessageID, m.ID)
			wantEqual(t, "kind of the event", e.Kind, model.EventGroupStatus)
			got = append(got, string(e.Payload))
		}
		wantEqual(t, "queue of the sender", got, want)
	}

	tell(bob, `"bob delivered"`)
	tell(eve, `"eve delivered"`)
	wantPayloads(`"bob delivered"`, `"eve delivered"`)
	read := tell(bob, `"bob read"`)
	wantPayloads(`"eve delivered"`, `"bob read"`)
	wantEqual(t, "position of the event", mustFind(t, p, "copy", delivery(m, bob)).StatusEvent, read)
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteEventsAt(ann, []int64{read}) })
	tell(bob, `"bob confirmed"`)
	wantPayloads(`"eve delivered"`, `"bob confirmed"`)
}
