package natsbus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/nats-io/nats.go"

	"signet/internal/live"
	"signet/internal/live/envelope"
	"signet/internal/live/link"
)

const (
	// NATS is tried again this often, forever, while it is away.
	retryWait, retryJitter = 250 * time.Millisecond, 250 * time.Millisecond

	// A connection on which nothing comes back for two of these is given up.
	pingInterval = 5 * time.Second

	// writeTimeout is how long the worker waits for a connection that takes nothing.
	writeTimeout = 5 * time.Second

	closeTimeout = time.Second
)

// Open connects a hub to those of other nodes. It does not wait for NATS: while that
// is away, it is tried again, and notices are dropped. An error is about the options.
func Open(hub *live.Hub, o Options) (*Bus, error) {
	name, err := envelope.Installation(o.Secret, o.Epoch)
	if err != nil {
		return nil, fmt.Errorf("open bus: %w", err)
	}
	sealing, err := envelope.New(o.Secret, o.Epoch)
	if err != nil {
		return nil, fmt.Errorf("open bus: %w", err)
	}
	b := &Bus{
		hub: hub, log: o.Log, subjects: newSubjects(name), envelope: sealing,
		link: link.New(o.Log, link.Levels{Away: slog.LevelWarn, Back: slog.LevelInfo}), out: make(chan letter, outgoing),
		in: make(chan *nats.Msg, incoming), interest: newInterest(), fresh: fresh{changed: make(chan struct{}, 1)},
	}
	b.life, b.end = context.WithCancel(context.Background())
	servers, access, err := o.access(b.link.Complain)
	if err == nil {
		b.conn, err = nats.Connect(servers, append(b.options(), access...)...)
	}
	if err != nil {
		b.end()
		return nil, fmt.Errorf("open bus: %w", withoutURL(err))
	}
	if _, err := b.conn.ChanSubscribe(b.subjects.all, b.in); err != nil {
		b.end()
		b.conn.Close()
		return nil, fmt.Errorf("open bus: %w", err)
	}
	for _, task := range []func(){b.work, b.listen, b.confirm} {
		b.running.Go(task)
	}
	return b, nil
}

// withoutURL takes the address, which may hold a password, out of an error.
func withoutURL(err error) error {
	if wrong, ok := errors.AsType[*url.Error](err); ok {
		return wrong.Err
	}
	return err
}

func (b *Bus) options() []nats.Option {
	return []nats.Option{
		nats.Name("signet"), nats.NoEcho(),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(),
		nats.ReconnectWait(retryWait), nats.ReconnectJitter(retryJitter, retryJitter),
		nats.ReconnectBufSize(-1), // what waits for a connection would be old news
		nats.PingInterval(pingInterval), nats.FlusherTimeout(writeTimeout),
		nats.ConnectHandler(b.back), nats.ReconnectHandler(b.back),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { b.link.Lose(err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { b.link.Lose(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { b.failed(err) }),
	}
}

// back is called when there is a connection, the first one or another.
func (b *Bus) back(conn *nats.Conn) {
	b.link.Restore(conn.ConnectedUrlRedacted())
	b.fresh.add(nil, true)
}

// failed is called when something went wrong on the side.
func (b *Bus) failed(err error) {
	switch {
	case errors.Is(err, nats.ErrSlowConsumer):
		// More came than the hub took in.
		b.link.Dropped.Add(1)
		b.hub.Miss()
	case !b.Connected():
		b.link.Lose(err)
	default:
		b.link.Complain("the bus refused something", err)
	}
}

// Close sends what waits, ends the connection, and waits for what the bus runs. It
// may be called twice.
func (b *Bus) Close() error {
	b.closing.Do(func() {
		connected := b.link.Leave()
		b.end()
		b.running.Wait()
		if connected {
			_ = b.conn.FlushTimeout(closeTimeout) // what is lost by then is looked for by the others
		}
		b.conn.Close()
	})
	return nil
}
