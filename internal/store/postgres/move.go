package postgres

import (
	"context"
	"fmt"

	"signet/internal/model"
	"signet/internal/store"
)

const raiseQueues = `INSERT INTO engine_queues AS q (account, last) SELECT account, ? FROM unnest(?*) AS account
	ORDER BY account
	ON CONFLICT (account) DO UPDATE SET last = GREATEST(q.last, excluded.last)`

// StartAfter makes the positions of accounts start after one that another engine has
// handed out.
func (e *Engine) StartAfter(ctx context.Context, position int64, accounts []model.AccountID) error {
	return e.repeatable(ctx, func(s store.Session) error {
		_, err := s.Exec(raiseQueues, position, accounts)
		return err
	})
}

// Analyze lets the server look at tables that were just filled, which it would do by
// itself only after a while in which its plans are poor.
func (e *Engine) Analyze(ctx context.Context, tables ...string) error {
	if err := e.gate.Enter(ctx); err != nil {
		return err
	}
	defer e.gate.Leave()
	for _, table := range tables {
		if _, err := e.pool.Exec(ctx, "ANALYZE "+table); err != nil {
			return fmt.Errorf("analyze %s: %w", table, translate(err))
		}
	}
	return nil
}
