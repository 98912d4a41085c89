package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
)

// mustFill queues so many events besides messages with an account, and returns their
// positions.
func (p *platform) mustFill(t testing.TB, account model.AccountID, organization model.OrganizationID,
	n int) (positions []int64) {
	t.Helper()
	p.mustUpdate(t, func(tx *store.Tx) error {
		positions = nil
		first, err := tx.Position(n, account)
		for i := range int64(n) {
			positions = append(positions, first+i)
			err = errors.Join(err, tx.InsertEvent(account, first+i, organization, model.EventFriends, model.MessageID{},
				fmt.Append(nil, i)))
		}
		return err
	})
	return positions
}

// mustWithdrawals are the parts of a queue that still lie there.
func (p *platform) mustWithdrawals(t testing.TB, account model.AccountID, want int) []store.Withdrawal {
	t.Helper()
	all := mustRead(t, p, func(tx *store.Tx) ([]store.Withdrawal, error) { return tx.Withdrawals(account) })
	wantEqual(t, "withdrawals", len(all), want)
	return all
}

// withdrawals: what is withdrawn from a long queue is out of it at once, and lies there
// until it is removed.
func withdrawals(t *testing.T, h conformance.Harness) {
	const many = 600
	seen := func(p *platform, account model.AccountID) (n int) {
		t.Helper()
		rows := p.mustQueue(t, account)
		wantEqual(t, "count", mustRead(t, p, func(tx *store.Tx) (int, error) { return tx.CountEvents(p.queue(account)) }),
			len(rows))
		return len(rows)
	}
	sweep := func(p *platform, bob model.AccountID) {
		t.Helper()
		for _, w := range p.mustWithdrawals(t, bob, 1) {
			after := int64(0)
			for more := true; more; {
				found := mustRead(t, p, func(tx *store.Tx) ([]int64, error) { return tx.Withdrawn(&w, after, 250) })
				p.mustUpdate(t, func(tx *store.Tx) error { return tx.RemoveEvents(w.Account, found) })
				if more = len(found) == 250; more {
					after = slices.Max(found)
				}
			}
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.FinishWithdrawal(&w) })
		}
		p.mustWithdrawals(t, bob, 0)
	}

	t.Run("of_all", func(t *testing.T) {
		p, ann, bob, _ := newTrio(t, h)
		organization := p.mustOrganization(t, ann, bob)
		m := p.letter(organization, ann, bob)
		p.mustSend(t, m)
		positions := p.mustFill(t, bob, organization, many)
		p.mustNote(t, ann, organization, "of another")
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.WithdrawAll(bob, "", 0, positions[many-2]) })
		wantEqual(t, "seen", seen(p, bob), 1)
		wantEqual(t, "of another", seen(p, ann), 1)
		wantEqual(t, "lying there", p.length(t, bob), many+1)
		arrivals := mustRead(t, p, func(tx *store.Tx) ([]store.Arrival, error) {
			arrivals, _, err := tx.Arrivals(bob, []int64{m.Sort}, 0, p.now())
			return arrivals, err
		})
		wantEqual(t, "messages that an acknowledgement brings", len(arrivals), 0)
		p.mustNote(t, bob, organization, "new")
		wantEqual(t, "seen with a new one", seen(p, bob), 2)
		sweep(p, bob)
		wantEqual(t, "lying there after the sweep", p.length(t, bob), 2)
		wantEqual(t, "seen after it", seen(p, bob), 2)
	})
	t.Run("of_an_organization", func(t *testing.T) {
		p, ann, bob, _ := newTrio(t, h)
		first, second := p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann, bob)
		p.mustFill(t, bob, first, many)
		p.mustNote(t, bob, second, "second")
		p.mustNote(t, bob, "", "none")
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.WithdrawEventsOf(bob, first, store.EndOfQueue) })
		p.wantPayloads(t, bob, "second", "none")
		sweep(p, bob)
		p.wantPayloads(t, bob, "second", "none")
		wantEqual(t, "lying there", p.length(t, bob), 2)
	})
	t.Run("of_a_scope", func(t *testing.T) {
		p, ann, bob, _ := newTrio(t, h)
		first, second := p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann, bob)
		p.mustFill(t, bob, first, many)
		p.mustNote(t, bob, second, "second")
		p.mustNote(t, bob, "", "none")
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.WithdrawAll(bob, first, 0, store.EndOfQueue) })
		p.wantPayloads(t, bob, "second")
		p.mustWithdrawals(t, bob, 2)
	})
	t.Run("twice", func(t *testing.T) {
		p, ann, bob, _ := newTrio(t, h)
		organization := p.mustOrganization(t, ann, bob)
		positions := p.mustFill(t, bob, organization, many)
		for _, position := range []int64{positions[10], positions[many-1]} {
			w := p.mustWithdrawals(t, bob, min(1, int(position-positions[10])))
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.WithdrawAll(bob, "", 0, position) })
			for i := range w { // one that was overtaken is not forgotten
				p.mustUpdate(t, func(tx *store.Tx) error { return tx.FinishWithdrawal(&w[i]) })
			}
		}
		wantEqual(t, "seen", seen(p, bob), 0)
	})
	t.Run("of_a_conversation", func(t *testing.T) {
		p, ann, bob, eve := newTrio(t, h)
		organization := p.mustOrganization(t, ann, bob, eve)
		first, other, second := p.letter(organization, ann, bob), p.letter(organization, eve, bob),
			p.letter(organization, ann, bob)
		for _, m := range []*store.MessageRow{first, other, second} {
			p.mustSend(t, m)
		}
		p.mustFill(t, bob, organization, many)
		var left *store.Withdrawal
		withdraw := func() {
			t.Helper()
			p.mustUpdate(t, func(tx *store.Tx) (err error) {
				left, err = tx.WithdrawConversation(bob, organization, model.EntityID(ann), second.Sort)
				return err
			})
		}
		withdraw()
		if left == nil || left.Entity != model.EntityID(ann) {
			t.Fatalf("of a long queue %+v is left to be removed", left)
		}
		sweep(p, bob)
		wantEqual(t, "lying there", p.length(t, bob), many+1)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.WithdrawEventsOf(bob, organization, store.EndOfQueue) })
		sweep(p, bob)
		p.mustSend(t, p.letter(organization, ann, bob))
		p.mustSend(t, p.letter(organization, eve, bob))
		second.Sort = store.EndOfQueue
		if withdraw(); left != nil {
			t.Errorf("of a short queue %+v is left to be removed", left)
		}
		wantEqual(t, "left of a short one", p.length(t, bob), 1)
	})
}

// queueLimit: what grows is noted, and its oldest events besides messages are found.
func queueLimit(t *testing.T, h conformance.Harness) {
	p, ann, bob, _ := newTrio(t, h)
	p.LimitQueues(100)
	organization := p.mustOrganization(t, ann, bob)
	grown := func() []model.AccountID {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) { return tx.GrownQueues(model.AccountID{}, 10) })
	}
	surplus := func(after int64, most int) int64 {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) (int64, error) { return tx.Surplus(bob, after, most) })
	}
	oldest := func(upTo int64, limit int) []int64 {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]int64, error) { return tx.OldestEvents(bob, upTo, limit) })
	}
	p.mustSend(t, p.letter(organization, ann, bob))
	wantEqual(t, "with a message", len(grown()), 0)
	positions := p.mustFill(t, bob, organization, 5)
	p.mustSend(t, p.letter(organization, ann, bob))
	wantEqual(t, "with other events", grown(), []model.AccountID{bob})
	wantEqual(t, "above five", surplus(0, 5), 0)
	wantEqual(t, "above three", surplus(0, 3), positions[1])
	wantEqual(t, "above three, of four", surplus(positions[0], 3), positions[1])
	wantEqual(t, "above three, of three", surplus(positions[1], 3), 0)
	wantEqual(t, "above none", surplus(0, 0), positions[4])
	wantEqual(t, "the oldest", oldest(positions[3], 10), positions[:4])
	wantEqual(t, "some of the oldest", oldest(positions[3], 2), positions[:2])
	reloads := func(after int64) bool {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) (bool, error) { return tx.WillReload(bob, after) })
	}
	wantEqual(t, "whether it will reload", reloads(0), false)
	p.mustUpdate(t, func(tx *store.Tx) error {
		return errors.Join(tx.QueueSettings(bob, ""), tx.ForgetGrowth(bob))
	})
	wantEqual(t, "whether it will reload then", reloads(positions[4]), true)
	wantEqual(t, "when it was looked at", len(grown()), 0)
}
