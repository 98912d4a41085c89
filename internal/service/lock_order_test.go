package service

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/piecework"
	"signet/internal/testenv"
)

// Who forwards a message to the group that it is from locks the group first, as who recalls it does: neither is in the
// other's way.
func TestAForwardLocksTheGroupBeforeItsSource(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann, bob := c.member(o, "ann"), c.member(o, "bob")
	g, err := c.nodes[0].CreateGroup(t.Context(), ann,
		GroupCommand{CallOrganization: o, Members: []string{bob.Account.String()}})
	c.must(err)
	source := c.mustSend(ann, g.ID.String())
	c.wantNobodyInTheWay(
		func(tx *store.Tx) error { return tx.LockGroups(g.ID) },
		func(node *Service) error {
			_, err := node.Forward(context.Background(), bob, ForwardCommand{Message: source, Recipient: g.ID.String()})
			return err
		},
		func(tx *store.Tx) error { return tx.LockMessages([]model.OrganizationID{o}, source) })
}

// Who changes what is its own locks its queue before the rest, as who writes to it does; and who marks several messages
// locks them in one order, whatever they are.
func TestNobodyLocksInAnotherOrder(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann, bob := c.member(o, "ann"), c.member(o, "bob")
	queue := func(tx *store.Tx) error { return tx.LockQueues(ann.Account) }
	to := bob.Account.String()
	c.wantNobodyInTheWay(queue,
		func(node *Service) error { return node.AddToRoster(context.Background(), ann, to, o) },
		func(tx *store.Tx) error {
			return tx.ListConversation(ann.Account, o, model.EntityID(bob.Account))
		})
	unmute := func(tx *store.Tx) error { return tx.DeleteMutesOf(ann.Account, o) }
	c.wantNobodyInTheWay(queue,
		func(node *Service) error { return node.Mute(context.Background(), ann, to, o, 5) }, unmute)
	c.wantNobodyInTheWay(queue, func(node *Service) error { return node.UnmuteAll(context.Background(), ann) }, unmute)

	on := true
	plain := c.mustSend(bob, ann.Account.String())
	sealed := c.mustSend(bob, ann.Account.String(), func(s *SendCommand) { s.DOR = &on })
	lock := func(id model.MessageID) func(*store.Tx) error {
		return func(tx *store.Tx) error { return tx.LockMessages([]model.OrganizationID{o}, id) }
	}
	c.wantNobodyInTheWay(lock(plain), func(node *Service) error {
		return node.MarkStatus(context.Background(), ann, Marks{Read: []model.MessageID{sealed, plain}})
	}, lock(sealed))
}

// Pieces of a large group are about other accounts each: none holds the queues of one while it waits for those of
// another.
func TestPiecesOfAGroupHoldNoQueuesOfOthers(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann, bob := c.member(o, "ann"), c.member(o, "bob")
	g, err := c.nodes[0].CreateGroup(t.Context(), ann,
		GroupCommand{CallOrganization: o, Members: []string{bob.Account.String()}})
	c.must(err)
	c.must(c.store.Update(t.Context(), func(tx *store.Tx) error {
		for _, account := range []model.AccountID{ann.Account, bob.Account} {
			err := piecework.NotePiece(tx, &piecework.Piece{Organization: o, Group: g.ID, Deed: piecework.Tell,
				Kind: model.EventSettings, Accounts: []model.AccountID{account}})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	job := &store.Job{Kind: store.FanOut, Subject: append(g.ID[:], o...)}
	c.wantNobodyInTheWay(
		func(tx *store.Tx) error { return tx.LockQueues(bob.Account) },
		func(node *Service) error {
			for range 3 {
				err := node.store.Update(context.Background(), func(tx *store.Tx) error {
					_, err := node.fanout.Kind().Step(tx, job)
					return err
				})
				if err != nil {
					return err
				}
			}
			return nil
		},
		func(tx *store.Tx) error { return tx.LockQueues(ann.Account) })
}

// The sweep of a message to a group locks the counters of those who have not read it, and waits for nobody else.
func TestASweepLocksNobodyWhoHasReadWhatEnds(t *testing.T) {
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann, bob, eve := c.member(o, "ann"), c.member(o, "bob"), c.member(o, "eve")
	g, err := c.nodes[0].CreateGroup(t.Context(), ann, GroupCommand{CallOrganization: o,
		Members: []string{bob.Account.String(), eve.Account.String()}})
	c.must(err)
	minute := 1
	sent := c.mustSend(ann, g.ID.String(), func(s *SendCommand) { s.TTL = &minute })
	c.must(c.nodes[0].MarkStatus(t.Context(), bob, Marks{Read: []model.MessageID{sent}}))
	c.clock.Advance(2 * time.Minute)
	c.must(c.store.Update(t.Context(), func(tx *store.Tx) error {
		var one int
		found, err := tx.One(`SELECT 1 FROM group_members WHERE group_token = ? AND account = ? `+tx.Lock(),
			[]any{g.ID, bob.Account}, &one)
		if err != nil || !found {
			return fmt.Errorf("nothing is locked: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		return sweepAll(ctx, c.nodes[1])
	}))
	c.wantUnread(bob, 0)
	c.wantUnread(eve, 0)
}

// wantNobodyInTheWay has a transaction lock something first, and something else then, once a call on another node waits
// for it: none of them may have been ended for the other's sake.
func (c *cluster) wantNobodyInTheWay(first func(*store.Tx) error, call func(*Service) error,
	then func(*store.Tx) error) {
	c.t.Helper()
	before := c.retries()
	called := make(chan error, 1)
	err := c.store.Update(c.t.Context(), func(tx *store.Tx) error {
		if c.retries() != before {
			return errors.New("it was ended for the call's sake")
		}
		if err := first(tx); err != nil {
			return err
		}
		var own int
		if _, err := tx.One(`SELECT pg_backend_pid()`, nil, &own); err != nil {
			return err
		}
		go func() { called <- call(c.nodes[1]) }()
		for waiting := 0; waiting == 0; {
			select {
			case err := <-called:
				return fmt.Errorf("the call waits for nobody: %v", err)
			default:
			}
			waiting = view(c, func(tx *store.Tx) (n int, err error) {
				_, err = tx.One(`SELECT COUNT(*) FROM pg_stat_activity WHERE CAST(? AS INTEGER) = ANY(pg_blocking_pids(pid))`,
					[]any{own}, &n)
				return n, err
			})
		}
		if err := then(tx); err != nil {
			return err
		}
		return tx.Await() // waits for the locks
	})
	c.must(err)
	c.must(<-called)
	if n := c.retries() - before; n != 0 {
		c.t.Errorf("%d transactions were ended for others' sake", n)
	}
}

// retries is how often the nodes tried a transaction again.
func (c *cluster) retries() (n uint64) {
	for _, e := range c.engines {
		n += e.Stats().Retries
	}
	return n
}
