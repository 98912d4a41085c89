package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"signet/internal/access"
	"signet/internal/api"
	"signet/internal/audit"
	"signet/internal/backlog"
	"signet/internal/build"
	"signet/internal/content"
	"signet/internal/custody"
	"signet/internal/disk"
	"signet/internal/export"
	"signet/internal/fanout"
	"signet/internal/home"
	"signet/internal/overview"
	"signet/internal/people"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/store/postgres"
	"signet/internal/store/sqlite"
	"signet/internal/stream"
	"signet/internal/sweep"
	"signet/internal/transfer"
)

// openStore opens the engine that the settings name. ready tells whether a request
// would find it.
func openStore(ctx context.Context, in surroundings) (engine store.Engine, ready func(context.Context) error,
	err error) {
	if in.cfg.Database == "" {
		if unfinished := transfer.Unfinished(home.Database(in.dir)); home.Exists(unfinished) {
			return nil, nil, fmt.Errorf("a restore into this directory was not finished (there is %s): run it again", unfinished)
		}
		engine, err = sqlite.Open(home.Database(in.dir),
			sqlite.Options{Clock: in.clock, Log: in.log, CacheBytes: in.cfg.CacheBytes})
		return engine, func(ctx context.Context) error {
			return engine.View(ctx, func(store.Session) error { return nil })
		}, err
	}
	shared, err := await(ctx, in, "the database", func() (*postgres.Engine, error) {
		return postgres.Open(ctx, in.cfg.Database, postgres.Options{Clock: in.clock, Log: in.log})
	})
	return shared, func(ctx context.Context) error {
		offset, err := shared.ClockOffset(ctx)
		if err == nil && offset.Abs() > custody.MaxClockOffset {
			err = custody.ClockOffsetFault(offset)
		}
		return err
	}, err
}

// assemble puts the server together.
func assemble(ctx context.Context, in surroundings) (_ *system, err error) {
	var taken undo
	defer func() {
		if err != nil {
			err = errors.Join(err, taken.all())
		}
	}()
	disk.Prepare(in.dir)
	engine, ready, err := openStore(ctx, in)
	if err != nil {
		return nil, err
	}
	room, err := openRoom(in)
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	taken = append(taken, room.Close, engine.Close) // the store's files are smaller by then
	if err := upgrade(ctx, in, engine, store.Today()); err != nil {
		return nil, err
	}
	kept, err := store.Open(ctx, engine, store.NewEpoch)
	if err != nil {
		return nil, err
	}
	kept.LimitQueues(in.cfg.Events.QueueMax)
	copied, err := newRingCopy(in)
	if err != nil {
		return nil, err
	}
	ring, err := openRing(ctx, in, engine, kept, copied)
	if err != nil {
		return nil, err
	}
	taken = append(taken, ring.Close)
	forgeries := custody.NewForgeryWatch(kept, in.clock, in.log, in.warnings)
	if err := home.SetupFault(content.Authenticate(ctx, kept, ring, forgeries.Refuse)); err != nil {
		return nil, err
	}
	blobs, err := openBlobs(ctx, in, kept)
	if err != nil {
		return nil, err
	}
	taken = append(taken, blobs.Close)
	keeper, err := takeCustody(ctx, in, kept, ring, blobs)
	if err != nil {
		return nil, err
	}
	if err := warnOfOwnBlobs(ctx, in, kept); err != nil {
		return nil, err
	}
	auditKey, err := openAuditKey(ctx, in, kept)
	if err != nil {
		return nil, err
	}
	limits := in.cfg.Limits
	hub := newHub(in)
	times := custody.ClockOptions{
		Store: kept, Ring: ring, Now: in.clock, Warnings: in.warnings,
		Jump: in.cfg.Expiry.ClockJump, Doubt: in.cfg.Expiry.ClockDoubt, Elapsed: in.elapsed,
	}
	if in.cfg.Database != "" {
		times.Offset = func(ctx context.Context) (time.Duration, error) { return clockOffset(ctx, in, engine) }
	}
	clock := custody.NewClock(times)
	version, _ := build.Info()
	registry := stream.NewRegistry(stream.Options{
		Store: kept, Hub: hub, Clock: in.clock, Log: in.log, Outages: in.outages, Limit: limits.StreamsPerAccount,
		NodeName: nodeName(), NodeVersion: version, LookAlone: in.pace.Alone, LookConnected: in.pace.Connected,
	})
	auditLog := audit.NewLog(audit.Options{
		Store: kept, Key: auditKey, Retention: in.cfg.Audit.Retention, Clock: in.clock, Warnings: in.warnings,
	})
	vault := &content.Vault{Store: kept, Ring: ring, Blobs: keeper.Guarded(), Unsealed: in.unsealed}
	work := backlog.NewWorker(backlog.Options{
		Store: kept, Now: func() time.Time { return clock.StoreTime(in.clock()) }, InDoubt: clock.InDoubt,
		Log: in.log, Outages: in.outages, Warnings: in.warnings, Room: room,
	})
	fans := fanout.New(fanout.Options{Store: kept, Hub: hub, Clock: in.clock, Room: room})
	work.Register(fans.Kind())
	var sweeper *sweep.Sweeper
	control := access.New(access.Options{
		Store: kept, Hub: hub, Clock: in.clock, Streams: registry, DefaultRegion: in.cfg.DefaultRegion,
		SessionIdle: in.cfg.Web.SessionIdle, Audit: auditLog,
	})
	cases := service.New(service.Options{
		Access: control, Store: kept, Vault: vault, Hub: hub, Clock: in.clock, Time: clock,
		Fanout: fans,
		Logger: in.log, Room: room, EraseSoon: func() { sweeper.EraseSoon() },
		Limits: service.Limits{
			MessagesPerDay: limits.MessagesPerDay,
			MessageBytes:   int(limits.MessageBytes),
			GroupMembers:   limits.GroupMembers,
			MetadataKeys:   limits.MetadataKeys,
			MetadataBytes:  limits.MetadataBytes,
			GroupsPerDay:   limits.GroupsPerDay,
		},
		EventsRetention: in.cfg.Events.Retention,
		Streams:         registry,
	})
	directory := people.New(people.Options{
		Store: kept, Access: control, Vault: vault, Hub: hub, Fanout: fans, Clock: in.clock, Logger: in.log,
		ApproveJoins: in.cfg.Organizations.Join == "approve", Memory: cases, Streams: registry,
		EraseSoon: func() { sweeper.EraseSoon() },
	})
	sweeper = sweep.NewSweeper(sweep.Options{
		Store: kept, Vault: vault, Clock: clock, Cases: cases, Access: control, Audit: auditLog,
		Log: in.log, Warnings: in.warnings, Outages: in.outages, Room: room,
		Interval: in.cfg.Expiry.Sweep, Retention: in.cfg.Events.Retention, QueueMax: in.cfg.Events.QueueMax,
		EndAccount: directory.EndAccount,
	})
	work.Register(sweeper.Eraser().Kinds()...)
	survey := sweep.NewSurvey(kept, in.clock)
	if err := registerClock(in, clock); err != nil {
		return nil, err
	}
	taken = append(taken, func() error {
		// What the last requests noted is written after them.
		err := errors.Join(auditLog.Flush(context.WithoutCancel(ctx)), control.FlushUses(context.WithoutCancel(ctx)))
		if errors.Is(err, store.ErrUnavailable) { // a full disk, or no database: no reason to end with an error
			in.log.Warn("what was refused lately, and when keys were last used, could not be written", "error", err)
			return nil
		}
		return err
	})
	if err := errors.Join(registerStore(in, engine, kept),
		registerCounts(in.metrics, cases.Counts(), sweeper, vault, auditLog), registerSurvey(in, survey, registry),
		registerRing(in.metrics, ring), registerForgeries(in.metrics, forgeries),
		registerWork(in.metrics, work.Kinds())); err != nil {
		return nil, err
	}
	nodes, err := registerNode(ctx, in, registry, clock, hub, kept)
	if err != nil {
		return nil, err
	}
	taken = append(taken, nodes.close)
	streams := stream.New(registry, control, cases)
	exporter := export.New(kept, control, cases, in.clock)
	if err := registerExports(in.metrics, exporter); err != nil {
		return nil, err
	}
	options := api.Options{
		Access: control, Authenticator: control, Service: cases, Streams: streams,
		People:   directory,
		Exporter: exporter, Version: version,
		Clock: in.clock, Logger: in.log, AccessLog: in.cfg.Log.Access,
		Outages: in.outages,
		Limits: api.Limits{
			RequestsPerSecond:            limits.RequestsPerSecond,
			Burst:                        limits.Burst,
			FailedLoginsPerMinute:        limits.FailedLoginsPerMinute,
			FailedLoginsPerMinuteAddress: limits.FailedLoginsPerMinuteAddress,
			FailedLoginsPerMinuteName:    limits.FailedLoginsPerMinuteName,
			BodyBytes:                    limits.BodyBytes,
			BodyMemoryBytes:              limits.BodyMemoryBytes,
			AttachmentBytes:              limits.AttachmentBytes,
			Fields:                       limits.Fields,
			Parts:                        limits.Parts,
		},
		VendorPrefix: in.cfg.Vendor.Prefix, VendorNamespace: in.cfg.Vendor.Namespace,
		CORSOrigins: in.cfg.CORS.Origins, Registerer: in.metrics, Address: in.client, BodyPatience: in.cfg.Timeouts.Body,
	}
	link := people.NewFirstLink(kept, in.clock)
	options.FirstStart = link.Take
	whole := &installation{
		in: in, engine: engine, kept: kept, counts: cases.Counts(), sweeper: sweeper, survey: survey, registry: registry,
		hub: hub, ring: ring, blobs: blobs, room: room, bus: nodes.bus, started: in.clock(),
	}
	watchParts(in, ready, ring, blobs)
	keys := &custody.KeyWatch{Store: kept, Ring: ring, Clock: in.clock, Log: in.log, Warnings: in.warnings,
		Older: sweeper.AskAllKeys}
	return &system{
		handler: func(at location) (http.Handler, error) {
			options.BaseURL, options.Links, options.Way = at.baseURL, at.links, at.way
			options.OwnURL = in.cfg.BaseURL
			whole.ready, whole.certificate = at.ready, at.certificate
			options.Overview = overview.New(overview.Options{Store: kept, Access: control, Streams: registry, Clock: in.clock,
				Installation: whole, Settings: in.cfg.Effective()})
			return api.New(options)
		},
		operatorExists: func(ctx context.Context) (bool, error) { return people.HasOperator(ctx, kept) },
		firstOperator: func(ctx context.Context, key, secret string) error {
			return people.MakeFirstOperator(ctx, kept, in.clock(), key, secret)
		},
		firstLink: link.Make,
		ready:     func(ctx context.Context) error { return errors.Join(outdated(ctx, in, kept), ready(ctx)) },
		watch:     func(ctx context.Context) error { return watchVersion(ctx, in, kept) },
		background: append(append(nodes.tasks, guard(engine, registry, cases, work)...), sweeper.Run, work.Run, survey.Run,
			keys.Run, forgeries.Run, copied.run, keeper.Run, blobs.watch, room.Run, newRest(engine, cases.Forget, in.log).run),
		endStreams: hub.Close, awaitStreams: streams.Await, cutStreams: streams.Cut,
		close: taken.all,
	}, nil
}
