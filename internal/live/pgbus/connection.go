package pgbus

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	connectTimeout = 5 * time.Second // to each of several hosts
	closeTimeout   = time.Second
)

// configure makes settings for connections from the address that the store is opened with. The
// pool's own are left out.
func configure(url string) (*pgconn.Config, error) {
	pool, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the database's address cannot be read") // it may hold a password
	}
	config := pool.ConnConfig.Config.Copy()
	if config.ConnectTimeout <= 0 {
		config.ConnectTimeout = connectTimeout
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "signet bus"
	}
	config.DialFunc = (&net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second,
		Interval: 5 * time.Second, Count: 3}}).DialContext
	return config, nil
}

func (b *Bus) dial(prepare func(*pgconn.PgConn) string, heard func(*pgconn.Notification)) (*pgconn.PgConn, error) {
	return dial(b.life, b.config, prepare, heard)
}

// dial connects to the first host of the address that does what prepare says. So a standby,
// which takes neither LISTEN nor NOTIFY, is passed over.
func dial(ctx context.Context, to *pgconn.Config, prepare func(*pgconn.PgConn) string,
	heard func(*pgconn.Notification)) (*pgconn.PgConn, error) {
	config := to.Copy()
	fits := config.ValidateConnect // of target_session_attrs
	config.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if fits != nil {
			if err := fits(ctx, conn); err != nil {
				return err
			}
		}
		_, err := conn.Exec(ctx, prepare(conn)).ReadAll()
		return err
	}
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { heard(n) }
	return pgconn.ConnectConfig(ctx, config)
}

// dialHearing makes the connection that hears. Nothing is sent over it afterwards, and the
// database must not end it for that. Behind a pooler the database's own setting stays: the
// session may be given to somebody else.
func (b *Bus) dialHearing(heard func(*pgconn.Notification)) (*pgconn.PgConn, error) {
	return b.dial(func(conn *pgconn.PgConn) string {
		return "LISTEN " + b.channel + "; SELECT set_config('idle_session_timeout', '0', false) WHERE pg_backend_pid() = " +
			strconv.FormatUint(uint64(conn.PID()), 10)
	}, heard)
}

// dialSaying makes the connection that says. To hear is for the other one: a pooler may give
// both of them the same connection to the server.
func (b *Bus) dialSaying() (*pgconn.PgConn, error) {
	return b.dial(func(*pgconn.PgConn) string { return "NOTIFY " + b.channel }, func(*pgconn.Notification) {})
}

// saying notifies of several letters, in their order. The transaction does not wait for the
// disk, because a letter that is lost does no harm. It sets that for itself alone: a setting of
// the session could be passed by a pooler to one of the store's transactions, which have to wait.
const saying = `SELECT pg_notify($1, letter), set_config('synchronous_commit', 'off', true) ` +
	`FROM unnest(CAST($2 AS text[])) AS letter`

// notify says these letters, which are in base64, in one transaction.
func (b *Bus) notify(conn *pgconn.PgConn, letters []string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.life), b.pace.patience)
	defer cancel()
	list := "{" + strings.Join(letters, ",") + "}" // nothing in base64 has to be quoted
	_, err := conn.ExecParams(ctx, saying, [][]byte{[]byte(b.channel), []byte(list)}, nil, nil, nil).Close()
	return err
}

// unlisten takes LISTEN back, as far as a pooler lets it get to the connection that has it.
func unlisten(conn *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_, _ = conn.Exec(ctx, "UNLISTEN *").ReadAll() // else it ends with the connection
}

// hangUp ends a connection. One that takes nothing any more is left to end by itself.
func hangUp(conn *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_ = conn.Close(ctx) // there is nothing more to say
	select {
	case <-conn.CleanupDone():
	case <-ctx.Done():
	}
}

// jitter is a random time up to a limit, so that nodes do not come back all at once.
func jitter(limit time.Duration) time.Duration { return rand.N(limit) }
