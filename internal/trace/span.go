package trace

import (
	"context"

	"go.opentelemetry.io/otel/codes"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// The names of spans, but for those of calls ("POST /v2/message") and tasks ("task sweep").
const (
	Transaction = "transaction"
	Blob        = "file"
	BusSend     = "bus send"
	BusReceive  = "bus receive"
)

// Span is a piece of work in a trace. Of the zero value, which is not recorded, every method
// does nothing. One goroutine at a time uses it.
type Span struct{ of oteltrace.Span }

// Start begins a span in the work that a context is of, and returns the context of what belongs
// to it. Where that work is not recorded, the context is the same, and the span is the zero value.
func Start(ctx context.Context, name string) (context.Context, Span) {
	w := workOf(ctx)
	if w == nil || w.span == nil || !w.span.IsRecording() {
		return ctx, Span{}
	}
	return w.start(ctx, name, oteltrace.SpanKindInternal)
}

// Send is Start for what goes to another program.
func Send(ctx context.Context, name string) (context.Context, Span) {
	w := workOf(ctx)
	if w == nil || w.span == nil || !w.span.IsRecording() {
		return ctx, Span{}
	}
	return w.start(ctx, name, oteltrace.SpanKindProducer)
}

func (w *Work) start(ctx context.Context, name string, kind oteltrace.SpanKind) (context.Context, Span) {
	tracer := w.span.TracerProvider().Tracer(scope)
	_, span := tracer.Start(oteltrace.ContextWithSpan(context.Background(), w.span), name, oteltrace.WithSpanKind(kind))
	return &Work{Context: ctx, request: w.request, trace: w.trace, span: span}, Span{span}
}

// Recorded reports whether anybody will see the span: what its attributes take need not be
// found out else.
func (s Span) Recorded() bool { return s.of != nil && s.of.IsRecording() }

// Set adds attributes.
func (s Span) Set(attributes ...Attribute) {
	if s.of == nil {
		return
	}
	for _, a := range attributes {
		s.of.SetAttributes(a.of)
	}
}

// Rename gives the span another name, which is one of a few.
func (s Span) Rename(name string) {
	if s.of != nil {
		s.of.SetName(name)
	}
}

// Fail says that the work failed, and why, by a code of the interface or another word of a
// few: what an error says may name anything.
func (s Span) Fail(code string) {
	if s.of != nil {
		s.of.SetAttributes(text(keyError, code).of)
		s.of.SetStatus(codes.Error, "")
	}
}

// EndTask ends the span of a task, which failed if err says so. That the server stops, which ends ctx,
// is no failure.
func (s Span) EndTask(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		s.Fail("failed")
	}
	s.End()
}

// End ends the span. It may be called twice.
func (s Span) End() {
	if s.of != nil {
		s.of.End()
	}
}
