// Package pgring keeps a key ring in a PostgreSQL database of its own, for several
// servers that share it.
//
// It owns five tables there, and what makes changes by several servers agree. It does
// not know what the keys seal, nor can it read them: they come wrapped.
//
//	keyring       one row: the ring's header, and a number that every change raises
//	keyring_keys  a row for each key
//	keyring_time  one row: the last known time
//	keyring_gone  a row for each key that was destroyed, with the day
//	keyring_owner one row: the mark of the ring's owner
//
// The database must not be the one whose content the keys seal, nor lie on the same
// server: its log and its copies would keep keys that are destroyed here. For the
// same reason its own log must not be archived.
package pgring

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"signet/internal/seal"
)

const (
	connectTimeout   = 5 * time.Second
	statementTimeout = "30s"
	// connections are few: a server asks its ring once in a while.
	connections = 3
)

const schema = `
CREATE TABLE IF NOT EXISTS keyring (
	one     INTEGER PRIMARY KEY CHECK (one = 1),
	ring    TEXT NOT NULL,
	master  BIGINT NOT NULL,
	proof   BYTEA NOT NULL,
	version BIGINT NOT NULL
);
CREATE TABLE IF NOT EXISTS keyring_keys (
	key     BYTEA PRIMARY KEY,
	scope   TEXT COLLATE "C" NOT NULL,
	period  TEXT COLLATE "C" NOT NULL,
	master  BIGINT NOT NULL,
	wrapped BYTEA NOT NULL,
	retired BIGINT NOT NULL
);
CREATE TABLE IF NOT EXISTS keyring_time (
	one   INTEGER PRIMARY KEY CHECK (one = 1),
	known BIGINT NOT NULL
);
CREATE TABLE IF NOT EXISTS keyring_gone (
	key BYTEA PRIMARY KEY,
	day BIGINT NOT NULL
);
CREATE TABLE IF NOT EXISTS keyring_owner (
	one  INTEGER PRIMARY KEY CHECK (one = 1),
	mark TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS keyring_keys_current ON keyring_keys (scope, period) WHERE retired = 0;
`

// Storage is a ring in a database. It implements seal.Storage.
type Storage struct {
	pool  *pgxpool.Pool
	where string

	mu    sync.Mutex // guards known
	known int64      // the version that was loaded last; 0: none
}

var _ seal.Storage = (*Storage)(nil)

// OpenToLook connects to the database at a URL for somebody who only loads the ring. It makes no
// tables; where there are none, the error is a *seal.SetupError.
func OpenToLook(ctx context.Context, url string) (*Storage, error) {
	s, err := connect(ctx, url)
	if err != nil {
		return nil, err
	}
	there := false
	err = s.pool.QueryRow(ctx, `SELECT to_regclass('keyring') IS NOT NULL`).Scan(&there)
	switch {
	case err != nil:
		err = unavailable("open", err)
	case !there:
		err = &seal.SetupError{Problem: "there is no key ring at " + s.where}
	}
	if err != nil {
		s.pool.Close()
		return nil, err
	}
	return s, nil
}

func connect(ctx context.Context, url string) (*Storage, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil { // its text may hold the password
		return nil, &seal.SetupError{Problem: "the key ring's address cannot be read: want postgres://user@host:port/name"}
	}
	config.MaxConns, config.AfterConnect = connections, nameTypes
	c := config.ConnConfig
	if c.ConnectTimeout <= 0 {
		c.ConnectTimeout = connectTimeout
	}
	c.DefaultQueryExecMode = pgx.QueryExecModeExec // leaves nothing behind that a pooler would give to another client
	c.RuntimeParams["statement_timeout"] = statementTimeout
	c.RuntimeParams["synchronous_commit"] = "on"
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "signet-keyring"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the key ring: %w", err)
	}
	return &Storage{pool: pool, where: fmt.Sprintf("postgres://%s:%d/%s", c.Host, c.Port, c.Database)}, nil
}

// nameTypes says what each type of the statements' arguments is to PostgreSQL, which is not asked for it
// before they are sent. A text needs no type. The driver's own list is left out of the program
// (docs/dependencies.md).
func nameTypes(_ context.Context, conn *pgx.Conn) error {
	types := conn.TypeMap()
	types.RegisterDefaultPgType(int64(0), "int8")
	types.RegisterDefaultPgType([]int64(nil), "_int8")
	types.RegisterDefaultPgType([]byte(nil), "bytea")
	types.RegisterDefaultPgType([][]byte(nil), "_bytea")
	return nil
}

// Open connects to the database at a URL and makes the tables where they are missing.
func Open(ctx context.Context, url string) (*Storage, error) {
	s, err := connect(ctx, url)
	if err != nil {
		return nil, err
	}
	pool := s.pool
	// Of servers that start together, one makes the tables; another may be told that
	// they are there at the moment at which it makes them.
	var told *pgconn.PgError
	for range 3 {
		if _, err = pool.Exec(ctx, schema, pgx.QueryExecModeSimpleProtocol); err == nil {
			return s, nil
		}
		told, _ = errors.AsType[*pgconn.PgError](err)
		if told == nil || !slices.Contains([]string{"23505", "42P07", "42710", "XX000"}, told.Code) {
			break
		}
	}
	pool.Close()
	if told != nil && (strings.HasPrefix(told.Code, "28") || strings.HasPrefix(told.Code, "3D")) {
		// Wrong credentials, or no such database: waiting does not mend it.
		return nil, &seal.SetupError{Problem: fmt.Sprintf("the database of the key ring at %s refuses: %s", s.where,
			told.Message)}
	}
	return nil, unavailable("open", err)
}

// unavailable says what failed, and that trying again may help.
func unavailable(doing string, err error) error {
	return fmt.Errorf("%w: %s: %w", seal.ErrUnavailable, doing, err)
}

// String implements seal.Storage.
func (s *Storage) String() string { return s.where }

// Cluster returns what PostgreSQL calls the data directory that the ring is in.
func (s *Storage) Cluster(ctx context.Context) (id string, err error) {
	const query = `SELECT CAST(system_identifier AS TEXT) FROM pg_control_system()`
	err = s.pool.QueryRow(ctx, query).Scan(&id)
	return id, err
}

// Shared implements seal.Storage.
func (s *Storage) Shared() bool { return true }

// Close implements seal.Storage.
func (s *Storage) Close() error {
	s.pool.Close()
	return nil
}

// Load implements seal.Storage.
func (s *Storage) Load(ctx context.Context, again bool) (contents *seal.Contents, changed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !again {
		var version int64
		err := s.pool.QueryRow(ctx, `SELECT version FROM keyring`).Scan(&version)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			version = -1
		case err != nil:
			return nil, false, unavailable("look at it", err)
		}
		if version == s.known {
			return nil, false, nil
		}
	}
	err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) (err error) {
			contents, s.known, err = read(ctx, tx, "")
			return err
		})
	if err != nil {
		s.known = 0
		return nil, false, unavailable("read it", err)
	}
	return contents, true, nil
}

// read reads everything; nil where there is no ring.
func read(ctx context.Context, tx pgx.Tx, lock string) (*seal.Contents, int64, error) {
	c := new(seal.Contents)
	var version int64
	err := tx.QueryRow(ctx, `SELECT ring, master, proof, version FROM keyring `+lock).Scan(&c.ID, &c.Master, &c.Proof,
		&version)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, -1, nil
	}
	if err != nil {
		return nil, 0, err
	}
	rows, err := tx.Query(ctx, `SELECT key, scope, period, master, wrapped, retired FROM keyring_keys`)
	if err != nil {
		return nil, 0, err
	}
	if c.Records, err = pgx.CollectRows(rows, scanRecord); err != nil {
		return nil, 0, err
	}
	if c.Gone, err = readGone(ctx, tx); err != nil {
		return nil, 0, err
	}
	c.Owner, err = readOwner(ctx, tx, "")
	return c, version, err
}

func readGone(ctx context.Context, tx pgx.Tx) (map[seal.KeyID]int64, error) {
	rows, err := tx.Query(ctx, `SELECT key, day FROM keyring_gone`)
	if err != nil {
		return nil, err
	}
	gone := make(map[seal.KeyID]int64)
	var id []byte
	var day int64
	_, err = pgx.ForEachRow(rows, []any{&id, &day}, func() error {
		if len(id) != len(seal.KeyID{}) {
			return fmt.Errorf("a key's identifier has %d bytes", len(id))
		}
		gone[seal.KeyID(id)] = day
		return nil
	})
	return gone, err
}

func scanRecord(row pgx.CollectableRow) (r seal.Record, err error) {
	var id []byte
	var retired int64
	if err := row.Scan(&id, &r.Name.Scope, &r.Name.Period, &r.Master, &r.Wrapped, &retired); err != nil {
		return r, err
	}
	if len(id) != len(r.ID) {
		return r, fmt.Errorf("a key's identifier has %d bytes", len(id))
	}
	r.ID = seal.KeyID(id)
	if retired != 0 {
		r.Retired = time.UnixMilli(retired).UTC()
	}
	return r, nil
}

// Create implements seal.Storage.
func (s *Storage) Create(ctx context.Context, h seal.Header) error {
	_, err := s.pool.Exec(ctx,
		`INSERT INTO keyring (one, ring, master, proof, version) VALUES (1, $1, $2, $3, 1) ON CONFLICT (one) DO NOTHING`,
		h.ID, int64(h.Master), h.Proof)
	if err != nil {
		return unavailable("make it", err)
	}
	return nil
}

// change runs fn while no other server changes the ring, and raises the ring's
// version.
func (s *Storage) change(ctx context.Context, doing string, fn func(tx pgx.Tx, master uint32) error) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var master uint32
		// The row is held from here on, so that changes come one after the other.
		if err := tx.QueryRow(ctx, `UPDATE keyring SET version = version + 1 RETURNING master`).Scan(&master); err != nil {
			return err
		}
		return fn(tx, master)
	})
	if err == nil || errors.Is(err, seal.ErrChanged) || errors.As(err, new(*seal.SetupError)) {
		return err
	}
	return unavailable(doing, err)
}

// Add implements seal.Storage.
func (s *Storage) Add(ctx context.Context, r seal.Record) (seal.Record, error) {
	err := s.change(ctx, "add a key", func(tx pgx.Tx, master uint32) error {
		if master != r.Master {
			return seal.ErrChanged
		}
		rows, err := tx.Query(ctx, `SELECT key, scope, period, master, wrapped, retired FROM keyring_keys
			WHERE scope = $1 AND period = $2 AND retired = 0`, r.Name.Scope, r.Name.Period)
		if err != nil {
			return err
		}
		there, err := pgx.CollectRows(rows, scanRecord)
		if err != nil {
			return err
		}
		if len(there) > 0 {
			r = there[0]
			return nil
		}
		_, err = tx.Exec(
			ctx, `INSERT INTO keyring_keys (key, scope, period, master, wrapped, retired) VALUES ($1, $2, $3, $4, $5, $6)`,
			columns(&r)...)
		return err
	})
	return r, err
}

func columns(r *seal.Record) []any {
	retired := int64(0)
	if !r.Retired.IsZero() {
		retired = r.Retired.UnixMilli()
	}
	return []any{r.ID[:], r.Name.Scope, r.Name.Period, int64(r.Master), r.Wrapped, retired}
}

// Retire implements seal.Storage.
func (s *Storage) Retire(ctx context.Context, ids []seal.KeyID, at time.Time) error {
	return s.change(ctx, "retire keys", func(tx pgx.Tx, _ uint32) error {
		_, err := tx.Exec(ctx, `UPDATE keyring_keys SET retired = $1 WHERE key = ANY ($2) AND retired = 0`, at.UnixMilli(),
			bytesOf(ids))
		return err
	})
}

func bytesOf(ids []seal.KeyID) [][]byte {
	out := make([][]byte, len(ids))
	for i, id := range ids {
		out[i] = slices.Clone(id[:])
	}
	return out
}

// Destroy implements seal.Storage. The table is written anew into another file, so
// that the rows are not left in this one.
func (s *Storage) Destroy(ctx context.Context, ids []seal.KeyID, at time.Time) error {
	err := s.change(ctx, "destroy keys", func(tx pgx.Tx, _ uint32) error {
		if _, err := tx.Exec(ctx, `DELETE FROM keyring_keys WHERE key = ANY ($1)`, bytesOf(ids)); err != nil {
			return err
		}
		var c seal.Contents
		c.Bury(ids, at)
		if err := writeGone(ctx, tx, c.Gone); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM keyring_gone WHERE day < $1`, seal.GoneBefore(at))
		return err
	})
	if err != nil {
		return err
	}
	return s.compact(ctx)
}

func writeGone(ctx context.Context, tx pgx.Tx, gone map[seal.KeyID]int64) error {
	ids, days := make([][]byte, 0, len(gone)), make([]int64, 0, len(gone))
	for id, day := range gone {
		ids, days = append(ids, slices.Clone(id[:])), append(days, day)
	}
	_, err := tx.Exec(
		ctx, `INSERT INTO keyring_gone (key, day) SELECT * FROM unnest($1::BYTEA[], $2::BIGINT[])
			ON CONFLICT (key) DO NOTHING`, ids, days)
	return err
}

func (s *Storage) compact(ctx context.Context) error {
	if _, err := s.pool.Exec(ctx, `VACUUM (FULL) keyring_keys`); err != nil {
		return unavailable("write the table of keys anew", err)
	}
	return nil
}

// Rewrap implements seal.Storage.
func (s *Storage) Rewrap(ctx context.Context, fn func(*seal.Contents) error) error {
	return s.replace(ctx, "wrap it anew", func(c *seal.Contents) (*seal.Contents, error) {
		if c == nil {
			return nil, fmt.Errorf("there is no key ring at %s", s.where)
		}
		return c, fn(c)
	})
}

// Replace implements seal.Storage.
func (s *Storage) Replace(ctx context.Context, contents *seal.Contents) error {
	return s.replace(ctx, "copy to it", func(c *seal.Contents) (*seal.Contents, error) {
		return contents, contents.MayReplace(c, s.where)
	})
}

// replace reads the ring and writes what fn makes of it, in one transaction that holds
// off all others.
func (s *Storage) replace(ctx context.Context, doing string, fn func(*seal.Contents) (*seal.Contents, error)) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		old, version, err := read(ctx, tx, "FOR UPDATE")
		if err != nil {
			return err
		}
		c, err := fn(old)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM keyring_keys`); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO keyring (one, ring, master, proof, version) VALUES (1, $1, $2, $3, $4)
			ON CONFLICT (one) DO UPDATE SET master = excluded.master, proof = excluded.proof, version = excluded.version`,
			c.ID, int64(c.Master), c.Proof, max(version, 0)+1)
		if err != nil {
			return err
		}
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"keyring_keys"},
			[]string{"key", "scope", "period", "master", "wrapped", "retired"},
			pgx.CopyFromSlice(len(c.Records), func(i int) ([]any, error) { return columns(&c.Records[i]), nil }))
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM keyring_gone`); err != nil {
			return err
		}
		if err := writeGone(ctx, tx, c.Gone); err != nil {
			return err
		}
		return writeOwner(ctx, tx, c.Owner)
	})
	switch {
	case errors.As(err, new(*seal.SetupError)):
		return err
	case err != nil:
		return unavailable(doing, err)
	}
	return s.compact(ctx)
}
