package app

import (
	"context"
	"fmt"
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

// Clock is what a store knows of the time, and what its clock says.
type Clock = custody.ClockReport

// ReadClock reads it from the data directory or the database, while servers use it or
// not.
func ReadClock(ctx context.Context, dir, database string) (c Clock, err error) {
	err = inspect(ctx, dir, database, func(kept *store.Store) error {
		now, err := storeTime(ctx, kept)
		if err == nil {
			c, err = custody.ReadClock(ctx, kept, now)
		}
		return err
	})
	return c, err
}

// AcceptClock notes that the clock is right, in the data directory or the database, and
// returns what was known before. Servers go on with their next sweep.
func AcceptClock(ctx context.Context, dir, database string) (c Clock, err error) {
	err = maintain(ctx, dir, database, func(kept *store.Store) error {
		now, err := storeTime(ctx, kept)
		if err == nil {
			c, err = custody.AcceptClock(ctx, kept, now)
		}
		if err != nil {
			return fmt.Errorf("accept the clock: %w", err)
		}
		return nil
	})
	return c, err
}

// clockOffset is by how much the clock of an engine's server is ahead.
func clockOffset(ctx context.Context, in surroundings, engine store.Engine) (time.Duration, error) {
	if in.offset != nil {
		return in.offset(ctx)
	}
	return store.ClockOffset(ctx, engine)
}

// storeTime is what the clock says by which the store's servers erase.
func storeTime(ctx context.Context, kept *store.Store) (time.Time, error) {
	offset, err := kept.ClockOffset(ctx)
	return time.Now().Add(offset), err
}
