package upkeep

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/store"
	"slices"
	"strings"
	"time"
)

func (w *Sweeper) sweepMessages(ctx context.Context, at time.Time) (total int, err error) {
	for {
		n := 0
		var ended []model.MessageID
		var rows []store.MessageRow
		err := w.Store.Update(ctx, func(tx *store.Tx) (err error) {
			if rows, err = tx.EndedMessages(at, batch); err != nil {
				return err
			}
			n, ended = len(rows), nil
			for i := range rows {
				ended = append(ended, rows[i].ID)
			}
			return endMessages(tx, rows)
		})
		if err != nil {
			return total, err
		}
		if n > 0 {
			w.Cases.ForgetMessages(ended...)
			w.Counts.countEnded(rows)
		}
		if total += n; n < batch {
			return total, nil
		}
	}
}

// shareOrganizations keeps legal holds from being set while messages are erased. It
// comes after the messages, which are found by their ends: a transaction
// that locks an organization waits for no message.
func shareOrganizations(tx *store.Tx, rows []store.MessageRow) error {
	if !tx.Locks() {
		return nil
	}
	seen := map[model.OrganizationID]bool{}
	for i := range rows {
		seen[rows[i].Organization] = true
	}
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		if err := tx.ShareOrganization(id); err != nil {
			return err
		}
	}
	return nil
}

// endMessages removes messages that the sweep has found, and notes the keys of which
// nothing may be left.
func endMessages(tx *store.Tx, rows []store.MessageRow) error {
	if err := shareOrganizations(tx, rows); err != nil {
		return err
	}
	for i := range rows {
		if err := endMessage(tx, &rows[i]); err != nil {
			return err
		}
	}
	return noteKeyEndings(tx, rows)
}

// endMessage removes a message and everything that refers to it but the status
// events, which hold no content.
func endMessage(tx *store.Tx, row *store.MessageRow) error {
	if !row.Recalled { // a recall did these when it happened
		holders, err := tx.DeliveredTo(row.Organization, row.ID, math.MaxInt32)
		if err != nil {
			return err
		}
		if err := tx.WithdrawMessage(row.Organization, row.ID, holders); err != nil {
			return err
		}
		if err := tx.NoteEnded(row, holders); err != nil {
			return err
		}
	}
	return tx.DeleteMessage(row.Organization, row.ID, row.Blob)
}

// eraseBlobs removes the bytes that nothing refers to any more.
func (w *Sweeper) eraseBlobs(ctx context.Context) error {
	for {
		var ids []model.BlobID
		err := w.Store.View(ctx, func(tx *store.Tx) (err error) {
			ids, err = tx.Erasures(batch)
			return err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := w.Vault.Blobs.Delete(ctx, id); err != nil && !errors.Is(err, blob.ErrNotFound) {
				return err
			}
		}
		if err := w.Store.Update(ctx, func(tx *store.Tx) error { return tx.DeleteErasures(ids) }); err != nil {
			return err
		}
		if len(ids) < batch {
			return nil
		}
	}
}

// noteKeyEndings notes, in the transaction that removes messages, that their keys may
// not be needed any more.
func noteKeyEndings(tx *store.Tx, rows []store.MessageRow) error {
	type place struct {
		organization model.OrganizationID
		day          store.KeyDay
	}
	var places []place
	for i := range rows {
		places = append(places, place{rows[i].Organization, rows[i].KeyDay()})
	}
	slices.SortFunc(places, func(a, b place) int {
		lasting := func(p place) int {
			if p.day.Lasting {
				return 1
			}
			return 0
		}
		return cmp.Or(strings.Compare(string(a.organization), string(b.organization)), cmp.Compare(lasting(a), lasting(b)),
			cmp.Compare(a.day.Day, b.day.Day))
	})
	for _, p := range slices.Compact(places) {
		if err := tx.NoteKeyEnding(p.organization, p.day); err != nil {
			return err
		}
	}
	return nil
}
