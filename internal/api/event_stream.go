package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"signet/internal/api/sink"
	"signet/internal/audit"
	"signet/internal/large"
	"signet/internal/model"
	"signet/internal/stream"
	"signet/internal/trace"
)

// streamEvents writes the queue as server-sent events (contract, section 6).
func (a *API) streamEvents(ctx context.Context, c *call) (answer, error) {
	options := a.streamOptions(c)
	hijack := c.request.ProtoMajor == 1 && !options.CloseAfterMessages
	events := sink.NewEvents(c.View, sink.Begin(&c.writer, hijack))
	ctx = a.streamRoom(ctx, c)
	st, err := a.streams.Open(ctx, c.actor, options, events)
	switch {
	case err != nil && c.writer.Status == 0:
		return answer{}, err
	case st == nil:
		c.logged = err
		return streamed(), nil
	case hijack:
		if conn, _, err := c.writer.Hijack(); err == nil {
			a.runHijacked(c, st, conn)
			return streamed(), nil
		}
	}
	a.logOpened(c)
	stop := context.AfterFunc(ctx, st.Close)
	defer stop()
	st.Run(events, func(err error) { c.logged = err })
	return streamed(), nil
}

// runHijacked runs a stream on a connection that was hijacked. The call is over for its
// caller, and is counted and logged when the stream ends.
func (a *API) runHijacked(c *call, st *stream.Stream, conn net.Conn) {
	c.hijacked = true
	a.logOpened(c)
	out := sink.NewConnection(conn)
	events, end := sink.NewEvents(c.View, out), c.ending()
	go out.Watch(st)
	go st.Run(events, func(err error) {
		out.End()
		a.streamEnded(end(), err)
	})
}

// streamWebSocket writes the queue as text frames, and reads acknowledgements
// (contract, section 6). As with server-sent events, the call returns once the replay
// is written; the goroutine that reads, the client may write to.
func (a *API) streamWebSocket(ctx context.Context, c *call) (answer, error) {
	if err := sink.CheckHandshake(c.request); err != nil {
		c.writer.Header()["Sec-WebSocket-Version"] = []string{"13"}
		return answer{}, err
	}
	options := a.streamOptions(c)
	out, err := sink.Accept(trace.Follow(audit.Outlive(ctx), ctx), &c.writer, c.request, c.View)
	if err != nil {
		c.logged = err
		return streamed(), nil
	}
	stop := context.AfterFunc(ctx, out.Abort)
	actor := c.actor
	out.Read(func(ctx context.Context, ids []string) error {
		// It counts as a call does, and waits where one would be refused: a frame has no
		// answer that could tell its client to send it again.
		if err := a.rates.Wait(ctx, &actor.Key, 1+costOfIDs(len(ids))); err != nil {
			return err
		}
		return a.service.Acknowledge(ctx, actor, ids)
	})
	st, err := a.streams.Open(a.streamRoom(out.Context(), c), actor, options, out)
	stop() // the call's context ends with it
	if st == nil {
		c.logged = out.Close(0, err)
		return streamed(), nil
	}
	c.hijacked = true
	a.logOpened(c)
	end := c.ending()
	stopped := context.AfterFunc(out.Context(), st.Close)
	go st.Run(out, func(err error) {
		stopped()
		err = out.Close(st.Reason(), err)
		a.streamEnded(end(), err)
	})
	return streamed(), nil
}

const (
	// streamRoom is what a stream takes of the memory of answers for some large events.
	streamRoom = 1 << 20
	// streamPause is how long it waits where there is none, before it asks again.
	streamPause = time.Second
)

// streamRoom returns the context of a stream whose large events wait for memory of answers.
func (a *API) streamRoom(ctx context.Context, c *call) context.Context {
	held := a.answers.Hold(c.actor.Key.Counter)
	ctx, _ = large.With(ctx, func(ctx context.Context) error {
		for held.Take(streamRoom) != nil {
			pause := time.NewTimer(streamPause)
			select {
			case <-pause.C:
			case <-ctx.Done():
				pause.Stop()
				return ctx.Err()
			}
		}
		return nil
	}, held.Release)
	return ctx
}

// ending keeps of a call only what is told of it at its end.
func (c *call) ending() func() *call {
	endpoint, id, started, status, method, caller, work := c.endpoint, c.id, c.started, c.writer.Status, c.request.Method,
		c.caller, c.work.Outlive()
	return func() *call {
		over := &call{endpoint: endpoint, id: id, started: started, streamed: true, request: &http.Request{Method: method},
			caller: caller, work: work}
		over.writer.Status = status
		return over
	}
}

// streamEnded takes note of a stream that outlived its call, which is over now.
func (a *API) streamEnded(c *call, err error) {
	if fell, ok := errors.AsType[*stream.Panic](err); ok {
		a.metrics.panics.Inc()
		a.logger.LogAttrs(&c.work, slog.LevelError, "a stream panicked", slog.String("request_id", c.id),
			slog.String("route", c.endpoint.label), slog.String("panic", model.PanicText(fell.Value)),
			slog.String("stack", string(fell.Stack)))
	}
	c.logged = err
	a.finish(c)
}
