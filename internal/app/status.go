package app

import (
	"context"
	"time"

	"signet/internal/build"
	"signet/internal/disk"
	"signet/internal/health"
	"signet/internal/live"
	"signet/internal/overview"
	"signet/internal/seal"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/store/postgres"
	"signet/internal/stream"
	"signet/internal/sweep"
)

// installation tells operators how the installation does, out of what the metrics are read
// from: what a part counts, and what the survey has counted last.
type installation struct {
	in       surroundings
	engine   store.Engine
	kept     *store.Store
	counts   *service.Counts
	sweeper  *sweep.Sweeper
	survey   *sweep.Survey
	registry *stream.Registry
	hub      *live.Hub
	ring     *seal.Ring
	blobs    *files
	room     *disk.Room
	bus      nodeBus // nil: none
	started  time.Time

	// What follows is known once the server listens.
	ready       func(context.Context) error
	certificate func(context.Context) (from, until time.Time, ok bool)
}

// Status is part of overview.Installation.
func (i *installation) Status(ctx context.Context) (overview.Status, error) {
	backlog, backup, err := i.survey.Look(ctx)
	if err != nil {
		return overview.Status{}, err
	}
	peers, err := i.registry.Peers(ctx)
	if err != nil {
		return overview.Status{}, err
	}
	s := overview.Status{
		Asked: i.in.clock(), Embedded: i.in.cfg.Database == "", Schema: store.SchemaVersion(), Server: i.server(ctx),
		Storage: storage(i.in), Sweep: overview.Waiting{Count: backlog.Messages, Oldest: backlog.Oldest},
		Pieces: overview.Waiting{Count: backlog.Work.Pieces + backlog.Work.Histories, Oldest: backlog.Work.Oldest},
	}
	for _, p := range peers {
		s.Nodes = append(s.Nodes, overview.Node(p))
		if p.Self {
			s.Server.Name = p.Name
		}
	}
	if queues, ok := i.survey.Queues(ctx); ok {
		s.Queues = &overview.Queues{Counted: queues.Counted, Accounts: queues.Accounts, Events: queues.Events,
			Old: queues.Old, Long: queues.Long, Oldest: queues.Oldest}
	}
	if s.Embedded {
		s.Backup = &overview.Backup{Succeeded: backup.Succeeded, Bytes: backup.Bytes, Failed: backup.Failed}
	}
	return s, nil
}

// server is what this server knows of itself.
func (i *installation) server(ctx context.Context) overview.Server {
	version, commit := build.Info()
	meters, room := i.kept.Meters(), i.room.Figures()
	s := overview.Server{
		Version: version, Commit: commit, Started: i.started, NotReady: i.ready(ctx), Streams: i.hub.AllStreams(),
		Messages: overview.Messages{
			Sent:   i.counts.Sent.OneToOne.Load() + i.counts.Sent.Group.Load(),
			Copies: i.counts.Copies.OneToOne.Load() + i.counts.Copies.Group.Load(), Delivered: i.counts.Delivered.Load(),
			Read: i.counts.Read.Load(), Recalled: i.counts.Recalled.Load(), Expired: i.sweeper.Counts.Expired.Load(),
		},
		Transactions: overview.Transactions{Busy: meters.Busy.Load(), Unavailable: meters.Unavailable.Load()},
		Parts:        i.parts(), Keys: i.ring.Figures().Keys, Free: map[string]int64{}, Warnings: i.in.warnings.All(),
	}
	if e, ok := i.engine.(*postgres.Engine); ok {
		s.Transactions.Retried = int64(e.Stats().Retries)
	}
	for _, task := range i.sweeper.Tasks() {
		s.Tasks = append(s.Tasks, overview.Task{Name: task.Name, Succeeded: task.Succeeded(), Failures: task.Failures(),
			Late: i.sweeper.Late(task)})
	}
	for place, free := range map[string]int64{"data": room.Data, "attachments": room.Files} {
		if free >= 0 {
			s.Free[place] = free
		}
	}
	if _, until, ok := i.certificate(ctx); ok {
		s.CertificateEnds = until
	}
	return s
}

// parts are those that the server works with, and how they are.
func (i *installation) parts() []overview.Part {
	parts := []overview.Part{{Name: health.Keyring, Up: i.ring.Figures().Up},
		{Name: health.Attachments, Up: i.blobs.up.Load()}}
	if i.bus != nil && i.in.cfg.NATS != "" { // the other bus is part of the database
		parts = append(parts, overview.Part{Name: "nats", Up: i.bus.Connected()})
	}
	lasting := i.in.outages.Lasting()
	for n := range parts {
		if o, away := lasting[parts[n].Name]; away {
			parts[n].Up, parts[n].Since, parts[n].Refused = false, o.Since, o.Refused
		}
	}
	return parts
}
