package trace

import (
	"context"
	"log/slog"
)

// The names by which a line of the log is known as one of a call's, and of a trace's.
const (
	fieldRequest = "request_id"
	fieldTrace   = "trace_id"
)

// Logger returns a logger whose lines have the id of the call in whose context they are
// written, and the id of its trace if that is recorded.
func Logger(inner *slog.Logger) *slog.Logger { return slog.New(handler{inner.Handler()}) }

type handler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	w := workOf(ctx)
	if w == nil || w.request == "" && w.trace == "" {
		return h.Handler.Handle(ctx, r)
	}
	named := w.request == ""
	r.Attrs(func(a slog.Attr) bool { // lines that are about calls have it in a place of their own
		named = named || a.Key == fieldRequest
		return !named
	})
	r = r.Clone()
	if !named {
		r.AddAttrs(slog.String(fieldRequest, w.request))
	}
	if w.trace != "" {
		r.AddAttrs(slog.String(fieldTrace, w.trace))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }
