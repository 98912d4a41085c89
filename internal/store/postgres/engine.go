package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/engine"
)

// Options are what an engine can be told. The zero value is a working choice.
type Options struct {
	// Clock is the present, from which positions start; nil is time.Now.
	Clock func() time.Time

	// Connections is how many connections to the server the engine opens at most,
	// unless the address says so itself (pool_max_conns); 0 is 8 for each core, and
	// between 16 and 64. All nodes together must stay below the server's
	// max_connections.
	Connections int

	// Patience is for how long a transaction is tried again while the server cannot
	// be reached, or others are in the way; 0 is 5 seconds.
	Patience time.Duration

	// Pooled tells that a pooler stands between, which hands out servers by the
	// transaction. The engine finds out itself; this is for one that hides it.
	Pooled bool

	// Log takes what no caller can be told; nil drops it.
	Log *slog.Logger
}

// Engine is a database on a PostgreSQL server. It implements store.Engine, and
// any number of them, on as many machines, share one database.
type Engine struct {
	pool     *pgxpool.Pool
	hosts    *hosts
	clock    func() time.Time
	log      *slog.Logger
	patience time.Duration
	stats    stats
	meters   store.EngineMeters

	// down is since when no connection could be made, as Unix nanoseconds; 0 while
	// they can. Once it is longer than the patience, no call waits for it.
	down atomic.Int64

	gate engine.Gate

	updates   chan *member // short calls of Update that wait for a lane
	crowds    crowds
	turns     turns
	views     chan *member  // short calls of View
	grown     chan struct{} // it is time to ask whether tables have grown
	stopSweep context.CancelFunc
	swept     sync.WaitGroup // the engine's own goroutines
	closing   sync.Once
}

var _ store.Engine = (*Engine)(nil)

// Stats counts what an engine did since it was opened.
type Stats struct {
	Updates   uint64 // functions of Update that were started
	Commits   uint64 // transactions that reached the disk
	Retries   uint64 // times that a transaction was tried again
	Recovered uint64 // commits that were found on disk after their answer was lost
	Conns     int    // connections that are open
	InUse     int    // those of them that are in use
	MostConns int    // that may be open

	Waits  uint64        // times that a call had to wait for a connection
	Waited time.Duration // how long, in all
}

// stats are the counters behind Stats.
type stats struct {
	updates, commits, retries, recovered atomic.Uint64
}

// Open connects to the database that url names, in the form
// postgres://user:password@host:port/name?sslmode=...; several hosts, separated
// by commas, are tried in turn until one lets write. It makes the engine's own
// tables where they are missing. The server must be PostgreSQL 15 or later, and
// the database encoded in UTF-8. ctx bounds the opening alone.
func Open(ctx context.Context, url string, opts Options) (*Engine, error) {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if opts.Connections <= 0 {
		opts.Connections = min(max(8*runtime.GOMAXPROCS(0), 16), 64)
	}
	if opts.Patience <= 0 {
		opts.Patience = 5 * time.Second
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	links := newLinks()
	config, err := configure(url, &opts, links)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	e := &Engine{clock: opts.Clock, log: opts.Log, patience: opts.Patience, meters: store.NewEngineMeters(),
		updates: make(chan *member, maxShared), views: make(chan *member, maxShared),
		crowds: crowds{all: map[model.GroupID]*crowd{}}, grown: make(chan struct{}, 1),
		turns: turns{taken: map[model.AccountID]chan struct{}{}},
		hosts: newHosts(&config.ConnConfig.Config, links, opts.Log)}
	config.BeforeConnect = e.hosts.order
	if e.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := e.prepare(ctx); err != nil {
		e.pool.Close()
		return nil, fmt.Errorf("open store: %w", err)
	}
	var sweep context.Context
	sweep, e.stopSweep = context.WithCancel(context.Background())
	e.swept.Go(func() { e.sweepWrites(sweep) })
	e.swept.Go(func() { e.watchGrowth(sweep) })
	e.swept.Go(func() { e.hosts.watch(sweep, e.pool.Reset) })
	for range lanes() {
		e.swept.Go(func() { e.lane(e.updates, e.shareUpdate) })
		e.swept.Go(func() { e.lane(e.views, e.shareView) })
	}
	return e, nil
}

// Dialect names where PostgreSQL differs from the shared SQL. Texts that are
// compared and sorted by byte need a collation that says so, whatever language
// the database is set to.
func (e *Engine) Dialect() store.Dialect {
	return store.Dialect{
		Name: "postgres", Bytes: "BYTEA", ID: "BYTEA", Text: `TEXT COLLATE "C"`,
		Columns: `SELECT t.relname::text, c.attname::text FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid
			WHERE t.relkind IN ('r', 'p') AND t.relnamespace <> 'pg_catalog'::regnamespace AND pg_table_is_visible(t.oid)
			AND c.attnum > 0 AND NOT c.attisdropped`,
		Indexes: `SELECT i.relname::text, t.relname::text, c.attname::text FROM pg_index x
			JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
			CROSS JOIN LATERAL unnest(x.indkey) WITH ORDINALITY AS k (attribute, place)
			JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum = k.attribute
			WHERE t.relnamespace <> 'pg_catalog'::regnamespace AND pg_table_is_visible(t.oid) AND x.indisvalid
			ORDER BY i.relname, k.place`,
		Queues: lastPositions,
		Queue:  lastPosition,
		Lock:   "FOR UPDATE", Share: "FOR SHARE", Skip: "FOR UPDATE SKIP LOCKED",
	}
}

// Erase does nothing. A server's files are not the engine's to rewrite: deleted
// rows stay in them until VACUUM has run and the space was used again, in its
// write-ahead log and its archives for as long as these are kept. There, content
// ends with the key that it is sealed with.
func (e *Engine) Erase(ctx context.Context) error {
	if err := e.gate.Enter(ctx); err != nil {
		return err
	}
	e.gate.Leave()
	return ctx.Err()
}

// ClockOffset returns by how much the database's clock is ahead of the engine's: no more
// than is certain. A clock that lies between the question and its answer may be right,
// however long the way took.
func (e *Engine) ClockOffset(ctx context.Context) (offset time.Duration, err error) {
	err = e.View(ctx, func(s store.Session) error {
		before := e.clock()
		return s.Query(`SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)`, nil,
			func(r store.Row) error {
				var micros int64
				if err := r.Scan(&micros); err != nil {
					return err
				}
				told, after := time.UnixMicro(micros), e.clock()
				offset = max(told.Sub(after), 0) + min(told.Sub(before), 0)
				return nil
			})
	})
	return offset, err
}

// Size returns how many bytes the database takes on disk.
func (e *Engine) Size(ctx context.Context) (bytes int64, err error) {
	err = e.View(ctx, func(s store.Session) error {
		return s.Query(`SELECT pg_database_size(current_database())`, nil,
			func(r store.Row) error { return r.Scan(&bytes) })
	})
	return bytes, err
}

// Cluster returns what PostgreSQL calls the data directory that the database is in: two
// databases of one are in the same base backups and replicas.
func (e *Engine) Cluster(ctx context.Context) (id string, err error) {
	err = e.View(ctx, func(s store.Session) error {
		return s.Query(`SELECT CAST(system_identifier AS TEXT) FROM pg_control_system()`, nil,
			func(r store.Row) error { return r.Scan(&id) })
	})
	return id, err
}

// Meters returns what the engine measures. It goes on measuring.
func (e *Engine) Meters() store.EngineMeters { return e.meters }

// Stats returns the engine's counters.
func (e *Engine) Stats() Stats {
	pool := e.pool.Stat()
	return Stats{
		Updates:   e.stats.updates.Load(),
		Commits:   e.stats.commits.Load(),
		Retries:   e.stats.retries.Load(),
		Recovered: e.stats.recovered.Load(),
		Conns:     int(pool.TotalConns()),
		InUse:     int(pool.AcquiredConns()),
		MostConns: int(pool.MaxConns()),
		Waits:     uint64(pool.EmptyAcquireCount()),
		Waited:    pool.EmptyAcquireWaitTime(),
	}
}

// Close waits for the calls that are under way and closes the connections.
func (e *Engine) Close() error {
	e.closing.Do(func() {
		e.stopSweep()
		e.gate.Close()
		close(e.updates)
		close(e.views)
		e.swept.Wait()
		e.pool.Close()
	})
	return nil
}
