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
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Times that no healthy statement reaches. They bound how long a fault is felt.
const (
	connectTimeout     = 5 * time.Second
	statementTimeout   = 30 * time.Second
	lockTimeout        = 10 * time.Second
	idleTimeout        = 10 * time.Second // in a transaction: its node is gone, and must not go on holding locks
	answerTimeout      = statementTimeout + 5*time.Second
	schemaTimeout      = 6 * time.Hour // of a statement that changes tables
	cancelDelay        = 100 * time.Millisecond
	connectionLife     = time.Hour
	connectionLifeVary = 10 * time.Minute
	connectionIdle     = 5 * time.Minute
)

// leastVersion is PostgreSQL 15, in the form of server_version_num.
const leastVersion = 150000

// connection is what the engine keeps of a connection of the pool.
type connection struct {
	server     *pgconn.PgConn
	statements map[string]*statement // by the text of the store
	kept       int
	params     params

	// direct tells that the server at the other end is always the same one, so that
	// settings stay and statements can be prepared under names. Through a pooler
	// that hands out servers by the transaction, neither is so.
	direct bool

	// settings are given to each transaction where the connection is not direct.
	settings []string

	// alone tells that a commit was confirmed before the synchronous replicas had it.
	alone bool
}

// customConnection is the name under which a connection is kept with pgx's.
const customConnection = "signet"

// configure makes the pool's settings from a connection string.
func configure(url string, opts *Options, links *links) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the database's address cannot be read: want postgres://user:password@host:port/name")
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = int32(opts.Connections)
	}
	config.MinConns = min(2, config.MaxConns)
	config.MaxConnLifetime, config.MaxConnLifetimeJitter, config.MaxConnIdleTime = connectionLife, connectionLifeVary,
		connectionIdle
	// A connection that died in the pool is noticed by its first statement, and that
	// one is tried again: to ask each time would cost every transaction an answer.
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	c := config.ConnConfig
	if c.ConnectTimeout <= 0 {
		c.ConnectTimeout = connectTimeout
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "signet"
	}
	c.DialFunc = links.dial
	// When a reader's context ends, its statement is cancelled and the connection kept.
	c.BuildContextWatcherHandler = func(server *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: server, CancelRequestDelay: cancelDelay,
			DeadlineDelay: 5 * time.Second}
	}
	c.OnNotice = notice
	// Behind a pooler a connection may hear what somebody else once listened for. pgx would keep all
	// of it for nobody.
	c.OnNotification = func(*pgconn.PgConn, *pgconn.Notification) {}
	validate := c.ValidateConnect // of target_session_attrs
	c.ValidateConnect = func(ctx context.Context, server *pgconn.PgConn) error {
		if validate != nil {
			if err := validate(ctx, server); err != nil {
				return err
			}
		}
		return meet(ctx, server, opts)
	}
	return config, nil
}

// notice hears what the server says beside its answers. Where somebody ends the wait for the synchronous replicas (an
// administrator, the server that stops), the transaction stays on that server's disk, and is confirmed with no more
// than a warning (PostgreSQL's SyncRepWaitForLSN): a replica that takes over then would not have it.
func notice(server *pgconn.PgConn, said *pgconn.Notice) {
	if c, met := server.CustomData()[customConnection].(*connection); met && said.Routine == "SyncRepWaitForLSN" {
		c.alone = true
	}
}

// connectionOf returns what the engine keeps of a connection.
func connectionOf(conn *pgx.Conn) *connection {
	return conn.PgConn().CustomData()[customConnection].(*connection)
}

// meet looks at a server that a connection was just made to, and prepares the
// connection. It refuses one that the store cannot be kept on, so that the next
// of several hosts is tried.
func meet(ctx context.Context, server *pgconn.PgConn, opts *Options) error {
	facts, err := server.Exec(ctx,
		`SELECT pg_backend_pid(), current_setting('server_version_num'), current_setting('server_encoding'),
		current_setting('transaction_read_only'), current_setting('synchronous_commit'),
		EXTRACT(EPOCH FROM pg_postmaster_start_time()), current_setting('client_min_messages')`).ReadAll()
	if err != nil {
		return err
	}
	if len(facts) != 1 || len(facts[0].Rows) != 1 || len(facts[0].Rows[0]) != 7 {
		return fmt.Errorf("%w: it is no PostgreSQL", errUnfit)
	}
	fact := func(i int) string { return string(facts[0].Rows[0][i]) }
	version, _ := strconv.Atoi(fact(1))
	switch {
	case version < leastVersion:
		return fmt.Errorf("%w: it is PostgreSQL %d; want 15 or later", errUnfit, version/10000)
	case fact(2) != "UTF8":
		return fmt.Errorf("%w: the database is encoded in %s; want UTF8", errUnfit, fact(2))
	case fact(3) != "off":
		return errors.New("the server only lets read: it is a standby, or was set so")
	}
	if l := linkOf(server); l != nil {
		life := fact(5)
		l.life.Store(&life)
	}
	c := &connection{server: server, statements: make(map[string]*statement)}
	// A pooler gives its clients process numbers of its own.
	c.direct = !opts.Pooled && fact(0) == strconv.FormatUint(uint64(server.PID()), 10)
	c.settings = []string{
		"statement_timeout", milliseconds(statementTimeout),
		"lock_timeout", milliseconds(lockTimeout),
		"idle_in_transaction_session_timeout", milliseconds(idleTimeout),
	}
	if fact(4) == "off" {
		// What was answered would not be on disk.
		opts.Log.Warn("the database has synchronous_commit turned off; it is turned on for the server's transactions")
		c.settings = append(c.settings, "synchronous_commit", "on")
	}
	if fact(6) == "error" {
		c.settings = append(c.settings, "client_min_messages", "warning") // which notice waits for
	}
	server.CustomData()[customConnection] = c
	if !c.direct {
		return nil
	}
	// Prepared statements are planned once, for any argument, by way of the indexes
	// that are there for them: to plan lists anew costs more than to read them.
	c.settings = append(c.settings, "plan_cache_mode", "force_generic_plan", "jit", "off",
		"max_parallel_workers_per_gather", "0",
		"enable_seqscan", "off", "enable_hashjoin", "off", "enable_mergejoin", "off")
	var set strings.Builder
	for i := 0; i < len(c.settings); i += 2 {
		fmt.Fprintf(&set, "SET %s = '%s';", c.settings[i], c.settings[i+1])
	}
	_, err = server.Exec(ctx, set.String()).ReadAll()
	return err
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// allowed bounds the time until the server has answered what is sent next. The
// bound is the socket's, not a context's: that of an Update does not end.
func (c *connection) allowed(d time.Duration) {
	_ = c.server.Conn().SetDeadline(time.Now().Add(d)) // fails on a closed connection only, which the statement will too
}
