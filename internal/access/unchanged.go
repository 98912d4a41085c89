package access

import (
	"slices"

	"signet/internal/cache"
	"signet/internal/model"
	"signet/internal/store"
)

// What was read of an account's access before a transaction holds in it while the account's number
// is the same (store.AccessVersion). What ends by time is looked at all the same, and an organization
// that has ended is asked for. Where what was read would refuse somebody, it is read once more.

// Recent reports whether something was read so short a while ago that it may do while the number is
// the same. The while bounds how long a row counts that somebody has changed by hand.
func (c *Control) Recent(read model.AccessRead) bool {
	return read.Number != 0 && cache.Recent[int64]{Value: read.Number, At: read.At}.Fresh(c.clock())
}

// Unchanged reports whether it holds in a transaction that has found this number.
func (c *Control) Unchanged(read model.AccessRead, found *store.AccessVersion) bool {
	return read.Number == found.Number && c.Recent(read)
}

// AskEnded asks for one of the organizations, or of those to which the actor's key and what it ends
// with are limited, that has ended.
func (c *Control) AskEnded(tx *store.Tx, actor *model.Actor, organizations ...model.OrganizationID) (
	*store.Asked[model.OrganizationID], error) {
	for k := range actor.Line() {
		if k.Scope != "" && !slices.Contains(organizations, k.Scope) {
			organizations = append(organizations, k.Scope)
		}
	}
	return tx.AskEnded(organizations)
}

// OpensUnchanged reports whether what the actor came with opens still in a transaction that has found
// this number, by what was read of it.
func (c *Control) OpensUnchanged(actor *model.Actor, found *store.AccessVersion) bool {
	return c.Unchanged(actor.Read, found) && c.holds(actor, actor.Secret, c.clock())
}

// askUnchanged is AskOpens that asks whether something has changed, and reads what it is only then.
func (c *Control) askUnchanged(tx *store.Tx, actor *model.Actor) (opens func() error, err error) {
	// First, as an organization leaves the list only after the numbers of its people have changed.
	ended, err := c.AskEnded(tx, actor)
	if err != nil {
		return nil, err
	}
	version := &store.AccessVersion{Account: actor.Account}
	return func() error {
		if !ended.Found && c.OpensUnchanged(actor, version) {
			return nil
		}
		return c.StillOpens(tx, actor)
	}, tx.AskAccess(version)
}
