package storetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
)

// longList is as long as a group may be.
const longList = 2000

// largeBatches: a group of two thousand goes through every call that takes many.
func largeBatches(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	people := make([]model.AccountID, longList)
	p.mustUpdate(t, func(tx *store.Tx) error {
		for i := range people {
			people[i] = model.AccountID{0: 7}
			binary.BigEndian.PutUint32(people[i][12:], uint32(i))
			if err := tx.InsertAccount(&model.Account{ID: people[i], DisplayName: "x", Created: p.now()}, ""); err != nil {
				return err
			}
		}
		return nil
	})
	organization := p.mustOrganization(t, people...)
	g := p.mustGroup(t, organization, people...)
	m := p.groupLetter(&g, people[0])
	m.Sealed = bytes.Repeat([]byte{7}, 64<<10)
	p.mustSend(t, m)

	t.Run("are_read_whole", func(t *testing.T) {
		all := mustRead(t, p, func(tx *store.Tx) ([]model.Account, error) { return tx.Accounts(people) })
		wantEqual(t, "accounts", len(all), longList)
		in := mustRead(t, p, func(tx *store.Tx) ([]model.Membership, error) { return tx.MembershipsIn(organization, people) })
		wantEqual(t, "memberships", len(in), longList)
		members := mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) { return tx.GroupMembers(g.ID) })
		wantEqual(t, "members in order", members, people)
		copies := mustRead(t, p, func(tx *store.Tx) ([]store.Delivery, error) {
			return tx.Deliveries([]model.OrganizationID{organization}, m.ID)
		})
		wantEqual(t, "copies", len(copies), longList-1)
		for _, reader := range []model.AccountID{people[1], people[longList-1]} {
			p.wantQueued(t, reader, m)
			p.wantUnread(t, reader, 1, 0)
		}
	})
	t.Run("are_changed_whole", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error {
			position, err := tx.Position(2, people...)
			return errors.Join(err,
				tx.InsertEvents(people, position, organization, model.EventUpdate, model.MessageID{}, []byte("changed")),
				takeBack(tx, m),
				tx.RemoveGroupMembers(g.ID, people[longList/2:], 1),
				tx.RemoveGroupMembers(g.ID, people[longList/2:], 1))
		})
		for _, reader := range []model.AccountID{people[1], people[longList-1]} {
			p.wantPayloads(t, reader, "changed")
			p.wantUnread(t, reader, 0, 0)
		}
		wantEqual(t, "members", mustRead(t, p, func(tx *store.Tx) (int, error) { return tx.CountGroupMembers(g.ID) }),
			longList/2)
		wantEqual(t, "length of a roster", len(p.mustRoster(t, people[longList-1])), 0)
	})
	t.Run("of_events_are_acknowledged_whole", func(t *testing.T) {
		reader := people[1]
		var positions []int64
		p.mustUpdate(t, func(tx *store.Tx) error {
			first, err := tx.Position(longList, reader)
			positions = positions[:0]
			for i := range int64(longList) {
				positions = append(positions, first+i)
				err = errors.Join(err, tx.InsertEvent(reader, first+i, organization, model.EventFriends, model.MessageID{},
					[]byte("{}")))
			}
			return err
		})
		p.mustUpdate(t, func(tx *store.Tx) error {
			arrivals, _, err := tx.Arrivals(reader, positions, 0, p.now())
			wantEqual(t, "messages among them", len(arrivals), 0)
			return errors.Join(err, tx.DeleteEventsAt(reader, positions))
		})
		p.wantPayloads(t, reader, "changed")
	})
}

// erase: it may be called at any time and takes nothing that is not deleted.
func erase(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	organization := p.mustOrganization(t, ann, bob)
	var sent []*store.MessageRow
	for range 20 {
		m := p.letter(organization, ann, bob)
		m.Sealed = bytes.Repeat([]byte("content "), 500)
		p.mustSend(t, m)
		sent = append(sent, m)
	}
	for round := range 3 {
		m := sent[round]
		p.mustUpdate(t, func(tx *store.Tx) error {
			return errors.Join(takeBack(tx, m), tx.DeleteMessages(*m))
		})
		if err := p.Erase(t.Context()); err != nil {
			t.Errorf("erase: %v", err)
		}
		p.wantQueued(t, bob, sent[round+1:]...)
		p.wantUnread(t, bob, len(sent)-round-1, 0)
		for _, m := range sent[round+1:] {
			wantEqual(t, "message", mustFind(t, p, "it", p.found(m, organization)), *m)
		}
	}
}
