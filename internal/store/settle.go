package store

import (
	"context"

	"signet/internal/model"
)

// Settle returns once what was found in the store is kept as safely as what is written now. It is for who answers, by
// what an earlier call left behind, that something is done.
//
// A database that several servers keep shows what one of them has alone: where the wait for the others was ended, or
// that server started anew. Until they have it, it can be lost. A commit waits for them, and what was committed before
// it reaches them before. The account is whoever called: its queue takes a position that nothing is at.
func (s *Store) Settle(ctx context.Context, account model.AccountID) error {
	if s.engine.Dialect().Lock == "" { // an engine with one writer shows what is on its disk
		return nil
	}
	return s.Update(ctx, func(tx *Tx) error { return tx.LockQueues(account) }, Short)
}
