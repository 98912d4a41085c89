package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/backlog"
	"signet/internal/custody"
	"signet/internal/live"
	"signet/internal/live/link"
	"signet/internal/live/natsbus"
	"signet/internal/live/pgbus"
	"signet/internal/meter"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/stream"
)

// nodes is what connects this server to others on the same database. A server on the
// embedded store is alone, and has none of it.
type nodes struct {
	tasks []func(ctx context.Context)
	bus   nodeBus // nil: there is none
	close func() error
}

// nodeBus is what the server needs of the way to the others.
type nodeBus interface {
	live.Bus
	Stats() link.Stats
	Close() error
}

// newHub returns the hub of this node. Where there may be several, no single one
// knows how many streams an account has: the registry sees to the limit.
func newHub(in surroundings) *live.Hub {
	if in.cfg.Database != "" {
		hub := live.NewHub(0)
		hub.Trace(in.tracer)
		return hub
	}
	return live.NewHub(in.cfg.Limits.StreamsPerAccount)
}

// registerNode makes the server one of several, if it may be.
func registerNode(ctx context.Context, in surroundings, registry *stream.Registry, clock *custody.Clock, hub *live.Hub,
	kept *store.Store) (nodes, error) {
	out := nodes{close: func() error { return nil }}
	err := in.metrics.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "signet_streams",
		Help: "Event streams that are open on this server.",
	}, func() float64 { return float64(hub.AllStreams()) }))
	if err != nil {
		return out, err
	}
	if in.cfg.Database == "" {
		if in.cfg.NATS != "" {
			in.log.Warn("nats has no effect without database: a server on the embedded store is alone")
		}
		return out, nil
	}
	node, err := registry.Register(ctx, clock)
	if err != nil {
		return out, fmt.Errorf("register with the servers on the database: %w", err)
	}
	out.tasks = append(out.tasks, node.Run)
	bus, err := openBus(in, hub, kept)
	if err != nil {
		return out, err
	}
	hub.Connect(bus)
	out.bus, out.close = bus, bus.Close
	return out, nil
}

// openBus opens the way to the other servers: NATS where there is one, else the database itself.
func openBus(in surroundings, hub *live.Hub, kept *store.Store) (nodeBus, error) {
	if in.cfg.NATS == "" {
		bus, err := pgbus.Open(hub, pgbus.Options{URL: in.cfg.Database, Secret: kept.Secret(), Epoch: kept.Epoch(),
			Log: in.log})
		if err != nil {
			return nil, err
		}
		return registered(in.metrics, bus, "postgres", bus.Latency())
	}
	bus, err := natsbus.Open(hub, natsbus.Options{
		URL: in.cfg.NATS, Login: in.cfg.NATSLogin, CA: in.cfg.NATSCA, Certificate: in.cfg.NATSCert, Key: in.cfg.NATSKey,
		Secret: kept.Secret(), Epoch: kept.Epoch(), Log: in.log,
	})
	if err != nil {
		return nil, err
	}
	return registered(in.metrics, bus, "nats", nil)
}

// guard returns the task of a server that is alone on its store, for what commands write there
// beside it: work to be done, and what readers must learn of.
func guard(engine store.Engine, registry *stream.Registry, cases *service.Service,
	work *backlog.Worker) (tasks []func(context.Context)) {
	e, ok := engine.(interface {
		WrittenBeside(context.Context) (bool, error)
	})
	if !ok {
		return nil
	}
	return append(tasks, registry.Guard(cases, func(ctx context.Context) (bool, error) {
		written, err := e.WrittenBeside(ctx)
		if written {
			work.Look()
		}
		return written, err
	}))
}

// registered adds the figures of a bus to the metrics; of one that does not measure how late its
// notices are, all others. A bus whose figures are not taken is closed.
func registered(metrics prometheus.Registerer, bus nodeBus, by string, latency *meter.Histogram) (nodeBus, error) {
	l := labels{"by": by}
	counted := func(name, help string, read func(link.Stats) uint64) prometheus.Collector {
		return counter(name, help, l, func() int64 { return int64(read(bus.Stats())) })
	}
	collectors := []prometheus.Collector{
		gauge("signet_bus_connected", "1 while this server hears at once of others on the database; else 0.", l,
			func() float64 { return oneIf(bus.Connected()) }),
		counted("signet_bus_published_total", "Messages to other servers that were given to the bus.",
			func(s link.Stats) uint64 { return s.Published }),
		counted("signet_bus_received_total", "Messages of other servers that came over the bus.",
			func(s link.Stats) uint64 { return s.Received }),
		counted("signet_bus_dropped_total", "Messages that were not sent or not taken in; what they told is looked for in "+
			"the database.",
			func(s link.Stats) uint64 { return s.Dropped }),
	}
	if latency != nil {
		collectors = append(collectors, newHistogram("signet_bus_seconds",
			"How long a message takes through the bus and back.", l, inSeconds, latency))
	}
	if err := register(metrics, collectors...); err != nil {
		return nil, errors.Join(err, bus.Close())
	}
	return bus, nil
}
