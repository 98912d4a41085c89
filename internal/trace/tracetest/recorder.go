package tracetest

import (
	"context"
	"slices"
	"sync"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"signet/internal/trace"
)

// Recorder keeps the spans that have ended, for tests of what makes them.
type Recorder struct {
	mu    sync.Mutex // guards all below
	spans []sdk.ReadOnlySpan
}

// Record returns a tracer that records this share of the traces nobody else decides on. follow says
// that callers decide on theirs.
func Record(share float64, follow bool) (*trace.Tracer, *Recorder) {
	r := new(Recorder)
	return trace.New(sdk.NewTracerProvider(sdk.WithSpanProcessor(r),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(share)))), follow), r
}

// Spans returns the spans in the order in which they ended.
func (r *Recorder) Spans() []sdk.ReadOnlySpan {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.spans)
}

// Ended returns the names of the spans in the order in which they ended; of one that failed with " !"
// behind it.
func (r *Recorder) Ended() (names []string) {
	for _, s := range r.Spans() {
		name := s.Name()
		if s.Status().Code == codes.Error {
			name += " !"
		}
		names = append(names, name)
	}
	return names
}

// OnStart implements sdk.SpanProcessor.
func (r *Recorder) OnStart(context.Context, sdk.ReadWriteSpan) {}

// OnEnd implements sdk.SpanProcessor.
func (r *Recorder) OnEnd(s sdk.ReadOnlySpan) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spans = append(r.spans, s)
}

// Shutdown implements sdk.SpanProcessor.
func (r *Recorder) Shutdown(context.Context) error { return nil }

// ForceFlush implements sdk.SpanProcessor.
func (r *Recorder) ForceFlush(context.Context) error { return nil }
