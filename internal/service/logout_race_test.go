package service

import (
	"context"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/testenv"
)

// A key that is issued with another one, while this one signs out, ends with it.
func TestNoKeyEscapesALogout(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann := c.member(o, "ann")
	login, child := ann.Key, ann.Key
	login.Key, login.Login = "login", true
	child.Key, child.Parent = "child", login.Key
	c.must(c.store.Update(t.Context(), func(tx *store.Tx) error { return tx.InsertKey(&login) }))
	signedIn := c.fresh(login.Key)
	c.wantNobodyInTheWay(
		func(tx *store.Tx) error { return tx.LockQueues(ann.Account) },
		func(node *Service) error { return node.access.Logout(context.Background(), signedIn) },
		func(tx *store.Tx) error { return tx.InsertKey(&child) })
	for _, k := range view(c, func(tx *store.Tx) ([]model.Key, error) { return tx.Keys(ann.Account) }) {
		if k.Key != ann.Key.Key {
			t.Errorf("the key %q is left", k.Key)
		}
	}
}
