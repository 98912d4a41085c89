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
	all, whole, err := findEnding(tx, rows)
	if err != nil {
		return nil, false, err
	}
	gone = rows[:whole]
	if err := takeFromHolders(tx, all); err != nil {
		return nil, false, err
	}
	for i := range gone {
		if !gone[i].Escalated() {
			continue
		}
		if err := escalation.Delete(tx, gone[i].Organization, gone[i].ID); err != nil {
			return nil, false, err
		}
	}
	for _, part := range all[whole:] {
		if err := tx.DeleteCopies(part.row.Organization, part.row.ID, part.holders); err != nil {
			return nil, false, err
		}
	}
	if err := tx.DeleteMessages(gone...); err != nil {
		return nil, false, err
	}
	return gone, whole < len(rows), noteKeyEndings(tx, gone)
}

// ending is a message that ends, with those who lose their copies.
type ending struct {
	row     *store.MessageRow
	holders []model.AccountID
}

// findEnding finds what one transaction should remove of some messages: so many of them whole, and of one more some of
// the copies. Under a legal hold, which keeps a message as it is, that has all of its copies.
func findEnding(tx *store.Tx, rows []store.MessageRow) (all []ending, whole int, err error) {
	seen := map[model.OrganizationID]bool{}
	for i := range rows {
		seen[rows[i].Organization] = true
	}
	organizations := slices.Sorted(maps.Keys(seen))
	// This keeps legal holds from being set meanwhile. It comes after the messages, which were found by their ends: a
	// transaction that locks an organization waits for no message.
	if _, err := tx.ShareOrganizations(organizations); err != nil {
		return nil, 0, err
	}
	held, err := legalhold.HeldAmong(tx, organizations)
	if err != nil {
		return nil, 0, err
	}
	left := endedRows
	for some := range slices.Chunk(rows, askedAtOnce) {
		asked := make([]ending, len(some))
		for i := range some {
			asked[i].row = &some[i]
			most := left
			if held[some[i].Organization] {
				most = everyCopy
			}
			if err := tx.AskDeliveredTo(some[i].Organization, some[i].ID, most, &asked[i].holders); err != nil {
				return nil, 0, err
			}
		}
		if err := tx.Await(); err != nil {
			return nil, 0, err
		}
		for _, e := range asked {
			if len(e.holders) >= left && !held[e.row.Organization] {
				e.holders = e.holders[:left]
				return append(all, e), whole, nil
			}
			all, whole = append(all, e), whole+1
			if left -= len(e.holders) + 1; left <= 0 {
				return all, whole, nil
			}
		}
	}
	return all, whole, nil
}

// takeFromHolders takes messages out of the queues and counters of those who have them, but for what a recall took when
// it happened. Those who read and send wait for the counters, which therefore come late, in the order of whose they
// are, and with nothing to wait for until the end.
func takeFromHolders(tx *store.Tx, all []ending) error {
	all = slices.DeleteFunc(slices.Clone(all), func(e ending) bool { return e.row.Recalled })
	for _, e := range all {
		if err := tx.WithdrawMessage(e.row.Organization, e.row.ID, e.holders); err != nil {
			return err
		}
	}
	slices.SortStableFunc(all, func(a, b ending) int {
		return cmp.Or(bytes.Compare(a.row.Recipient[:], b.row.Recipient[:]), bytes.Compare(a.row.Sender[:], b.row.Sender[:]))
	})
	for _, e := range all {
		if err := tx.NoteEnded(e.row, e.holders); err != nil {
			return err
		}
	}
	return nil
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
