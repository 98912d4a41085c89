package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/custody"
	"signet/internal/store"
)

// registerClock adds to the metrics what the sweep knows of the clock.
func registerClock(in surroundings, clock *custody.Clock) error {
	err := in.metrics.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "signet_clock_in_doubt",
		Help: "1 while nothing that has ended is erased, because the clock may be wrong; else 0.",
	}, func() float64 {
		if clock.InDoubt() {
			return 1
		}
		return 0
	}))
	if err != nil || in.cfg.Database == "" {
		return err
	}
	return in.metrics.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "signet_clock_offset_seconds",
		Help: "By how much the database's clock is ahead of this server's; below 0, behind.",
	}, func() float64 { return clock.Ahead().Seconds() }))
}

// clockOffset is by how much the clock of an engine's server is ahead.
func clockOffset(ctx context.Context, in surroundings, engine store.Engine) (time.Duration, error) {
	if in.offset != nil {
		return in.offset(ctx)
	}
	return store.ClockOffset(ctx, engine)
}
