package store

import (
	"context"
	"maps"
	"slices"

	"signet/internal/model"
)

// Identity returns what the store says of itself, as it is now.
func (s *Store) Identity(ctx context.Context) (model.Identity, error) {
	return Read(ctx, s, (*Tx).identity)
}

// IdentityOf returns what a store that is only read says of itself.
func IdentityOf(ctx context.Context, source Source) (i model.Identity, err error) {
	err = read(ctx, source, func(tx *Tx) error {
		i, err = tx.identity()
		return err
	})
	return i, err
}

func (tx *Tx) identity() (i model.Identity, err error) {
	values := map[string]*string{metaInstallation: &i.Installation, MetaEpoch: &i.Epoch, metaTurn: (*string)(&i.Turn)}
	names := slices.Collect(maps.Keys(values))
	err = tx.Query(`SELECT name, value FROM meta WHERE name IN (?*)`, []any{names}, func(row Row) error {
		var name, value string
		err := row.Scan(&name, &value)
		if err == nil {
			*values[name] = value
		}
		return err
	})
	return i, err
}

// lockTurn returns the last turn, and keeps other nodes from taking one until the
// transaction ends.
func (tx *Tx) lockTurn() (turn model.Turn, err error) {
	if _, err := tx.settle(metaTurn, ""); err != nil {
		return "", err
	}
	text, err := tx.lockMeta(metaTurn)
	return model.Turn(text), err
}

// ProposeTurn returns the turn that all nodes take next: one with the caller's random
// text, or the one that another has proposed and that is not taken yet.
func (s *Store) ProposeTurn(ctx context.Context, random string) (next model.Turn, err error) {
	err = s.Update(ctx, func(tx *Tx) error {
		turn, err := tx.lockTurn()
		if err != nil {
			return err
		}
		proposed, err := tx.settle(metaNextTurn, string(turn.NewTurn(random)))
		next = model.Turn(proposed)
		return err
	})
	return next, err
}

// TakeTurn makes a turn that was proposed the store's last, unless another node has done
// so.
func (s *Store) TakeTurn(ctx context.Context, next model.Turn) error {
	return s.Update(ctx, func(tx *Tx) error {
		if _, err := tx.lockTurn(); err != nil {
			return err
		}
		if dropped, err := tx.dropMeta(metaNextTurn, string(next)); err != nil || !dropped {
			return err
		}
		return tx.putMeta(metaTurn, string(next))
	})
}
