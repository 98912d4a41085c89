package upkeep

import (
	"context"
	"slices"

	"signet/internal/model"
	"signet/internal/store"
)

const (
	// departureBatch limits the organizations that one sweep looks through, and
	// departureWindows the windows of departureWindow messages in all of them. So a sweep
	// finishes a small organization at once, and a large one does not keep it busy.
	departureBatch   = 100
	departureWindows = 20
	departureWindow  = 1000
)

// sweepUnreadable erases messages that no account can read any more: all that sent or
// got one have removed the conversation, left the organization or are gone. It looks where
// one of these happened, which the transaction that did it has noted.
func (w *Sweeper) sweepUnreadable(ctx context.Context) (erased int, err error) {
	departures, err := store.Read(ctx, w.Store, func(tx *store.Tx) ([]store.Departure, error) {
		return tx.Departures(departureBatch)
	})
	if err != nil {
		return 0, err
	}
	for _, d := range departures {
		for range max(1, departureWindows/len(departures)) {
			var ids []model.MessageID
			err := w.Store.View(ctx, func(tx *store.Tx) (err error) {
				var next store.Departure
				ids, next, err = tx.Unreadable(d, departureWindow)
				if err == nil {
					d = next
				}
				return err
			})
			if err != nil {
				return erased, err
			}
			n, err := w.eraseUnreadable(ctx, d, ids)
			if erased += n; err != nil {
				return erased, err
			}
			if d.Over() {
				break
			}
		}
	}
	return erased, nil
}

// eraseUnreadable erases these messages, and then remembers how far the departure was
// looked into.
func (w *Sweeper) eraseUnreadable(ctx context.Context, d store.Departure, ids []model.MessageID) (erased int,
	err error) {
	for some := range slices.Chunk(ids, batch) {
		for more := true; more; {
			var gone []store.MessageRow
			err := w.Store.Update(ctx, func(tx *store.Tx) error {
				if err := tx.LockMessages([]model.OrganizationID{d.Organization}, some...); err != nil {
					return err
				}
				// Once more: another node may have erased them.
				rows, err := tx.UnreadableAmong(d.Organization, some)
				if err != nil {
					return err
				}
				gone, more, err = endMessages(tx, rows)
				return err
			})
			if err != nil {
				return erased, err
			}
			w.forget(gone)
			erased += len(gone)
		}
	}
	return erased, w.Store.Update(ctx, func(tx *store.Tx) error { return tx.KeepDeparture(d) })
}
