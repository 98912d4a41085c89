package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"signet/internal/model"
	"signet/internal/scim"
	"signet/internal/store"
	"signet/internal/testenv"
)

// TestNodesGiveANameToOneGroup: the directory's calls come by several servers, and none of two that give one name at a
// moment sees what the other does.
func TestNodesGiveANameToOneGroup(t *testing.T) {
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	boss := c.administrator(o, "boss")
	named := func(name string) []model.Group {
		t.Helper()
		return view(c, func(tx *store.Tx) ([]model.Group, error) { return tx.DirectoryGroupNamed(o, name) })
	}
	for round := range 5 {
		name := fmt.Sprint("Made ", round)
		refused := c.atOnce(4, func(i int, node *Service) error {
			_, err := node.ScimCreateGroup(context.Background(), boss, o, scim.Group{Name: name})
			return wantTaken(t, err)
		})
		if n := len(named(name)); refused != 3 || n != 1 {
			t.Errorf("%d of 4 that make a group are refused, %d groups have the name", refused, n)
		}
		groups := make([]model.GroupID, 4)
		for i := range groups {
			g, err := c.nodes[0].ScimCreateGroup(t.Context(), boss, o, scim.Group{Name: fmt.Sprint("Old ", round, " ", i)})
			c.must(err)
			groups[i], _ = model.ParseGroupID(g.ID)
		}
		name = fmt.Sprint("Renamed ", round)
		refused = c.atOnce(4, func(i int, node *Service) error {
			if i == 3 { // an administrator, in the other interface
				_, err := node.UpdateGroup(context.Background(), boss, groups[i], GroupCommand{Name: new(strings.ToUpper(name))})
				return wantTaken(t, err)
			}
			_, err := node.ScimChangeGroup(context.Background(), boss, o, groups[i], "",
				func(g scim.Group) (scim.Group, error) {
					g.Name = name
					return g, nil
				})
			return wantTaken(t, err)
		})
		if n := len(named(name)); refused != 3 || n != 1 {
			t.Errorf("%d of 4 that rename a group are refused, %d groups have the name", refused, n)
		}
	}
}

// wantTaken checks that an error says that the name is taken, and returns it.
func wantTaken(t *testing.T, err error) error {
	told, ok := errors.AsType[*model.Error](err)
	if err != nil && (!ok || !scim.Conflicts(told)) {
		t.Errorf("got %v, want that the name is taken", err)
	}
	return err
}

// TestNodesDeleteOnlyWhatAnIfMatchNames: what another call changes before the deletion can begin is another version.
func TestNodesDeleteOnlyWhatAnIfMatchNames(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	boss, ann := c.administrator(o, "boss"), c.member(o, "ann")
	shown, err := c.nodes[0].ScimCreateGroup(t.Context(), boss, o, scim.Group{Name: "Ward"})
	c.must(err)
	id, _ := model.ParseGroupID(shown.ID)
	g := view(c, func(tx *store.Tx) (model.Group, error) {
		g, _, err := tx.Group(id)
		return g, err
	})
	var refused error
	c.wantNobodyInTheWay(
		func(tx *store.Tx) error { return tx.LockGroup(id) },
		func(node *Service) error {
			refused = node.ScimDeleteGroup(context.Background(), boss, o, id, shown.Version())
			return nil
		},
		func(tx *store.Tx) error {
			g.Name = "Station"
			return tx.UpdateGroup(&g)
		})
	wantAnotherVersion(t, "a group", refused)

	person, err := directory(c.nodes[0]).ScimUser(t.Context(), boss, o, ann.Account)
	c.must(err)
	c.wantNobodyInTheWay(
		func(tx *store.Tx) error { return tx.LockOrganization(o) },
		func(node *Service) error {
			refused = directory(node).ScimRemove(context.Background(), boss, o, ann.Account, person.Version())
			return nil
		},
		func(tx *store.Tx) error {
			_, err := tx.PutMembership(model.Membership{Organization: o, Account: ann.Account, Title: "Surgeon"})
			return err
		})
	wantAnotherVersion(t, "a person", refused)
}

// wantAnotherVersion checks that an error says that what was to be deleted is another one by now.
func wantAnotherVersion(t *testing.T, what string, err error) {
	t.Helper()
	if told, ok := errors.AsType[*model.Error](err); !ok || told.Code != scim.CodePrecondition {
		t.Errorf("%s that was changed meanwhile is deleted: %v", what, err)
	}
}
