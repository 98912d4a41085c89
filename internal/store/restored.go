package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

// noteEpochs adds the epoch that ends to those that the store has had.
func (tx *Tx) noteEpochs() error {
	had, err := tx.meta(metaEpochsBefore)
	if err != nil {
		return err
	}
	epoch, err := tx.meta(MetaEpoch)
	if err != nil {
		return err
	}
	return tx.putMeta(metaEpochsBefore, strings.TrimSpace(had+" "+epoch))
}

// HadEpoch reports whether an epoch is one that the store had before it was set back, in
// place of another's that began after a copy was made.
func (s *Store) HadEpoch(ctx context.Context, epoch string) (had bool, err error) {
	text, err := s.meta(ctx, metaEpochsBefore)
	return slices.Contains(strings.Fields(text), epoch), err
}

// SinceRestore returns when a server first asked this after the store was set back
// (ChangeEpoch), which is now for the first one; the zero time where it was not, or that
// was forgotten.
func (s *Store) SinceRestore(ctx context.Context, now time.Time) (since time.Time, first bool, err error) {
	value, err := s.meta(ctx, metaRestored)
	if err != nil || value == "" {
		return time.Time{}, false, err
	}
	if value == due {
		text := strconv.FormatInt(now.UnixMilli(), 10)
		return now, true, s.Update(ctx, func(tx *Tx) error { return tx.putMeta(metaRestored, text) })
	}
	ms, err := strconv.ParseInt(value, 10, 64)
	return time.UnixMilli(ms), false, err
}

// ForgetRestore ends that.
func (s *Store) ForgetRestore(ctx context.Context) error {
	return s.Update(ctx, func(tx *Tx) error { return tx.clearMeta(metaRestored) })
}
