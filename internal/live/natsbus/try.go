package natsbus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
)

// Try finds out whether the NATS servers of the options take this node in: it connects, and asks
// for a sign of life. It says nothing to anybody. Secret and Epoch are not needed. The error repeats
// no password.
func Try(ctx context.Context, o Options) error {
	o.Log = slog.New(slog.DiscardHandler)
	var wrong error // of a file that is read at each connection
	servers, access, err := o.access(func(what string, err error) { wrong = fmt.Errorf("%s: %w", what, err) })
	if err != nil {
		return withoutURL(err)
	}
	ctx, cancel := context.WithTimeout(ctx, nats.DefaultTimeout)
	defer cancel()
	end, _ := ctx.Deadline()
	options := append([]nats.Option{nats.Name("signet doctor"), nats.NoReconnect(), nats.Timeout(time.Until(end))},
		access...)
	conn, err := nats.Connect(servers, options...)
	if err != nil {
		return errors.Join(wrong, withoutURL(err))
	}
	defer conn.Close()
	return conn.FlushWithContext(ctx)
}
