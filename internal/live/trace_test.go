package live

import (
	"slices"
	"testing"

	"signet/internal/trace"
	"signet/internal/trace/tracetest"
)

// TestNoticesAreInTheTraceOfWhatCausedThem, also where a bus says several together.
func TestNoticesAreInTheTraceOfWhatCausedThem(t *testing.T) {
	tracer, recorder := tracetest.Record(1, true)
	h, bus := NewHub(0), new(record)
	h.Connect(bus)
	h.Wake(t.Context(), alice) // of no call
	for range mostTraces + 2 {
		var w trace.Work
		call := tracer.Call(&w, t.Context(), "request", nil)
		h.Wake(&w, alice)
		call.End()
	}
	if first := bus.notices[0]; len(first.Trace) != 0 || len(first.spans) != 0 {
		t.Errorf("what no call caused is in trace %q", first.Trace)
	}
	all := bus.notices[0]
	for _, n := range bus.notices[1:] {
		all.Join(n)
	}
	if len(all.Accounts) != mostTraces+3 || len(all.Trace) != mostTraces || all.Trace[0] != bus.notices[1].Trace[0] {
		t.Errorf("together they are of %d accounts, in the traces %q", len(all.Accounts), all.Trace)
	}
	sent := func() (n int) {
		for _, name := range recorder.Ended() {
			if name == trace.BusSend+" !" {
				n++
			}
		}
		return n
	}
	if sent() != 0 {
		t.Error("spans have ended before anything is sent")
	}
	copied := all
	copied.Sent(true)
	all.Sent(true)
	if n := sent(); n != mostTraces+2 {
		t.Errorf("%d spans tell of what is dropped, want each once", n)
	}

	here := NewHub(0)
	here.Trace(tracer)
	here.Hear(all)
	spans := recorder.Spans()
	last := spans[len(spans)-1]
	if last.Name() != trace.BusReceive || len(last.Links()) != mostTraces-1 {
		t.Errorf("what is heard is %s with %d links, want %d", last.Name(), len(last.Links()), mostTraces-1)
	}
	if names := recorder.Ended(); slices.Contains(names, trace.BusSend) {
		t.Errorf("the spans are %q", names)
	}
}
