package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// idling holds streams open on which nothing happens.
type idling struct {
	streams []*listening
	readers sync.WaitGroup
	closing atomic.Bool
	ended   atomic.Int64 // streams that ended by themselves
}

// open opens the streams of people and records how long each took.
func (s *idling) open(ctx context.Context, on *stage, people []*person, atOnce int, record *recorder) error {
	s.streams = make([]*listening, len(people))
	return together(ctx, len(people), atOnce, func(_ context.Context, i int) error {
		begin := time.Now()
		l, err := on.listen(ctx, people[i])
		record.record(begin, time.Now(), err)
		if err != nil {
			if errors.As(err, new(*failure)) && ctx.Err() == nil {
				return nil // counted
			}
			return err
		}
		s.streams[i] = l
		s.readers.Go(func() { s.follow(l) })
		return nil
	})
}

func (s *idling) follow(l *listening) {
	for {
		if _, err := l.next(); err != nil {
			if !s.closing.Load() {
				s.ended.Add(1)
			}
			return
		}
	}
}

func (s *idling) finish() {
	s.closing.Store(true)
	closeAll(s.streams)
	s.readers.Wait()
}

// idle carries out the streams scenario: it opens a stream for each member, which
// are the operations, and then looks for the plan's duration at what they cost.
func idle(ctx context.Context, on *stage, p *Plan, g *gauge, show func(Progress)) (*Result, error) {
	people, err := on.hire(ctx, p.Members)
	if err != nil {
		return nil, fmt.Errorf("prepare the scenario %s: %w", p.Scenario, err)
	}
	if err := wait(ctx, p.Warmup); err != nil { // what making people took is not the streams'
		return nil, err
	}
	before, begin := g.read(), time.Now()
	rec := newRecorder(begin)
	var s idling
	defer s.finish()
	if err := s.open(ctx, on, people, p.Connections, rec); err != nil {
		return nil, fmt.Errorf("open streams: %w", err)
	}
	opening := time.Since(begin)
	_ = wait(ctx, p.Warmup) // what opening them left to tidy up is not theirs either
	opened, at := g.read(), time.Now()
	s.hold(ctx, p, rec, show)
	after, held := g.read(), time.Since(at)
	result := newResult(p, rec, opened, after, held)
	result.OperationsPerSecond = round(float64(result.Operations)/opening.Seconds(), 1)
	result.Interrupted = ctx.Err() != nil
	result.Idle = &Idle{Open: int(result.Operations - s.ended.Load()), Lost: s.ended.Load(),
		MemoryBefore: before.server.Memory}
	if result.Operations > 0 && before.server.Memory > 0 {
		result.Idle.MemoryPerStream = (after.server.Memory - before.server.Memory) / result.Operations
	}
	for _, u := range []*Usage{result.Server, result.Database, result.Generator} {
		if u != nil {
			u.CPUMicros = 0 // nothing was called while it was measured
		}
	}
	return result, nil
}

// hold keeps the streams open for the plan's duration.
func (s *idling) hold(ctx context.Context, p *Plan, rec *recorder, show func(Progress)) {
	begin := time.Now()
	for left := p.Duration; left > 0 &&
		wait(ctx, min(left, reportInterval)) == nil; left = p.Duration - time.Since(begin) {
		done, failed := rec.counts()
		show(Progress{Plan: *p, Phase: phaseMeasuring, Elapsed: time.Since(begin), Length: p.Duration, Operations: done,
			Failed: failed + s.ended.Load()})
	}
}
