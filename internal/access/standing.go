package access

import (
	"slices"

	"signet/internal/model"
	"signet/internal/store"
)

// standing is what a transaction is told of the key that an actor came with.
type standing struct {
	control  *Control
	tx       *store.Tx
	actor    *model.Actor
	keys     map[string]model.Key // the actor's, and those that it ended with when it was read
	disabled []model.AccountID
}

// askStanding asks for it, all at once. The answer is there after Await.
func (c *Control) askStanding(tx *store.Tx, actor *model.Actor) (*standing, error) {
	s := &standing{control: c, tx: tx, actor: actor, keys: map[string]model.Key{}}
	names := []string{actor.Key.Key}
	for i := range actor.Issuers {
		names = append(names, actor.Issuers[i].Key)
	}
	if err := tx.AskKeysNamed(names, s.keys); err != nil {
		return nil, err
	}
	return s, tx.AskDisabledAmong([]model.AccountID{actor.Account}, &s.disabled)
}

// key returns the key, if what the actor came with opens still.
func (s *standing) key() (model.Key, error) {
	k, found := s.keys[s.actor.Key.Key]
	if !found || k.Account != s.actor.Account {
		return model.Key{}, noLonger(&s.actor.Key)
	}
	current := model.Actor{Key: k, Disabled: slices.Contains(s.disabled, k.Account)}
	var err error
	if current.Issuers, err = issuers(s.tx, &k, s.keys); err == nil &&
		!s.control.holds(&current, s.actor.Secret, s.control.now()) {
		err = noLonger(&s.actor.Key)
	}
	return k, err
}

// opens is key of which nobody needs more than whether.
func (s *standing) opens() error {
	_, err := s.key()
	return err
}

// StillOpens asks inside a transaction whether what the actor came with opens still: a
// key that was revoked, or rotated, or whose account was disabled, on another node meanwhile
// gives nobody lasting access. A command needs none.
func (c *Control) StillOpens(tx *store.Tx, actor *model.Actor) error {
	opens, err := c.AskOpens(tx, actor)
	if err == nil {
		err = tx.Await()
	}
	if err != nil {
		return err
	}
	return opens()
}

// AskOpens asks for that. What it returns says so after Await.
func (c *Control) AskOpens(tx *store.Tx, actor *model.Actor) (opens func() error, err error) {
	if actor.Command {
		return stands, nil
	}
	s, err := c.askStanding(tx, actor)
	if err != nil {
		return nil, err
	}
	return s.opens, nil
}

// AskCalls is AskOpens for the many calls that give nobody access. Where no other process
// writes, nothing is read for it: what is remembered of a key is dropped before whoever ended
// it has the answer. Elsewhere it is mostly enough that the number is the same with which the
// actor was read (unchanged.go).
func (c *Control) AskCalls(tx *store.Tx, actor *model.Actor) (opens func() error, err error) {
	if actor.Command {
		return stands, nil
	}
	if tx.Alone() {
		if known, ok := c.actors.Get(actor.Key.Key); ok { // however long ago
			if !c.holds(known.Value, actor.Secret, c.clock()) {
				return nil, noLonger(&actor.Key)
			}
			return stands, nil
		}
	} else if c.Recent(actor.Read) {
		return c.askUnchanged(tx, actor)
	}
	return c.AskOpens(tx, actor)
}

// stands is the answer that nobody has to wait for.
func stands() error { return nil }

// StillCalls is AskCalls with the answer.
func (c *Control) StillCalls(tx *store.Tx, actor *model.Actor) error {
	opens, err := c.AskCalls(tx, actor)
	if err == nil {
		err = tx.Await()
	}
	if err != nil {
		return err
	}
	return opens()
}

// StillActs returns the actor as it is inside a transaction, whose key has to open
// still: a key or a role that another node ended a moment ago changes nobody's access.
func (c *Control) StillActs(tx *store.Tx, actor *model.Actor) (*model.Actor, error) {
	if actor.Command {
		return actor, nil
	}
	s, err := c.askStanding(tx, actor)
	if err != nil {
		return nil, err
	}
	var memberships []model.Membership
	if err := tx.AskMemberships(actor.Account, &memberships); err != nil {
		return nil, err
	}
	if err := tx.Await(); err != nil {
		return nil, err
	}
	k, err := s.key()
	if err != nil {
		return actor, err
	}
	current := *actor
	current.Key, current.Operator = k, actor.Operator && k.Scope == ""
	current.Memberships = k.Within(memberships)
	return current.At(c.now()), nil
}
