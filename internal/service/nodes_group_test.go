package service

import (
	"context"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/metadata"
	"signet/internal/testenv"
)

// Whoever takes a group from its roster while another call takes that account out of it has left it already: the others
// are told once.
func TestNodesTellOnceThatAMemberHasGone(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann, bob := c.member(o, "ann"), c.member(o, "bob")
	g, err := c.nodes[0].CreateGroup(t.Context(), ann,
		GroupCommand{CallOrganization: o, Members: []string{bob.Account.String()}})
	c.must(err)
	told := func() (bangs int) {
		t.Helper()
		events, _, err := c.nodes[0].Events(t.Context(), ann, 0, store.EndOfQueue, 100)
		c.must(err)
		for i := range events {
			if events[i].Kind == model.EventBang {
				bangs++
			}
		}
		return bangs
	}
	before, noted := told(), c.notes(g.ID)
	c.wantNobodyInTheWay(
		func(tx *store.Tx) error { return tx.LockGroup(g.ID) },
		func(node *Service) error { return node.RemoveFromRoster(context.Background(), bob, g.ID.String(), o) },
		func(tx *store.Tx) error { return tx.RemoveGroupMembers(g.ID, []model.AccountID{bob.Account}, 0) })
	if bangs, notes := told()-before, c.notes(g.ID)-noted; bangs != 0 || notes != 0 {
		t.Errorf("of one whom another call took out of the group, %d events and %d notes tell once more", bangs, notes)
	}
}

// notes counts those of a group.
func (c *cluster) notes(id model.GroupID) int {
	c.t.Helper()
	return view(c, func(tx *store.Tx) (n int, err error) {
		_, err = tx.One(`SELECT COUNT(*) FROM notes WHERE group_token = ?`, []any{id}, &n)
		return n, err
	})
}

// Whoever describes a group while it is deleted leaves nothing of it.
func TestNodesDescribeNoGroupThatIsDeleted(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann := c.member(o, "ann")
	g, err := c.nodes[0].CreateGroup(t.Context(), ann, GroupCommand{CallOrganization: o})
	c.must(err)
	var described error
	c.wantNobodyInTheWay(
		func(tx *store.Tx) error { return tx.LockGroup(g.ID) },
		func(node *Service) error {
			described = node.SetMetadata(context.Background(), ann, g.ID.String(), o, map[string]string{"ward": "7"})
			return nil
		},
		func(tx *store.Tx) error {
			g.Deleted = true
			return tx.UpdateGroup(&g)
		})
	kept := view(c, func(tx *store.Tx) (bool, error) {
		_, found, err := metadata.Of(tx, o, g.Entity())
		return found, err
	})
	if !model.IsNotFound(described) || kept {
		t.Errorf("a group that is deleted is described: %v, kept %t", described, kept)
	}
}
