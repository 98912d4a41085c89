package offline

import (
	"context"
	"fmt"
	"time"

	"signet/internal/custody"
	"signet/internal/store"
)

// Clock is what a store knows of the time, and what its clock says.
type Clock = custody.ClockReport

// ReadClock reads it from the data directory or the database, while servers use it or
// not.
func ReadClock(ctx context.Context, dir, database string) (Clock, error) {
	return inspect(ctx, dir, database, func(kept *store.Store) (c Clock, err error) {
		now, err := storeTime(ctx, kept)
		if err != nil {
			return c, err
		}
		return custody.ReadClock(ctx, kept, now)
	})
}

// AcceptClock notes that the clock is right, in the data directory or the database, and
// returns what was known before. Servers go on with their next sweep.
func AcceptClock(ctx context.Context, dir, database string) (c Clock, err error) {
	err = Change(ctx, dir, database, func(kept *store.Store) error {
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

// storeTime is what the clock says by which the store's servers erase.
func storeTime(ctx context.Context, kept *store.Store) (time.Time, error) {
	offset, err := kept.ClockOffset(ctx)
	return time.Now().Add(offset), err
}
