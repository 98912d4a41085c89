package app

import (
	"context"
	"errors"
	"net/http"

	"signet/internal/api"
	"signet/internal/build"
	"signet/internal/custody"
	"signet/internal/overview"
	"signet/internal/people"
	"signet/internal/standby"
	"signet/internal/store"
)

// assemble puts the server together: what is kept (data.go), what works on that (parts.go), and
// the way to the others on the same database (nodes.go).
func assemble(ctx context.Context, in surroundings) (_ *system, err error) {
	var taken undo
	defer func() {
		if err != nil {
			err = errors.Join(err, taken.all())
		}
	}()
	d, err := openData(ctx, in, &taken)
	if err != nil {
		return nil, err
	}
	p := newParts(in, d)
	taken = append(taken, func() error { p.guard.Close(); return nil })
	taken = append(taken, func() error { return p.flush(context.WithoutCancel(ctx), in.log) })
	if err := p.register(in, d); err != nil {
		return nil, err
	}
	askBackups(ctx, in, d.kept)
	others, err := registerNode(ctx, in, p.registry, p.clock, p.hub, d.kept)
	if err != nil {
		return nil, err
	}
	taken = append(taken, others.close)
	watchParts(in, d.ready, d.ring, d.blobs)
	return &system{
		handler:        newHandler(in, d, p, others.bus),
		operatorExists: func(ctx context.Context) (bool, error) { return people.HasOperator(ctx, d.kept) },
		firstOperator: func(ctx context.Context, key, secret string) error {
			return people.MakeFirstOperator(ctx, d.kept, in.clock(), key, secret)
		},
		firstLink: p.link.Make,
		ready:     func(ctx context.Context) error { return errors.Join(outdated(ctx, in, d.kept), d.ready(ctx)) },
		watch:     func(ctx context.Context) error { return d.pair.watchFence(ctx, in, d.kept) },
		standby:   d.pair.handler(), standbyEnded: d.pair.ended, handOver: d.pair.handOver,
		self:       func(ctx context.Context) (standby.State, error) { return selfOf(ctx, d.kept) },
		alive:      alive(d),
		tidy:       d.engine.Erase, // as closing it does
		background: background(in, d, p, others),
		endStreams: p.hub.Close, awaitLastWords: p.streams.AwaitLastWords, awaitStreams: p.streams.Await,
		cutStreams: p.streams.Cut,
		close:      taken.all,
	}, nil
}

// alive returns what asks the store for an answer: an error is one too, of a disk that is full or a
// database that is away, which starting the server again would not mend.
func alive(d *data) func(context.Context) error {
	if !d.engine.Dialect().Alone {
		return d.ready // which gives a database that does not answer two seconds
	}
	return func(ctx context.Context) error {
		nothing := func(store.Session) error { return nil }
		return errors.Join(d.engine.View(ctx, nothing), d.engine.Update(ctx, nothing))
	}
}

// newHandler returns what makes the handler of the interface, once the server listens.
func newHandler(in surroundings, d *data, p *parts, bus nodeBus) func(location) (http.Handler, error) {
	options := interfaceOptions(in, p)
	whole := &installation{
		in: in, engine: d.engine, kept: d.kept, counts: p.cases.Counts(), sweeper: p.sweeper, survey: p.survey,
		registry: p.registry, hub: p.hub, ring: d.ring, blobs: d.blobs, room: d.room, bus: bus, started: in.clock(),
	}
	return func(at location) (http.Handler, error) {
		options.BaseURL, options.Links, options.Way = at.baseURL, at.links, at.way
		options.Party, options.PartyFault = at.party, at.partyFault
		whole.ready, whole.certificate = at.ready, at.certificate
		options.Overview = overview.New(overview.Options{Store: d.kept, Access: p.access, Streams: p.registry,
			Clock: in.clock, Installation: whole, Settings: in.cfg.Effective()})
		return api.New(options)
	}
}

// interfaceOptions are those of the interface that are known before the server listens.
func interfaceOptions(in surroundings, p *parts) api.Options {
	version, _ := build.Info()
	limits := in.cfg.Limits
	return api.Options{
		Access: p.access, Authenticator: p.access, Service: p.cases, People: p.people, Streams: p.streams,
		Exporter: p.exporter, Pusher: p.pusher, Webhooks: p.hooks.Webhooks,
		Identities: p.identity.Identities, Alerts: p.alerts,
		Version: version, FirstStart: p.link.Take, Brand: in.brand, Tally: p.tally,
		Clock: in.clock, Logger: in.log, AccessLog: in.cfg.Log.Access, Outages: in.outages, Registerer: in.metrics,
		Tracer: in.tracer,
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
		CORSOrigins: in.cfg.CORS.Origins, OwnURL: in.cfg.BaseURL, Address: in.client, BodyPatience: in.cfg.Timeouts.Body,
	}
}

// background lists what runs beside calls until the server stops.
func background(in surroundings, d *data, p *parts, others nodes) []func(context.Context) {
	keys := &custody.KeyWatch{Store: d.kept, Ring: d.ring, Clock: in.clock, Log: in.log, Warnings: in.warnings,
		Older: p.sweeper.AskAllKeys}
	tasks := append(others.tasks, guard(d.engine, p.registry, p.cases, p.work)...)
	return append(tasks, p.sweeper.Run, p.work.Run, p.pusher.Run, p.hooks.run, p.identity.run, p.survey.Run,
		p.recorder.Run, keys.Run, d.forgeries.Run, d.ringCopy.run, d.pair.run, d.keeper.Run, d.blobs.watch, d.room.Run,
		newRest(d.engine, p.cases.Forget, in.log).run)
}
