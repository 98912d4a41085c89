package storetest

import (
	"errors"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/piecework"
)

// mustEnter puts an account into a group, which is to get its history.
func (p *platform) mustEnter(t testing.TB, g *model.Group, account model.AccountID) {
	t.Helper()
	p.mustUpdate(t, func(tx *store.Tx) error {
		after, _, err := piecework.HistoryStart(tx, g.ID, p.now(), 10)
		if err != nil {
			return err
		}
		position, err := tx.Position(1, account)
		return errors.Join(err, tx.AddGroupMembers(g, []model.AccountID{account}, position, after, store.Stay{}))
	})
}

// mustReplay queues all that is still to come of a group's history.
func (p *platform) mustReplay(t testing.TB, g *model.Group) {
	t.Helper()
	p.mustUpdate(t, func(tx *store.Tx) error {
		for {
			if members, _, err := piecework.Replay(tx, g, p.now(), 100); err != nil || len(members) == 0 {
				return err
			}
		}
	})
}

// historiesOfThoseWhoLeave: members get once what was sent to them, whenever they leave.
func historiesOfThoseWhoLeave(t *testing.T, h conformance.Harness) {
	t.Run("have_once_what_was_queued_when_they_were_back", func(t *testing.T) {
		p, ann, bob := newPair(t, h)
		organization := p.mustOrganization(t, ann, bob)
		g := p.mustGroup(t, organization, ann, bob)
		read, ended, over := p.groupLetter(&g, ann), p.groupLetter(&g, ann), p.groupLetter(&g, ann)
		sent := []*store.MessageRow{read, ended, over}
		for _, m := range sent {
			p.mustUpdate(t, func(tx *store.Tx) (err error) { // whose events are to come in pieces
				m.Sort, err = tx.Position(1, ann, bob)
				return errors.Join(err, tx.InsertMessage(m), tx.InsertGroupDeliveries(m), tx.NoteSentToGroup(m))
			})
		}
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.RemoveGroupMembers(g.ID, []model.AccountID{bob}, 1) })
		p.mustEnter(t, &g, bob)
		for _, m := range sent {
			p.mustUpdate(t, func(tx *store.Tx) error {
				position, err := tx.Position(1, bob)
				return errors.Join(err, piecework.QueueLate(tx, m, []model.AccountID{bob}, position))
			})
		}
		p.mustReplay(t, &g)
		p.wantQueued(t, bob, sent...)
		p.wantUnread(t, bob, 0, 0)
		p.mustMarkRead(t, read, bob)
		p.wantUnread(t, bob, 0, 0)
		p.mustUpdate(t, func(tx *store.Tx) error { return takeBack(tx, ended) })
		p.wantUnread(t, bob, 0, 0)
		p.wantQueued(t, bob, read, over)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.EndMessage(organization, over.ID, p.now()) })
		p.wantUnread(t, bob, 0, 0)
	})
	t.Run("bring_what_was_sent_to_them", func(t *testing.T) {
		p, ann, bob, eve := newTrio(t, h)
		organization := p.mustOrganization(t, ann, bob, eve)
		g := p.mustGroup(t, organization, ann, eve)
		before := p.groupLetter(&g, ann)
		p.mustSend(t, before)
		p.mustEnter(t, &g, bob)
		first, second := p.groupLetter(&g, ann), p.groupLetter(&g, ann)
		p.mustSend(t, first)
		p.mustSend(t, second)
		p.wantQueued(t, bob)
		leaving := []model.AccountID{eve, bob}
		p.mustUpdate(t, func(tx *store.Tx) error {
			return errors.Join(piecework.QueueWaiting(tx, &g, leaving, p.now()), tx.RemoveGroupMembers(g.ID, leaving, 1))
		})
		p.mustReplay(t, &g)
		p.wantQueued(t, bob, first, second)
		p.wantQueued(t, eve, before, first, second)
	})
	t.Run("end_with_the_conversation_of_a_deleted_group", func(t *testing.T) {
		p, ann, bob := newPair(t, h)
		organization := p.mustOrganization(t, ann, bob)
		g := p.mustGroup(t, organization, ann)
		p.mustSend(t, p.groupLetter(&g, ann))
		p.mustEnter(t, &g, bob)
		g.Deleted = true
		p.mustUpdate(t, func(tx *store.Tx) error {
			position, err := tx.Position(1, bob)
			return errors.Join(err, tx.UpdateGroup(&g), tx.ClearGroup(bob, organization, g.ID, position))
		})
		p.mustReplay(t, &g)
		p.wantQueued(t, bob)
	})
}
