package store

import (
	"context"
	"time"
)

// Clock returns what is remembered of the clock; empty where nothing is yet.
func (tx *Tx) Clock() (text string, err error) { return tx.meta(metaClock) }

// SetClock remembers text of the clock.
func (tx *Tx) SetClock(text string) error { return tx.putMeta(metaClock, text) }

// ReplaceClock remembers text of the clock where what is remembered is still what it was:
// another server, or somebody who accepted the clock, may have been faster.
func (tx *Tx) ReplaceClock(was, text string) error {
	_, err := tx.replaceMeta(metaClock, was, text)
	return err
}

// ClockOffset returns by how much the store's clock is ahead of this machine's: 0 where
// it has none of its own.
func (s *Store) ClockOffset(ctx context.Context) (time.Duration, error) {
	return ClockOffset(ctx, s.engine)
}

// ClockOffset returns by how much the clock of an engine is ahead of this machine's. The
// engine need not be open as a store.
func ClockOffset(ctx context.Context, engine Engine) (time.Duration, error) {
	if e, ok := engine.(interface {
		ClockOffset(context.Context) (time.Duration, error)
	}); ok {
		return e.ClockOffset(ctx)
	}
	return 0, nil
}
