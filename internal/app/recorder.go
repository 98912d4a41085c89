package app

import (
	"context"
	"time"

	"signet/internal/meter"
	"signet/internal/series"
	"signet/internal/store/postgres"
)

// makeRecorder makes what writes figures over time.
func (p *parts) makeRecorder(in surroundings, d *data) {
	p.recorder = series.NewRecorder(series.Options{
		Store: d.kept, Tally: p.tally, Now: func() time.Time { return p.clock.StoreTime(in.clock()) },
		Here:   func() series.Here { return p.here(in, d) },
		Shared: func(ctx context.Context) series.Shared { return p.shared(ctx, in, d) },
		Log:    in.log, Outages: in.outages,
	})
	p.work.Register(p.recorder.Kind())
}

// here is what this server has now.
func (p *parts) here(in surroundings, d *data) series.Here {
	process, room := meter.OwnProcess(), d.room.Figures()
	here := series.Here{Streams: int64(p.hub.AllStreams())}
	if process.Memory > 0 {
		here.Memory = &process.Memory
	}
	if process.CPU > 0 {
		here.CPU = &process.CPU
	}
	free := room.Data
	if in.cfg.Database != "" { // what this machine stores are files, if anything
		free = room.Files
	}
	if free >= 0 {
		here.Free = &free
	}
	return here
}

// shared is what all servers have together. What is not known is left out: it is asked again in a
// minute.
func (p *parts) shared(ctx context.Context, in surroundings, d *data) (s series.Shared) {
	ctx, cancel := context.WithTimeout(ctx, surveyTimeout)
	defer cancel()
	if queues, ok := p.survey.Queues(ctx); ok {
		s.Queued, s.OldestUnread = new(int64(queues.Events)), new(time.Duration(0))
		if !queues.Oldest.IsZero() {
			*s.OldestUnread = max(in.clock().Sub(queues.Oldest), 0)
		}
	}
	if e, ok := d.engine.(*postgres.Engine); ok {
		if size, err := e.Size(ctx); err == nil {
			s.Database = &size
		}
		return s
	}
	files := storage(in)
	s.Database, s.Log = &files.Database, &files.Log
	return s
}
