package sweep

import (
	"bytes"
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
func shareOrganizations(tx *store.Tx, ids []model.OrganizationID) error {
	for _, id := range ids {
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
	// askedAtOnce is of how many messages it is asked at once who has a copy.
	askedAtOnce = 32
)

// endMessages removes messages that the sweep has found, in their order, up to what one
// transaction should write, and everything that refers to them but the status
// events, which hold no content; and notes the keys that may have sealed nothing else. Of a message with more
// copies than that it removes some. It returns the messages that are gone, and whether it stopped before the end.
func endMessages(tx *store.Tx, rows []store.MessageRow) (gone []store.MessageRow, more bool, err error) {
	e, err := findEnding(tx, rows)
	if err != nil {
		return nil, false, err
	}
	if err := e.write(tx); err != nil {
		return nil, false, err
	}
	return e.gone, len(e.gone) < len(rows), noteKeyEndings(tx, e.gone)
}

// ending is what one transaction removes.
type ending struct {
	gone    []store.MessageRow
	part    *store.MessageRow // of which only the last of the holders lose their copies; nil: there is none
	holders [][]model.AccountID
}

// findEnding finds what one transaction should remove of some messages. Under a legal hold, which keeps a message as
// it is, that has all of its copies.
func findEnding(tx *store.Tx, rows []store.MessageRow) (*ending, error) {
	seen := map[model.OrganizationID]bool{}
	for i := range rows {
		seen[rows[i].Organization] = true
	}
	organizations := slices.Sorted(maps.Keys(seen))
	if err := shareOrganizations(tx, organizations); err != nil {
		return nil, err
	}
	held, err := legalhold.HeldAmong(tx, organizations)
	if err != nil {
		return nil, err
	}
	e := &ending{}
	for left := endedRows; left > 0 && len(e.gone) < len(rows); {
		some := rows[len(e.gone):min(len(e.gone)+askedAtOnce, len(rows))]
		holders := make([][]model.AccountID, len(some))
		for i := range some {
			most := left
			if held[some[i].Organization] {
				most = everyCopy
			}
			if err := tx.AskDeliveredTo(some[i].Organization, some[i].ID, most, &holders[i]); err != nil {
				return nil, err
			}
		}
		if err := tx.Await(); err != nil {
			return nil, err
		}
		for i := range some {
			if left <= 0 {
				return e, nil
			}
			if len(holders[i]) >= left && !held[some[i].Organization] {
				e.part, e.holders = &some[i], append(e.holders, holders[i][:left])
				return e, nil
			}
			e.gone, e.holders = rows[:len(e.gone)+1], append(e.holders, holders[i])
			left -= len(holders[i]) + 1
		}
	}
	return e, nil
}

// write removes it. Those who read and send wait for the counters, which therefore come late, in the order of whose
// they are, and with nothing to wait for until the end.
func (e *ending) write(tx *store.Tx) error {
	type counted struct {
		row     *store.MessageRow
		holders []model.AccountID
	}
	var all []counted // but for what a recall counted when it happened
	for i, holders := range e.holders {
		row := e.part
		if i < len(e.gone) {
			row = &e.gone[i]
		}
		if row.Recalled {
			continue
		}
		if err := tx.WithdrawMessage(row.Organization, row.ID, holders); err != nil {
			return err
		}
		all = append(all, counted{row, holders})
	}
	for i := range e.gone {
		if row := &e.gone[i]; row.Escalated() {
			if err := escalation.Delete(tx, row.Organization, row.ID); err != nil {
				return err
			}
		}
	}
	slices.SortStableFunc(all, func(a, b counted) int {
		return cmp.Or(bytes.Compare(a.row.Recipient[:], b.row.Recipient[:]), bytes.Compare(a.row.Sender[:], b.row.Sender[:]))
	})
	for _, c := range all {
		if err := tx.NoteEnded(c.row, c.holders); err != nil {
			return err
		}
	}
	if e.part != nil {
		if err := tx.DeleteCopies(e.part.Organization, e.part.ID, e.holders[len(e.gone)]); err != nil {
			return err
		}
	}
	return tx.DeleteMessages(e.gone...)
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
	type keyEnding struct {
		organization model.OrganizationID
		day          store.KeyDay
	}
	var endings []keyEnding
	for i := range rows {
		endings = append(endings, keyEnding{rows[i].Organization, rows[i].KeyDay()})
	}
	slices.SortFunc(endings, func(a, b keyEnding) int {
		lasting := func(e keyEnding) int {
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
