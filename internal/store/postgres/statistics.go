package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// PostgreSQL plans by what it saw of the tables when it last looked at them, which it does by
// itself up to a minute after they have grown. Each connection keeps its plans until then: on a
// new database those are made for tables without rows, and acknowledge a message by reading all
// of them. So the engine has the server look as soon as that tells it something new.

// An engine asks for tables that have grown after so many transactions, and not more often than
// that: it takes the server less than a millisecond.
const (
	growthCommits  = 64
	growthInterval = 250 * time.Millisecond
	growthPause    = time.Minute // after it failed: by then the server has looked by itself
)

// grownTables are those with at least four times the pages that the server saw in them.
const grownTables = `SELECT CAST(c.oid::regclass AS TEXT) FROM pg_class c
	WHERE c.relkind = 'r' AND c.relnamespace <> 'pg_catalog'::regnamespace AND pg_table_is_visible(c.oid)
	AND pg_relation_size(c.oid) >= 4 * current_setting('block_size')::bigint * GREATEST(c.relpages, 1)`

// committed counts a transaction that is on disk.
func (e *Engine) committed() {
	if e.stats.commits.Add(1)%growthCommits != 0 {
		return
	}
	select {
	case e.grown <- struct{}{}:
	default: // it is going to ask
	}
}

// watchGrowth has the server look at tables that have grown, until ctx ends.
func (e *Engine) watchGrowth(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.grown:
		}
		pause := growthInterval
		if err := e.analyzeGrown(ctx); err != nil && ctx.Err() == nil {
			pause = growthPause
			e.log.Warn("the database was not told to look at tables that have grown: it does so by itself in a while",
				"error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

func (e *Engine) analyzeGrown(ctx context.Context) error {
	rows, err := e.pool.Query(ctx, grownTables, pgx.QueryExecModeExec) // a pooler keeps no named statement
	if err != nil {
		return fmt.Errorf("find tables that have grown: %w", translate(err))
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("find tables that have grown: %w", translate(err))
	}
	return e.Analyze(ctx, tables...)
}
