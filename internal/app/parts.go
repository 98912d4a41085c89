package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"signet/internal/access"
	"signet/internal/alert"
	"signet/internal/audit"
	"signet/internal/backlog"
	"signet/internal/build"
	"signet/internal/content"
	"signet/internal/custody"
	"signet/internal/egress"
	"signet/internal/export"
	"signet/internal/fanout"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/push"
	"signet/internal/series"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/stream"
	"signet/internal/sweep"
	"signet/internal/tally"
)

// parts are what calls and background tasks work with, above what is kept. Making them starts
// nothing.
type parts struct {
	hub      *live.Hub
	clock    *custody.Clock
	registry *stream.Registry
	audit    *audit.Log
	vault    *content.Vault
	work     *backlog.Worker
	fans     *fanout.Fanout

	guard  *egress.Guard
	pusher *push.Pusher

	access   *access.Control
	cases    *service.Service
	people   *people.People
	streams  *stream.Streams
	exporter *export.Exporter
	hooks    *hooks
	identity *identities
	alerts   *alert.Desk
	link     *people.FirstLink

	sweeper *sweep.Sweeper
	survey  *sweep.Survey

	tally    *tally.Tally
	recorder *series.Recorder
}

// newParts makes all parts, each out of those before it.
func newParts(in surroundings, d *data) *parts {
	p := new(parts)
	p.makeShared(in, d)
	p.makeUseCases(in, d)
	p.hooks = newHooks(in, d, p)
	p.work.Register(p.hooks.Kinds()...)
	p.identity = newIdentities(in, d, p)
	p.makeSweep(in, d)
	p.makeRecorder(in, d)
	return p
}

// makeShared makes what use cases and the sweep have in common.
func (p *parts) makeShared(in surroundings, d *data) {
	version, _ := build.Info()
	p.hub = newHub(in)
	p.clock = newClock(in, d)
	p.tally = new(tally.Tally)
	p.registry = stream.NewRegistry(stream.Options{
		Store: d.kept, Hub: p.hub, Clock: in.clock, Log: in.log, Outages: in.outages,
		Limit: in.cfg.Limits.StreamsPerAccount, NodeName: nodeName(), NodeVersion: version,
		LookAlone: in.pace.Alone, LookConnected: in.pace.Connected,
	})
	p.audit = audit.NewLog(audit.Options{
		Store: d.kept, Key: d.auditKey, Retention: in.cfg.Audit.Retention, Clock: in.clock, Warnings: in.warnings,
	})
	p.vault = &content.Vault{Store: d.kept, Ring: d.ring, Blobs: d.keeper.Guarded(), Unsealed: in.unsealed}
	p.work = backlog.NewWorker(backlog.Options{
		Store: d.kept, Now: func() time.Time { return p.clock.StoreTime(in.clock()) }, InDoubt: p.clock.InDoubt,
		Log: in.log, Outages: in.outages, Warnings: in.warnings, Room: d.room, Tracer: in.tracer,
	})
	told := func(tx *store.Tx, o model.OrganizationID, m model.MessageID, accounts []model.AccountID) error {
		return p.pusher.Note(tx, o, m, accounts) // which is made later, as it asks the use cases
	}
	p.fans = fanout.New(fanout.Options{Store: d.kept, Hub: p.hub, Clock: in.clock, Room: d.room, Told: told})
	p.work.Register(p.fans.Kind())
}

// newClock makes the clock that the sweep asks before it erases anything.
func newClock(in surroundings, d *data) *custody.Clock {
	options := custody.ClockOptions{
		Store: d.kept, Ring: d.ring, Now: in.clock, Warnings: in.warnings,
		Jump: in.cfg.Expiry.ClockJump, Doubt: in.cfg.Expiry.ClockDoubt, Elapsed: in.elapsed,
	}
	if in.cfg.Database != "" {
		options.Offset = func(ctx context.Context) (time.Duration, error) { return clockOffset(ctx, in, d.engine) }
	}
	return custody.NewClock(options)
}

// makeUseCases makes what calls ask.
func (p *parts) makeUseCases(in surroundings, d *data) {
	limits := in.cfg.Limits
	eraseSoon := func() { p.sweeper.EraseSoon() } // which is made last, as it asks the use cases
	p.access = access.New(access.Options{
		Store: d.kept, Hub: p.hub, Clock: in.clock, Streams: p.registry, DefaultRegion: in.cfg.DefaultRegion,
		SessionIdle: in.cfg.Web.SessionIdle, Audit: p.audit, Tally: p.tally,
	})
	p.makePusher(in, d)
	p.cases = service.New(service.Options{
		Access: p.access, Store: d.kept, Vault: p.vault, Hub: p.hub, Clock: in.clock, Time: p.clock,
		Fanout: p.fans, Told: p.pusher.Note, Logger: in.log, Room: d.room, EraseSoon: eraseSoon,
		Limits: service.Limits{
			MessagesPerDay: limits.MessagesPerDay,
			MessageBytes:   int(limits.MessageBytes),
			GroupMembers:   limits.GroupMembers,
			MetadataKeys:   limits.MetadataKeys,
			MetadataBytes:  limits.MetadataBytes,
			GroupsPerDay:   limits.GroupsPerDay,
		},
		EventsRetention: in.cfg.Events.Retention, Streams: p.registry, Tally: p.tally,
	})
	p.work.Register(p.cases.EscalationKind())
	p.people = people.New(people.Options{
		Store: d.kept, Access: p.access, Vault: p.vault, Hub: p.hub, Fanout: p.fans, Clock: in.clock, Logger: in.log,
		ApproveJoins: in.cfg.Organizations.Join == "approve", Memory: p.cases, Streams: p.registry, EraseSoon: eraseSoon,
	})
	p.work.Register(p.cases.HandOvers())
	p.streams = stream.New(p.registry, p.access, p.cases)
	p.exporter = export.New(d.kept, p.access, p.cases, in.clock)
	p.alerts = alert.New(alert.Options{Store: d.kept, Cases: p.cases, Clock: in.clock})
	p.link = people.NewFirstLink(d.kept, in.clock)
}

// makePusher makes what tells browsers of messages, and the guard through which it calls.
func (p *parts) makePusher(in surroundings, d *data) {
	hosts, networks := in.cfg.Egress.PushHosts()
	p.guard = egress.New(egress.Options{Hosts: hosts, Networks: networks})
	p.pusher = push.New(push.Options{
		Store: d.kept, Access: p.access, Streams: p.registry, Guard: p.guard, Identity: d.pushes, Off: hosts.None(),
		Contact: in.cfg.PushContact(), Clock: func() time.Time { return p.clock.StoreTime(in.clock()) }, Log: in.log,
	})
	p.work.Register(p.pusher.Kind())
}

// makeSweep makes what erases and counts beside calls.
func (p *parts) makeSweep(in surroundings, d *data) {
	p.sweeper = sweep.NewSweeper(sweep.Options{
		Store: d.kept, Vault: p.vault, Clock: p.clock, Cases: p.cases, Access: p.access, Audit: p.audit,
		Log: in.log, Warnings: in.warnings, Outages: in.outages, Room: d.room,
		Interval: in.cfg.Expiry.Sweep, Retention: in.cfg.Events.Retention, QueueMax: in.cfg.Events.QueueMax,
		EndAccount: p.people.EndAccount, Tracer: in.tracer,
	})
	p.work.Register(p.sweeper.Eraser().Kinds()...)
	p.survey = sweep.NewSurvey(d.kept, in.clock)
}

// register adds to the metrics what the parts count.
func (p *parts) register(in surroundings, d *data) error {
	return errors.Join(registerClock(in, p.clock), registerStore(in, d.engine, d.kept),
		registerCounts(in.metrics, p.cases.Counts(), p.sweeper, p.vault, p.audit), registerSurvey(in, p.survey, p.registry),
		registerRing(in.metrics, d.ring), registerForgeries(in.metrics, d.forgeries),
		registerWork(in.metrics, p.work.Kinds()), registerPushes(in.metrics, p.pusher), registerHooks(in.metrics, p.hooks),
		registerRefused(in.metrics, p.guard, p.hooks.guard, p.identity.guard),
		registerIdentities(in.metrics, p.identity), registerExports(in.metrics, p.exporter),
		registerPair(in, d.pair))
}

// flush writes what the last requests noted, after them.
func (p *parts) flush(ctx context.Context, log *slog.Logger) error {
	err := errors.Join(p.audit.Flush(ctx), p.access.FlushUses(ctx), p.recorder.Flush(ctx))
	if errors.Is(err, store.ErrUnavailable) { // a full disk, or no database: no reason to end with an error
		log.Warn("what was refused lately, when keys were last used, and the last figures could not be written",
			"error", err)
		return nil
	}
	return err
}
