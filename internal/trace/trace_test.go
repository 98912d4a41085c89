package trace_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	oteltrace "go.opentelemetry.io/otel/trace"

	"signet/internal/trace"
	"signet/internal/trace/tracetest"
)

const (
	theirTrace   = "4bf92f3577b34da6a3ce929d0e0e4736"
	theirSpan    = "00f067aa0ba902b7"
	theirs       = "00-" + theirTrace + "-" + theirSpan + "-01"
	theirsUnseen = "00-" + theirTrace + "-" + theirSpan + "-00"
)

// TestWithoutTracesNothingIsAllocated: what a call passes costs no memory where traces are off,
// nor where the call is not recorded.
func TestWithoutTracesNothingIsAllocated(t *testing.T) {
	unrecorded, _ := tracetest.Record(0, true)
	for name, tracer := range map[string]*trace.Tracer{"off": nil, "not recorded": unrecorded} {
		var w trace.Work
		tracer.Call(&w, t.Context(), "request", nil)
		inner, cancel := context.WithTimeout(&w, time.Hour)
		defer cancel()
		run := func() {
			ctx, span := trace.Start(inner, trace.Transaction)
			if span.Recorded() {
				span.Set(trace.Tries(1))
			}
			span.End()
			_, sent := trace.Send(ctx, trace.BusSend)
			sent.End()
		}
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
		if _, span := trace.Start(t.Context(), trace.Blob); span.Recorded() {
			t.Errorf("%s: a span outside of any work is recorded", name)
		}
	}
	var off *trace.Tracer
	w, ctx := new(trace.Work), t.Context()
	n := testing.AllocsPerRun(100, func() {
		off.Call(w, ctx, "request", nil).End()
		_, span := off.Task(ctx, "sweep")
		span.End()
	})
	if n != 0 {
		t.Errorf("a call and a task take %v allocations where traces are off, want none", n)
	}
}

// TestCallIsInTheTraceOfItsCaller, if the server follows callers, and is recorded as they want it.
func TestCallIsInTheTraceOfItsCaller(t *testing.T) {
	for _, c := range []struct {
		what        string
		share       float64
		follow      bool
		traceparent []string
		recorded    bool
		inTheirs    bool
	}{
		{"their trace, which is recorded", 0, true, []string{theirs}, true, true},
		{"their trace, which is not", 1, true, []string{theirsUnseen}, false, true},
		{"no trace", 1, true, nil, true, false},
		{"no trace, and none is recorded", 0, true, nil, false, false},
		{"what is no trace", 1, true, []string{"00-" + theirTrace + "-xyz-01"}, true, false},
		{"the zero trace", 1, true, []string{"00-" + strings.Repeat("0", 32) + "-" + theirSpan + "-01"}, true, false},
		{"two of them", 1, true, []string{theirs, theirs}, true, false},
		{"a trace that is not followed", 0, false, []string{theirs}, false, false},
		{"another one", 1, false, []string{theirsUnseen}, true, false},
	} {
		tracer, recorder := tracetest.Record(c.share, c.follow)
		var w trace.Work
		span := tracer.Call(&w, t.Context(), "request", c.traceparent)
		if span.Recorded() != c.recorded {
			t.Errorf("%s: recorded is %t", c.what, span.Recorded())
		}
		parent := trace.Parent(&w)
		if inTheirs := strings.Contains(parent, theirTrace); inTheirs != c.inTheirs {
			t.Errorf("%s: it goes on as %s", c.what, parent)
		}
		if want := map[bool]string{true: "-01", false: "-00"}[c.recorded]; !strings.HasSuffix(parent, want) {
			t.Errorf("%s: it goes on as %s, want it to end in %s", c.what, parent, want)
		}
		if span.End(); len(recorder.Spans()) > 0 != c.recorded {
			t.Errorf("%s: %d spans", c.what, len(recorder.Spans()))
		}
	}
}

// TestSpansAreNested: what belongs to a part of a call is a child of that part.
func TestSpansAreNested(t *testing.T) {
	tracer, recorder := tracetest.Record(1, true)
	var w trace.Work
	call := tracer.Call(&w, t.Context(), "request", []string{theirs})
	ctx, file := trace.Start(&w, trace.Blob)
	inner, task := tracer.Task(ctx, "sweep")
	_, transaction := trace.Start(inner, trace.Transaction)
	transaction.Fail("busy")
	transaction.End()
	task.End()
	file.End()
	call.Rename("POST /v2/message")
	call.End()
	call.End() // once more
	if _, late := trace.Start(&w, trace.Blob); late.Recorded() {
		t.Error("a span begins in one that has ended")
	}
	var names []string
	parent := oteltrace.SpanID{}
	for _, s := range slices.Backward(recorder.Spans()) {
		if names = append(names, s.Name()); len(names) > 1 && s.Parent().SpanID() != parent {
			t.Errorf("%s is no child of the one before: %v", s.Name(), names)
		}
		parent = s.SpanContext().SpanID()
		if got := s.SpanContext().TraceID().String(); got != theirTrace {
			t.Errorf("%s is in trace %s", s.Name(), got)
		}
	}
	if got, want := strings.Join(names, ", "), "POST /v2/message, file, task sweep, transaction"; got != want {
		t.Errorf("the spans are %s, want %s", got, want)
	}
}

// TestTaskThatFailsIsSuchASpan, unless it is the end of the server that ends it.
func TestTaskThatFailsIsSuchASpan(t *testing.T) {
	tracer, recorder := tracetest.Record(1, true)
	ended, end := context.WithCancel(t.Context())
	end()
	_, good := tracer.Task(t.Context(), "good")
	good.EndTask(t.Context(), nil)
	_, bad := tracer.Task(t.Context(), "bad")
	bad.EndTask(t.Context(), context.DeadlineExceeded)
	_, stopped := tracer.Task(ended, "stopped")
	stopped.EndTask(ended, ended.Err())
	if got, want := recorder.Ended(), []string{"task good", "task bad !", "task stopped"}; !slices.Equal(got, want) {
		t.Errorf("the spans are %q, want %q", got, want)
	}
}

// TestWhatOthersSaidIsInTheirTrace, and linked to all that was said with it.
func TestWhatOthersSaidIsInTheirTrace(t *testing.T) {
	tracer, recorder := tracetest.Record(0, false)
	for _, none := range [][]string{nil, {""}, {"nonsense"}, {theirsUnseen}} {
		_, span := tracer.Receive(t.Context(), trace.BusReceive, none)
		if span.End(); len(recorder.Spans()) > 0 {
			t.Fatalf("%q makes a span", none)
		}
	}
	other := strings.Replace(theirs, "4bf9", "0af7", 1)
	ctx, span := tracer.Receive(t.Context(), trace.BusReceive, []string{theirs, other, "nonsense"})
	_, inner := trace.Start(ctx, trace.Transaction)
	inner.End()
	span.End()
	if len(recorder.Spans()) != 2 {
		t.Fatalf("%d spans, want 2", len(recorder.Spans()))
	}
	got := recorder.Spans()[1]
	links := got.Links()
	if got.Parent().SpanID().String() != theirSpan || len(links) != 1 ||
		!strings.Contains(other, links[0].SpanContext.TraceID().String()) {
		t.Errorf("the parent is %v, the links %v", got.Parent(), links)
	}
	var off *trace.Tracer
	if _, span := off.Receive(t.Context(), trace.BusReceive, []string{theirs}); span.Recorded() {
		t.Error("a span without a tracer")
	}
}

// TestLinesOfACallHaveItsIds, whoever writes them, and once.
func TestLinesOfACallHaveItsIds(t *testing.T) {
	var text bytes.Buffer
	log := trace.Logger(slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{ReplaceAttr: withoutTime})))
	tracer, _ := tracetest.Record(0, true)
	var seen, unseen, off trace.Work
	tracer.Call(&seen, t.Context(), "one", []string{theirs})
	tracer.Call(&unseen, t.Context(), "two", nil)
	(*trace.Tracer)(nil).Call(&off, t.Context(), "three", nil)
	stream := seen.Outlive()
	inner, cancel := context.WithCancel(&seen)
	defer cancel()
	log.WarnContext(inner, "a")
	log.WarnContext(&seen, "b", "request_id", "one", "more", 1)
	log.WarnContext(&unseen, "c")
	log.With("part", "x").WarnContext(&off, "d")
	log.WarnContext(t.Context(), "e")
	log.WarnContext(&stream, "f")
	log.WarnContext(trace.Follow(t.Context(), &seen), "g")
	log.WarnContext(trace.Follow(t.Context(), t.Context()), "h")
	want := `level=WARN msg=a request_id=one trace_id=` + theirTrace + `
level=WARN msg=b request_id=one more=1 trace_id=` + theirTrace + `
level=WARN msg=c request_id=two
level=WARN msg=d part=x request_id=three
level=WARN msg=e
level=WARN msg=f request_id=one trace_id=` + theirTrace + `
level=WARN msg=g request_id=one trace_id=` + theirTrace + `
level=WARN msg=h
`
	if text.String() != want {
		t.Errorf("the log is\n%s\nwant\n%s", &text, want)
	}
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}
