package service

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
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
	before := c.retries()

	forwarded := make(chan error, 1)
	err = c.store.Update(t.Context(), func(tx *store.Tx) error {
		if c.retries() != before {
			return errors.New("it was ended for the forward's sake")
		}
		if err := tx.LockGroups(g.ID); err != nil {
			return err
		}
		var own int
		if _, err := tx.One(`SELECT pg_backend_pid()`, nil, &own); err != nil {
			return err
		}
		go func() {
			_, err := c.nodes[1].Forward(context.Background(), bob,
				ForwardCommand{Message: source, Recipient: g.ID.String()})
			forwarded <- err
		}()
		for waiting := 0; waiting == 0; {
			select {
			case err := <-forwarded:
				return fmt.Errorf("the forward waits for nobody: %v", err)
			default:
			}
			waiting = view(c, func(tx *store.Tx) (n int, err error) {
				_, err = tx.One(`SELECT COUNT(*) FROM pg_stat_activity WHERE CAST(? AS INTEGER) = ANY(pg_blocking_pids(pid))`,
					[]any{own}, &n)
				return n, err
			})
		}
		if err := tx.LockMessages([]model.OrganizationID{o}, source); err != nil {
			return err
		}
		_, _, err := tx.Group(g.ID) // waits for the locks
		return err
	})
	c.must(err)
	c.must(<-forwarded)
	if n := c.retries() - before; n != 0 {
		t.Errorf("%d transactions were ended for others' sake", n)
	}
}

// retries is how often the nodes tried a transaction again.
func (c *cluster) retries() (n uint64) {
	for _, e := range c.engines {
		n += e.Stats().Retries
	}
	return n
}
