package otlp

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

const (
	// waiting is how many spans wait to be sent: some 2 MB.
	waiting = 4096
	// together is how many are sent in one request, at most.
	together = 512
	// usualPace is for how long a span waits for others.
	usualPace = 2 * time.Second
	// farewell is how long a server that stops waits for the collector.
	farewell = 3 * time.Second
)

// Options are what an exporter is made with.
type Options struct {
	Endpoint string        // base URL of the collector; /v1/traces is added
	Headers  string        // file with headers for each request, a line each ("Name: value"); empty: none
	CA       string        // file with the authorities (PEM) of the collector's certificate; empty: the machine's
	Sample   float64       // the share of traces that are recorded, 0 to 1, of those whose caller does not say
	Service  string        // the name of the service
	Version  string        // of the program
	Instance string        // tells one server from others
	Log      *slog.Logger  // of failures, once until there was a success
	Pace     time.Duration // for how long a span waits for others; 0: 2 s
}

// Exporter sends spans. It is safe for concurrent use.
type Exporter struct {
	Counts

	provider *sdk.TracerProvider
	sender   *sender
	log      *slog.Logger
	pace     time.Duration
	queue    chan sdk.ReadOnlySpan
	life     context.Context // until Close
	end      context.CancelFunc
	rest     context.Context // until a while after it, in which the last request may end
	cut      context.CancelFunc
	running  sync.WaitGroup
	failing  bool // the log was told, and there was no success since; the goroutine's own
}

// Counts are of spans since the start.
type Counts struct {
	Sent    atomic.Int64 // the collector has taken them
	Dropped atomic.Int64 // there was no room for them to wait
	Failed  atomic.Int64 // the collector was away, or refused them
}

// Open starts an exporter. It calls nobody before there is a span to send. An error is about
// the options, or the files that they name.
func Open(o Options) (*Exporter, error) {
	e, err := newExporter(o)
	if err == nil {
		e.running.Go(e.run)
	}
	return e, err
}

// newExporter returns an exporter that does not run yet.
func newExporter(o Options) (*Exporter, error) {
	s, err := newSender(o)
	if err != nil {
		return nil, err
	}
	e := &Exporter{sender: s, log: o.Log, pace: cmp.Or(o.Pace, usualPace), queue: make(chan sdk.ReadOnlySpan, waiting)}
	// All that the SDK would else take from OTEL_... variables is said here.
	e.provider = sdk.NewTracerProvider(
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(o.Sample))),
		sdk.WithSpanProcessor(e.processor()),
		sdk.WithRawSpanLimits(sdk.SpanLimits{AttributeValueLengthLimit: 256, AttributeValueDepthLimit: 1,
			AttributeCountLimit: 32, LinkCountLimit: 32, EventCountLimit: 0, AttributePerLinkCountLimit: 0}),
	)
	e.life, e.end = context.WithCancel(context.Background())
	e.rest, e.cut = context.WithCancel(context.Background())
	return e, nil
}

// Provider is what makes the spans.
func (e *Exporter) Provider() oteltrace.TracerProvider { return e.provider }

// Close sends what waits, for 3 s at most, and ends the exporter. It may be called twice.
func (e *Exporter) Close() error {
	late := time.AfterFunc(farewell, e.cut)
	defer late.Stop()
	e.end()
	e.running.Wait()
	return nil
}

// run sends what waits until the exporter is closed.
func (e *Exporter) run() {
	defer e.sender.close()
	tick := time.NewTicker(e.pace)
	defer tick.Stop()
	var batch []sdk.ReadOnlySpan
	for {
		select {
		case span := <-e.queue:
			if batch = append(batch, span); len(batch) < together {
				continue
			}
		case <-tick.C:
		case <-e.life.Done():
			e.sendRest(batch)
			return
		}
		e.send(batch)
		batch = nil
	}
}

// sendRest sends what waits when the exporter is closed.
func (e *Exporter) sendRest(batch []sdk.ReadOnlySpan) {
	for {
		select {
		case span := <-e.queue:
			if batch = append(batch, span); len(batch) < together {
				continue
			}
			e.send(batch)
			batch = nil
		default:
			e.send(batch)
			return
		}
	}
}

// send sends spans, and counts what became of them.
func (e *Exporter) send(batch []sdk.ReadOnlySpan) {
	if len(batch) == 0 {
		return
	}
	refused, err := e.sender.send(e.rest, e.life, batch)
	if err != nil {
		refused = int64(len(batch))
	}
	e.Failed.Add(refused)
	e.Sent.Add(int64(len(batch)) - refused)
	switch {
	case err != nil && !e.failing:
		e.failing = true
		e.log.Warn("traces do not reach their collector, and are dropped: everything else goes on", "error", err)
	case err == nil && e.failing:
		e.failing = false
		e.log.Info("traces reach their collector again")
	}
}

// processor is what the SDK tells of spans.
func (e *Exporter) processor() sdk.SpanProcessor { return processor{e} }

type processor struct{ to *Exporter }

// OnStart implements sdk.SpanProcessor.
func (processor) OnStart(context.Context, sdk.ReadWriteSpan) {}

// OnEnd implements sdk.SpanProcessor.
func (p processor) OnEnd(span sdk.ReadOnlySpan) {
	select {
	case p.to.queue <- span:
	default:
		p.to.Dropped.Add(1)
	}
}

// Shutdown implements sdk.SpanProcessor. The exporter is closed by Close.
func (processor) Shutdown(context.Context) error { return nil }

// ForceFlush implements sdk.SpanProcessor.
func (processor) ForceFlush(context.Context) error { return nil }
