package app

import (
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/home"
	"signet/internal/overview"
	"signet/internal/store"
	"signet/internal/store/postgres"
	"signet/internal/store/sqlite"
)

// registerStore adds what the store and its engine measure.
func registerStore(in surroundings, engine store.Engine, kept *store.Store) error {
	const (
		took   = "How long a transaction took, waits and tries included, by whether it reads or writes."
		failed = "Transactions that failed: busy, because others held what they need; unavailable, because the database " +
			"was not there."
		shared   = "How many calls shared a transaction, by whether it reads or writes."
		conns    = "Connections to the database, by whether somebody uses them."
		connsMax = "Connections to the database that may be open at most."
	)
	m := kept.Meters()
	all := []prometheus.Collector{
		newHistogram("signet_store_transaction_duration_seconds", took, labels{"kind": "read"}, inSeconds, m.Reads),
		newHistogram("signet_store_transaction_duration_seconds", took, labels{"kind": "write"}, inSeconds, m.Writes),
		counter("signet_store_statements_total", "Statements that transactions ran, without the engine's own.", nil,
			m.Statements.Load),
		counter("signet_store_failures_total", failed, labels{"reason": "busy"}, m.Busy.Load),
		counter("signet_store_failures_total", failed, labels{"reason": "unavailable"}, m.Unavailable.Load),
	}
	engines := func(m store.EngineMeters, commits func() uint64) {
		all = append(all,
			newHistogram("signet_store_commit_duration_seconds", "From the last statement of a transaction until it was on "+
				"disk.", nil, inSeconds, m.Commits),
			newHistogram("signet_store_batch_calls", shared, labels{"kind": "read"}, 1, m.Reads),
			newHistogram("signet_store_batch_calls", shared, labels{"kind": "write"}, 1, m.Writes),
			counter("signet_store_commits_total", "Transactions that wrote and are on disk.", nil,
				func() int64 { return int64(commits()) }))
	}
	switch e := engine.(type) {
	case *sqlite.Engine:
		const bytes = "Size of the database's files."
		engines(e.Meters(), func() uint64 { return e.Stats().Commits })
		all = append(all,
			gauge("signet_store_connections", conns, labels{"state": "used"},
				func() float64 { return float64(e.Stats().Reading) }),
			gauge("signet_store_connections", conns, labels{"state": "idle"},
				func() float64 { return float64(e.Stats().Readers - e.Stats().Reading) }),
			gauge("signet_store_connections_limit", connsMax, nil, func() float64 { return float64(e.Stats().Readers) }),
			counter("signet_store_checkpoints_total", "Times that the write-ahead log was brought into the database's file.",
				nil, func() int64 { return int64(e.Stats().Checkpoints) }),
			counter("signet_store_log_pages_total", "Pages that were written to the write-ahead log.", nil,
				func() int64 { return int64(e.Stats().LogPages) }),
			gauge("signet_store_bytes", bytes, labels{"file": "database"},
				func() float64 { return float64(storage(in).Database) }),
			gauge("signet_store_bytes", bytes, labels{"file": "log"}, func() float64 { return float64(storage(in).Log) }))
	case *postgres.Engine:
		engines(e.Meters(), func() uint64 { return e.Stats().Commits })
		all = append(all,
			gauge("signet_store_connections", conns, labels{"state": "used"},
				func() float64 { return float64(e.Stats().InUse) }),
			gauge("signet_store_connections", conns, labels{"state": "idle"},
				func() float64 { s := e.Stats(); return float64(s.Conns - s.InUse) }),
			gauge("signet_store_connections_limit", connsMax, nil, func() float64 { return float64(e.Stats().MostConns) }),
			counter("signet_store_connection_waits_total", "Times that a call waited for a connection.", nil,
				func() int64 { return int64(e.Stats().Waits) }),
			prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "signet_store_connection_wait_seconds_total",
				Help: "How long calls waited for a connection, in all."},
				func() float64 { return e.Stats().Waited.Seconds() }),
			counter("signet_store_retries_total", "Times that a transaction was tried again.", nil,
				func() int64 { return int64(e.Stats().Retries) }),
			counter("signet_store_recovered_total", "Commits that were found on disk after their answer was lost.", nil,
				func() int64 { return int64(e.Stats().Recovered) }))
	}
	return register(in.metrics, all...)
}

// storage is how much room the files of the embedded store take.
func storage(in surroundings) overview.Storage {
	if in.cfg.Database != "" {
		return overview.Storage{}
	}
	path := home.Database(in.dir)
	return overview.Storage{Database: sizeOf(path), Log: sizeOf(path + "-wal")}
}

// sizeOf is the size of a file, 0 where there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// surveyTimeout is how long a scrape waits for the store.
const surveyTimeout = 2 * time.Second
