package sweep

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/escalation"
	"signet/internal/store/legalhold"
	"signet/internal/store/sealing"
)

func (w *Sweeper) sweepMessages(ctx context.Context, at time.Time) (total int, err error) {
	for {
		var gone []store.MessageRow
		more := false
		err := w.Store.Update(ctx, func(tx *store.Tx) error {
			rows, err := tx.EndedMessages(at, endedRows)
			if err != nil {
				return err
			}
			gone, more, err = endMessages(tx, rows)
			more = more || len(rows) == endedRows
			return err
		})
		if err != nil {
			return total, err
		}
		forget(w.Cases, gone)
		w.Counts.countEnded(gone)
		w.Cases.SweepBehind(more)
		if total += len(gone); !more {
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

const (
	// copyRows is how many rows go with a copy of a message: the copy, its event, its count.
	copyRows = 3
	// endedRows is how many messages one transaction removes at the most: those without a copy are as a copy.
	endedRows = fanout.Rows / copyRows
	// everyCopy has a message removed with all of its copies, however many there are.
	everyCopy = math.MaxInt32
)

// endMessages removes messages that the sweep has found, in their order, up to what one
// transaction should write, and notes the keys that may have sealed nothing else. It
// returns the messages that are gone, and whether it stopped before the end.
func endMessages(tx *store.Tx, rows []store.MessageRow) (gone []store.MessageRow, more bool, err error) {
	if err := shareOrganizations(tx, rows); err != nil {
		return nil, false, err
	}
	left := endedRows
	for i := range rows {
		if left <= 0 {
			return rows[:i], true, noteKeyEndings(tx, rows[:i])
		}
		over, copies, err := endMessage(tx, &rows[i], left)
		if err != nil {
			return nil, false, err
		}
		if !over {
			return rows[:i], true, noteKeyEndings(tx, rows[:i])
		}
		left -= copies + 1
	}
	return rows, false, noteKeyEndings(tx, rows)
}

// endMessage removes a message and everything that refers to it but the status
// events, which hold no content. Where it has more copies than so many, it removes those,
// and over is false; under a legal hold, which keeps the message as it is, it removes all.
func endMessage(tx *store.Tx, row *store.MessageRow, most int) (over bool, copies int, err error) {
	if held, err := legalhold.Held(tx, row.Organization); err != nil {
		return false, 0, err
	} else if held {
		most = everyCopy
	}
	holders, err := tx.DeliveredTo(row.Organization, row.ID, most)
	if err != nil {
		return false, 0, err
	}
	if !row.Recalled { // a recall did these when it happened
		if err := tx.WithdrawMessage(row.Organization, row.ID, holders); err != nil {
			return false, 0, err
		}
		if err := tx.NoteEnded(row, holders); err != nil {
			return false, 0, err
		}
	}
	if len(holders) == most {
		return false, most, tx.DeleteCopies(row.Organization, row.ID, holders)
	}
	if row.Escalated() {
		if err := escalation.Delete(tx, row.Organization, row.ID); err != nil {
			return false, 0, err
		}
	}
	return true, len(holders), tx.DeleteMessage(row.Organization, row.ID, row.Blob)
}

// eraseBlobs removes the bytes that nothing refers to any more. A file that cannot be deleted is tried again by the
// next sweep.
func (w *Sweeper) eraseBlobs(ctx context.Context) error {
	f := &files{blobs: w.Vault.Blobs}
	var last model.BlobID
	for {
		ids, err := store.Read(ctx, w.Store, func(tx *store.Tx) ([]model.BlobID, error) { return tx.Erasures(last, batch) })
		if err != nil {
			return errors.Join(f.fault(), err)
		}
		var gone []model.BlobID
		for _, id := range ids {
			if last = id; f.delete(ctx, id) {
				gone = append(gone, id)
			} else if f.away {
				break
			}
		}
		if len(gone) > 0 {
			err = w.Store.Update(ctx, func(tx *store.Tx) error { return tx.DeleteErasures(gone) })
		}
		if err != nil || f.away || len(ids) < batch {
			return errors.Join(f.fault(), err)
		}
	}
}

// noteKeyEndings notes, in the transaction that removes messages, that their keys may
// not be needed any more.
func noteKeyEndings(tx *store.Tx, rows []store.MessageRow) error {
	type ending struct {
		organization model.OrganizationID
		day          store.KeyDay
	}
	var endings []ending
	for i := range rows {
		endings = append(endings, ending{rows[i].Organization, rows[i].KeyDay()})
	}
	slices.SortFunc(endings, func(a, b ending) int {
		lasting := func(e ending) int {
			if e.day.Lasting {
				return 1
			}
			return 0
		}
		return cmp.Or(strings.Compare(string(a.organization), string(b.organization)), cmp.Compare(lasting(a), lasting(b)),
			cmp.Compare(a.day.Day, b.day.Day))
	})
	for _, e := range slices.Compact(endings) {
		if err := sealing.NoteKeyEnding(tx, e.organization, e.day); err != nil {
			return err
		}
	}
	return nil
}
