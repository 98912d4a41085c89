package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"signet/internal/store"
)

// acquireTimeout is how long a call waits for its turn when all connections are
// in use.
const acquireTimeout = 10 * time.Second

// acquire takes a connection from the pool, or makes one. It fails with the error
// of ctx, or with one that is ErrUnavailable.
func (e *Engine) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	wait, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	conn, err := e.pool.Acquire(wait)
	if err == nil {
		e.down.Store(0)
		return conn, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if refused(err) {
		return nil, err
	}
	if errors.As(err, new(*pgconn.ConnectError)) {
		e.down.CompareAndSwap(0, time.Now().UnixNano())
		return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return nil, fmt.Errorf("%w: no connection became free: %w", store.ErrUnavailable, err)
}

// errUnfit says that the store cannot be kept on this server.
var errUnfit = errors.New("the server cannot be used")

// refused reports whether a connection failed for a reason that waiting does not
// mend: an unfit server, wrong credentials, no such database.
func refused(err error) bool {
	told, ok := errors.AsType[*pgconn.PgError](err)
	return errors.Is(err, errUnfit) || ok && ofClass(told, "28", "3D")
}

// acquired is the verdict on an error of acquire.
func acquired(ctx context.Context, err error) verdict {
	if ctx.Err() != nil || refused(err) {
		return final
	}
	return afresh
}

// attempts paces the tries of one transaction.
type attempts struct {
	engine *Engine
	began  time.Time
	tries  int
}

// more waits a while, longer each time and never the same, and reports whether to try
// the transaction again. It is not when the patience is over, or when the server has
// been away for longer than that already.
func (a *attempts) more(v verdict) bool {
	e := a.engine
	now := time.Now()
	if now.Sub(a.began) > e.patience {
		return false
	}
	if down := e.down.Load(); v == afresh && down != 0 && now.Sub(time.Unix(0, down)) > e.patience {
		return false
	}
	a.tries++
	e.stats.retries.Add(1)
	longest := time.Millisecond << min(a.tries, 8)
	if v == again || a.tries > 1 { // what is dead in the pool is replaced at once
		time.Sleep(longest/2 + rand.N(longest))
	}
	return true
}
