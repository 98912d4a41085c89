package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

// metaRestored notes that the store was set back to an earlier state: "due" until a
// server asks, then the time when it did.
const metaRestored = "restored"

const restoreDue = "due"

// noteRestored notes that the store was set back.
func (tx *Tx) noteRestored(value string) error {
	if _, err := tx.exec(`DELETE FROM meta WHERE name = ?`, metaRestored); err != nil {
		return err
	}
	_, err := tx.settle(metaRestored, value)
	return err
}

// noteEpochs adds the epoch that ends to those that the store has had.
func (tx *Tx) noteEpochs() error {
	had, epoch := "", ""
	if _, err := tx.one(`SELECT value FROM meta WHERE name = ?`, []any{metaEpochsBefore}, &had); err != nil {
		return err
	}
	if _, err := tx.one(`SELECT value FROM meta WHERE name = ?`, []any{metaEpoch}, &epoch); err != nil {
		return err
	}
	if _, err := tx.exec(`DELETE FROM meta WHERE name = ?`, metaEpochsBefore); err != nil {
		return err
	}
	_, err := tx.settle(metaEpochsBefore, strings.TrimSpace(had+" "+epoch))
	return err
}

// HadEpoch reports whether an epoch is one that the store had before it was set back, in
// place of another's that began after a copy was made.
func (s *Store) HadEpoch(ctx context.Context, epoch string) (had bool, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		text := ""
		_, err := tx.one(`SELECT value FROM meta WHERE name = ?`, []any{metaEpochsBefore}, &text)
		had = slices.Contains(strings.Fields(text), epoch)
		return err
	})
	return had, err
}

// SinceRestore returns when a server first asked this after the store was set back
// (ChangeEpoch), which is now for the first one; the zero time where it was not, or that
// was forgotten.
func (s *Store) SinceRestore(ctx context.Context, now time.Time) (since time.Time, first bool, err error) {
	var value string
	err = s.View(ctx, func(tx *Tx) error {
		value = ""
		_, err := tx.one(`SELECT value FROM meta WHERE name = ?`, []any{metaRestored}, &value)
		return err
	})
	if err != nil || value == "" {
		return time.Time{}, false, err
	}
	if value == restoreDue {
		return now, true, s.Update(ctx, func(tx *Tx) error { return tx.noteRestored(strconv.FormatInt(now.UnixMilli(), 10)) })
	}
	ms, err := strconv.ParseInt(value, 10, 64)
	return time.UnixMilli(ms), false, err
}

// ForgetRestore ends that.
func (s *Store) ForgetRestore(ctx context.Context) error {
	return s.Update(ctx, func(tx *Tx) error {
		_, err := tx.exec(`DELETE FROM meta WHERE name = ?`, metaRestored)
		return err
	})
}
