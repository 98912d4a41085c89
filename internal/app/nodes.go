package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/backlog"
	"signet/internal/custody"
	"signet/internal/live"
	"signet/internal/live/natsbus"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/stream"
)

// nodes is what connects this server to others on the same database. A server on the
// embedded store is alone, and has none of it.
type nodes struct {
	tasks []func(ctx context.Context)
	bus   *natsbus.Bus // nil: there is none
	close func() error
}

// newHub returns the hub of this node. Where there may be several, no single one
// knows how many streams an account has: the registry sees to the limit.
func newHub(in surroundings) *live.Hub {
	if in.cfg.Database != "" {
		return live.NewHub(0)
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
	if in.cfg.NATS == "" {
		return out, nil
	}
	bus, err := natsbus.Open(hub, natsbus.Options{
		URL: in.cfg.NATS, Login: in.cfg.NATSLogin, CA: in.cfg.NATSCA, Certificate: in.cfg.NATSCert, Key: in.cfg.NATSKey,
		Secret: kept.Secret(), Epoch: kept.Epoch(), Log: in.log,
	})
	if err != nil {
		return out, err
	}
	hub.Connect(bus)
	out.bus, out.close = bus, bus.Close
	if err := registerBus(in.metrics, bus); err != nil {
		return nodes{}, errors.Join(err, bus.Close())
	}
	return out, nil
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

// registerBus adds the figures of the bus to the metrics.
func registerBus(metrics prometheus.Registerer, bus *natsbus.Bus) error {
	counter := func(name, help string, read func(natsbus.Stats) uint64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
			func() float64 { return float64(read(bus.Stats())) })
	}
	for _, collector := range []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "signet_bus_connected",
			Help: "1 while NATS is there, by which servers on one database hear of each other at once; else 0.",
		}, func() float64 {
			if bus.Connected() {
				return 1
			}
			return 0
		}),
		counter("signet_bus_published_total", "Messages to other servers that were given to NATS.",
			func(s natsbus.Stats) uint64 { return s.Published }),
		counter("signet_bus_received_total", "Messages of other servers that came from NATS.",
			func(s natsbus.Stats) uint64 { return s.Received }),
		counter("signet_bus_dropped_total", "Messages that were not sent or not taken in; what they told is looked for in "+
			"the database.",
			func(s natsbus.Stats) uint64 { return s.Dropped }),
	} {
		if err := metrics.Register(collector); err != nil {
			return err
		}
	}
	return nil
}
