package load

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"runtime/debug"
	"time"
)

// Progress is how far a run is.
type Progress struct {
	Plan       Plan
	Phase      string        // one of those below
	Elapsed    time.Duration // of the phase, where it has a length
	Length     time.Duration
	Operations int64   // so far
	Total      int64   // operations at which it ends; 0: a time ends it
	PerSecond  float64 // since the last report
	Failed     int64
}

// The phases of a run.
const (
	phasePreparing  = "preparing"
	phaseWarmup     = "warming up"
	phaseMeasuring  = "measuring"
	phaseFilling    = "storing messages"
	phaseCleaningUp = "cleaning up"
)

// reportInterval is how often progress is told while a run is measured.
const reportInterval = time.Second

// Run carries out a plan on a server and returns what came of it, after removing what
// it made there. show, which may be nil, gets the progress. If ctx ends during the
// measurement, the result covers what was measured until then, and says so; if it
// ends before, there is an error and no result. A floor that cannot be measured
// afterwards and a server that cannot be cleaned up are errors beside the result.
func Run(ctx context.Context, t *Target, p Plan, show func(Progress)) (result *Result, err error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if show == nil {
		show = func(Progress) {}
	}
	show(Progress{Plan: p, Phase: phasePreparing})
	s, err := newStage(ctx, t)
	if err != nil {
		return nil, err
	}
	defer func() {
		if !t.Keep {
			show(Progress{Plan: p, Phase: phaseCleaningUp})
		}
		err = errors.Join(err, s.strike(ctx))
	}()
	nodes, err := t.nodes()
	if err != nil {
		return nil, err
	}
	g := &gauge{servers: t.Servers, database: t.Database, counters: t.Counters, others: t.Gauges}
	if p.Scenario == Streams {
		return idle(ctx, s, &p, g, show)
	}
	scenario := newScenario(p.Scenario)
	if f, ok := scenario.(interface{ finish() }); ok {
		defer f.finish()
	}
	if err := scenario.prepare(ctx, s, &p); err != nil {
		return nil, fmt.Errorf("prepare the scenario %s: %w", p.Scenario, err)
	}
	operate := scenario.operate
	if len(nodes) > 0 {
		operate = func(ctx context.Context, c *connection, worker int) error {
			c.node = nodes[worker%len(nodes)]
			return scenario.operate(ctx, c, worker)
		}
	}
	result, err = t.Floor.around(ctx, p, show, func() *Result { return measure(ctx, &p, g, operate, show) })
	if result == nil {
		return nil, err
	}
	switch scenario := scenario.(type) {
	case *delivering:
		result.copied(scenario.copies)
	case *grouping:
		result.copied(p.Members - 1)
	}
	return result, err
}

// nodes are the addresses of the servers that calls go to in turn.
func (t *Target) nodes() (nodes []*url.URL, err error) {
	for _, base := range t.Nodes {
		node, err := url.Parse(base)
		if err != nil {
			return nil, fmt.Errorf("the base URL of a server: %w", err)
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}

// measure runs a plan's operations: first those that warm the server up, then,
// without a pause, those that count.
func measure(ctx context.Context, p *Plan, g *gauge, operate func(context.Context, *connection, int) error,
	show func(Progress)) *Result {
	connections := make([]*connection, p.Connections)
	for i := range connections {
		connections[i] = newConnection(readBuffer)
		defer connections[i].close()
	}
	defer lessCollecting()()
	// Where nothing warms the server up, an operation may have ended before anything could be read
	// beside it. So it is read before.
	var first reading
	var counted countsAt
	if p.Warmup == 0 {
		first, counted = g.read(), g.count(func() int64 { return 0 })
	}
	begin := time.Now()
	from := begin.Add(p.Warmup)
	rec := newRecorder(from)
	done := func() int64 { done, _ := rec.counts(); return done }
	run := &pace{
		workers: p.Connections, rate: p.Rate, begin: begin, end: from.Add(p.Duration), record: rec, sleep: sleep,
		operate: func(ctx context.Context, worker int) error { return operate(ctx, connections[worker], worker) },
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run.run(ctx)
	}()
	show(Progress{Plan: *p, Phase: phaseWarmup, Length: p.Warmup})
	at := begin
	if p.Warmup > 0 {
		warm := time.NewTimer(p.Warmup)
		defer warm.Stop()
		select {
		case <-warm.C:
		case <-ended: // it was interrupted
		}
		first, at = g.read(), time.Now()
		counted = g.count(done)
	}
	s := newSampler(p, rec, g, first, at)
	watch(ended, p, rec, s, begin, show)
	last, over := g.read(), time.Now()
	if p.Scenario == Group { // in a large one the calls are answered before all members have their event
		last, over = g.rest(ctx)
	}
	result := newResult(p, rec, first, last, over.Sub(at))
	result.Counts = g.count(done).since(counted)
	result.Interrupted = ctx.Err() != nil
	result.Samples = s.samples
	return result
}

// watch tells about the progress until the run has ended, and has samples taken.
func watch(ended <-chan struct{}, p *Plan, rec *recorder, s *sampler, begin time.Time, show func(Progress)) {
	ticker := time.NewTicker(reportInterval)
	defer ticker.Stop()
	due, stop := s.ticks()
	defer stop()
	last, lastAt := int64(0), time.Now()
	for {
		select {
		case <-ended:
			s.last()
			return
		case <-due:
			s.take()
		case now := <-ticker.C:
			done, failed := rec.counts()
			show(Progress{
				Plan: *p, Phase: phaseMeasuring, Elapsed: now.Sub(begin) - p.Warmup, Length: p.Duration,
				Operations: done, PerSecond: float64(done-last) / now.Sub(lastAt).Seconds(), Failed: failed,
			})
			last, lastAt = done, now
		}
	}
}

// collectAt is how much the generator's heap may grow before it is collected: it
// is small, and on a machine that the server shares, collecting takes the server's
// time.
const collectAt = 800

// lessCollecting makes garbage collection rarer until the function that it returns
// is called.
func lessCollecting() (restore func()) {
	runtime.GC()
	before := debug.SetGCPercent(collectAt)
	return func() { debug.SetGCPercent(before) }
}
