package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"signet/internal/store"
)

// tables are the engine's own. Rows of engine_queues are updated all the time;
// the room left in their pages lets the server update them in place.
var tables = []string{
	`CREATE TABLE IF NOT EXISTS engine_queues (account BYTEA NOT NULL, last BIGINT NOT NULL,
		access BIGINT NOT NULL DEFAULT ` + firstAccess + `, PRIMARY KEY (account)) WITH (fillfactor = 50)`,
	`CREATE TABLE IF NOT EXISTS engine_writes (write UUID NOT NULL, PRIMARY KEY (write))`,
}

// prepare makes the engine's tables where they are missing.
func (e *Engine) prepare(ctx context.Context) error {
	missing := 0
	err := e.View(ctx, func(s store.Session) error {
		return s.Query(
			`SELECT 2 - COUNT(to_regclass(name)) FROM (VALUES ('engine_queues'), ('engine_writes')) AS needed (name)`, nil,
			func(r store.Row) error { return r.Scan(&missing) })
	})
	if err != nil || missing == 0 {
		return err
	}
	err = e.repeatable(ctx, func(s store.Session) error {
		for _, table := range tables {
			if _, err := s.Exec(table); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("make the engine's tables: %w", err)
	}
	return nil
}

const (
	// writeLife is for how long an Update's write id is kept. Every transaction leaves one, so that an hour's are
	// hundreds of megabytes. It is looked for within seconds, and after writeLife/2 no more (update.decide).
	writeLife = 5 * time.Minute

	sweepInterval = time.Minute
	sweepBatch    = 5000
)

// sweepWrites removes old write ids from time to time, until ctx ends.
func (e *Engine) sweepWrites(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(sweepInterval/2 + rand.N(sweepInterval)): // nodes that start together do not sweep together
		}
		if err := e.forgetOldWrites(ctx); err != nil && ctx.Err() == nil {
			e.log.Warn("old write ids could not be removed and will be later", "error", err)
		}
	}
}

// forgetOldWrites removes the write ids that no retry looks for any more, by this server's
// clock and the database's: one that is ahead would take those of others from under
// them, which then write twice.
func (e *Engine) forgetOldWrites(ctx context.Context) error {
	offset, err := e.ClockOffset(ctx)
	if err != nil {
		return err
	}
	return e.forgetWrites(ctx, e.clock().Add(min(offset, 0)-writeLife))
}

// forgetWrites removes the write ids from before a time, which they tell by
// themselves: they are UUIDs of version 7.
func (e *Engine) forgetWrites(ctx context.Context, before time.Time) error {
	for {
		var removed int64
		err := e.repeatable(ctx, func(s store.Session) (err error) {
			removed, err = s.Exec(`DELETE FROM engine_writes WHERE write IN (
				SELECT write FROM engine_writes WHERE write < ? ORDER BY write LIMIT ? FOR UPDATE SKIP LOCKED)`,
				firstWriteID(before), sweepBatch)
			return err
		})
		if err != nil || removed < sweepBatch {
			return err
		}
	}
}

// firstWriteID is the least write id of a millisecond.
func firstWriteID(at time.Time) (id writeID) {
	ms := at.UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	id[6] = 0x70
	return id
}
