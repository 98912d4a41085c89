package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"signet/internal/store"
)

// Seen is what a look at a database finds. It need not be one that a store can be kept in.
type Seen struct {
	Version  int           // as server_version_num: 150004 is 15.4
	Encoding string        // of the database
	Reads    bool          // it only lets read: it is a standby, or was set so
	Commit   string        // its synchronous_commit
	Offset   time.Duration // by how much its clock is ahead of this machine's, at least
	Begun    bool          // a server has made the store's tables
	Cluster  string        // as PostgreSQL names its data directory; empty: the role may not know

	Facts store.Facts // where it was begun
}

// OldEnough reports whether the version is one that the store can be kept on.
func (s *Seen) OldEnough() bool { return s.Version >= leastVersion }

// Look connects to the database at a URL, and finds out what there is to know of it: of several hosts,
// the one that lets write. It writes nothing: the database is asked not to let it. The error repeats no
// password.
func Look(ctx context.Context, url string) (seen Seen, err error) {
	pool, err := pgxpool.ParseConfig(url)
	if err != nil {
		return seen, errors.New("the database's address cannot be read: want postgres://user:password@host:port/name")
	}
	config := pool.ConnConfig
	if config.ConnectTimeout <= 0 {
		config.ConnectTimeout = connectTimeout
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec // leaves nothing behind at a pooler
	conn, err := connectToLook(ctx, config)
	if err != nil {
		return seen, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // all that was asked is answered
	// A role may be kept from asking, which would end a transaction, and it is only for a hint.
	_ = conn.QueryRow(ctx, `SELECT CAST(system_identifier AS TEXT) FROM pg_control_system()`).Scan(&seen.Cluster)
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		return seen.read(ctx, tx)
	})
	return seen, err
}

// connectToLook connects to the first host that lets write, or else to the first.
func connectToLook(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	if config.ValidateConnect != nil { // the address itself says which host (target_session_attrs)
		return pgx.ConnectConfig(ctx, config)
	}
	reads := false
	config.ValidateConnect = func(ctx context.Context, server *pgconn.PgConn) error {
		err := pgconn.ValidateConnectTargetSessionAttrsReadWrite(ctx, server)
		reads = reads || err != nil
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil && reads {
		config.ValidateConnect = nil
		return pgx.ConnectConfig(ctx, config)
	}
	return conn, err
}

func (s *Seen) read(ctx context.Context, tx pgx.Tx) error {
	var version string
	var micros int64
	before := time.Now()
	err := tx.QueryRow(ctx, `SELECT current_setting('server_version_num'), current_setting('server_encoding'),
		pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on',
		current_setting('synchronous_commit'),
		CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT), to_regclass('meta') IS NOT NULL`).Scan(
		&version, &s.Encoding, &s.Reads, &s.Commit, &micros, &s.Begun)
	if err != nil {
		return err
	}
	told := time.UnixMicro(micros)
	s.Offset = max(time.Until(told), 0) + min(told.Sub(before), 0)
	if s.Version, err = strconv.Atoi(version); err != nil {
		return fmt.Errorf("it is no PostgreSQL: its version is %q", version)
	}
	if s.Begun {
		s.Facts, err = store.ReadFacts(ctx, looking{tx})
	}
	return err
}

// looking is a store.Viewer in a transaction of a look, for single rows of text.
type looking struct{ tx pgx.Tx }

// View implements store.Viewer.
func (l looking) View(ctx context.Context, fn func(store.Session) error, _ ...store.Trait) error {
	return fn(lookSession{ctx: ctx, tx: l.tx})
}

type lookSession struct {
	store.Session // nil: a look only queries
	ctx           context.Context
	tx            pgx.Tx
}

// Query implements store.Session.
func (s lookSession) Query(query string, args []any, each func(store.Row) error) error {
	rows, err := s.tx.Query(s.ctx, strings.Replace(query, "?", "$1", 1), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
