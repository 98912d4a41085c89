package trace

import (
	"context"

	oteltrace "go.opentelemetry.io/otel/trace"
)

// scope is the name under which the server's spans are known to OpenTelemetry.
const scope = "signet"

// Tracer begins traces. A nil one begins none. It is safe for concurrent use.
type Tracer struct {
	of     oteltrace.Tracer
	follow bool
}

// New returns a tracer of a provider. follow says that a call is part of its caller's trace,
// and recorded as its caller wants it.
func New(provider oteltrace.TracerProvider, follow bool) *Tracer {
	return &Tracer{provider.Tracer(scope), follow}
}

// Call begins the work of a call with this id, whose caller sent these values of the header
// Traceparent. The span is named when it is known what is called.
func (t *Tracer) Call(w *Work, ctx context.Context, request string, traceparent []string) Span {
	w.Begin(ctx, request)
	if t == nil {
		return Span{}
	}
	parent := context.Background()
	if t.follow && len(traceparent) == 1 {
		parent = remote(traceparent[0])
	}
	return t.begin(w, parent, "call", oteltrace.SpanKindServer)
}

// Task begins the work of a task in the background, or of a part of one.
func (t *Tracer) Task(ctx context.Context, name string) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	w, parent := &Work{Context: ctx}, context.Background()
	if of := workOf(ctx); of != nil && of.span != nil {
		w.request, parent = of.request, oteltrace.ContextWithSpan(parent, of.span)
	}
	span := t.begin(w, parent, "task "+name, oteltrace.SpanKindInternal)
	span.Set(task(name))
	return w, span
}

// Receive begins the work of what another server said: it is in the trace of the first of the
// spans that told of it, and linked to the others. Where none did, nothing is recorded.
func (t *Tracer) Receive(ctx context.Context, name string, traceparents []string) (context.Context, Span) {
	if t == nil || len(traceparents) == 0 {
		return ctx, Span{}
	}
	var links []oteltrace.Link
	for _, other := range traceparents[1:] {
		if to := oteltrace.SpanContextFromContext(remote(other)); to.IsValid() {
			links = append(links, oteltrace.Link{SpanContext: to})
		}
	}
	parent := remote(traceparents[0])
	if !oteltrace.SpanContextFromContext(parent).IsValid() {
		return ctx, Span{}
	}
	w := &Work{Context: ctx}
	return w, t.begin(w, parent, name, oteltrace.SpanKindConsumer, oteltrace.WithLinks(links...))
}

// begin begins a span that is the whole of its work on this server.
func (t *Tracer) begin(w *Work, parent context.Context, name string, kind oteltrace.SpanKind,
	more ...oteltrace.SpanStartOption) Span {
	_, w.span = t.of.Start(parent, name, append(more, oteltrace.WithSpanKind(kind))...)
	if to := w.span.SpanContext(); to.IsSampled() {
		w.trace = to.TraceID().String()
	}
	return Span{w.span}
}
