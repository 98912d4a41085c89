package trace

import (
	"context"

	oteltrace "go.opentelemetry.io/otel/trace"
)

// Work is the context of a call, of a task, or of a part of either: by it the log and the
// spans know what they belong to. It lies in what lives as long as the work, and then takes
// no memory of its own. It is filled before anybody sees it as a context, and is not changed
// afterwards.
type Work struct {
	context.Context

	request string         // the id of the call; empty: it is none
	trace   string         // the id of the trace, in hex; empty: it is not recorded
	span    oteltrace.Span // nil: there are no traces
}

type workKey struct{}

// Value is that of the context, which also knows the work itself.
func (w *Work) Value(key any) any {
	if key == (workKey{}) {
		return w
	}
	return w.Context.Value(key)
}

// workOf returns the work that a context is of, or nil.
func workOf(ctx context.Context) *Work {
	w, _ := ctx.Value(workKey{}).(*Work)
	return w
}

// Begin makes w the context of a call with this id, which is not traced.
func (w *Work) Begin(ctx context.Context, request string) { w.Context, w.request = ctx, request }

// Request is the id of the call.
func (w *Work) Request() string { return w.request }

// Outlive is the work for what goes on after a call, as a stream does: the log knows it as
// the call's, and its spans have ended. Of the call's context it keeps nothing.
func (w *Work) Outlive() Work {
	return Work{Context: context.Background(), request: w.request, trace: w.trace}
}

// Follow returns a context whose lines in the log are those of the call that other is of. It
// keeps nothing else of it.
func Follow(ctx, other context.Context) context.Context {
	of := workOf(other)
	if of == nil {
		return ctx
	}
	return &Work{Context: ctx, request: of.request, trace: of.trace}
}
