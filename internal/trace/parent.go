package trace

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// HeaderParent is the header in which a trace goes from program to program (W3C Trace
// Context), in the form that net/http has it.
const HeaderParent = "Traceparent"

// remote reads what another program wrote of its span. What cannot be read is of no span. A
// tracestate is neither read nor passed on: it is a text of whoever calls.
func remote(traceparent string) context.Context {
	return propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": traceparent})
}

// Parent writes the span that a context is in, for a program that is called in it; "" where
// there is none. A span that is not recorded is written too: it says that the others need not
// record theirs.
func Parent(ctx context.Context) string {
	w := workOf(ctx)
	if w == nil || w.span == nil {
		return ""
	}
	return write(w.span.SpanContext())
}

// Parent writes the span, where it is recorded.
func (s Span) Parent() string {
	if !s.Recorded() {
		return ""
	}
	return write(s.of.SpanContext())
}

func write(of oteltrace.SpanContext) string {
	if !of.IsValid() {
		return ""
	}
	flags := "-00"
	if of.IsSampled() {
		flags = "-01"
	}
	return "00-" + of.TraceID().String() + "-" + of.SpanID().String() + flags
}
