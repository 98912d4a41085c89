package sweep

import (
	"context"
	"slices"

	"signet/internal/backlog"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
)

// departureWindow is how many messages a step looks through.
const departureWindow = 1000

// unreadable erases messages of an organization that no account can read any more: all
// that sent or got one have removed the conversation, left the organization or are gone.
func (e *Eraser) unreadable(ctx context.Context, j *store.Job) (backlog.Next, error) {
	erased := 0
	defer func() {
		if erased > 0 {
			e.Wipe()
		}
	}()
	for {
		d, found, err := e.departure(ctx, model.OrganizationID(j.Subject))
		if err != nil || !found {
			return backlog.Over(), err
		}
		if err := backlog.Turn(ctx); err != nil {
			return backlog.Next{}, err
		}
		var ids []model.MessageID
		err = e.Store.View(ctx, func(tx *store.Tx) (err error) {
			var next erasure.Departure
			if ids, next, err = erasure.Unreadable(tx, d, departureWindow); err == nil {
				d = next
			}
			return err
		})
		if err != nil {
			return backlog.Next{}, err
		}
		n, err := e.eraseIfUnreadable(ctx, d, ids)
		if erased += n; err != nil {
			return backlog.Next{}, err
		}
	}
}

func (e *Eraser) departure(ctx context.Context, id model.OrganizationID) (d erasure.Departure, found bool, err error) {
	err = e.Store.View(ctx, func(tx *store.Tx) (err error) {
		d, found, err = erasure.DepartureOf(tx, id)
		return err
	})
	return d, found, err
}

// eraseIfUnreadable erases these messages, and then remembers how far the departure was looked
// into. It returns how many it erased.
func (e *Eraser) eraseIfUnreadable(ctx context.Context, d erasure.Departure, ids []model.MessageID) (n int,
	err error) {
	for some := range slices.Chunk(ids, batch) {
		for more := true; more; {
			var gone []store.MessageRow
			err := e.Store.Update(ctx, func(tx *store.Tx) error {
				if err := tx.LockMessages([]model.OrganizationID{d.Organization}, some...); err != nil {
					return err
				}
				// Once more: somebody may have come in meanwhile, or another server erased them.
				rows, err := erasure.UnreadableAmong(tx, d.Organization, some)
				if err != nil {
					return err
				}
				gone, more, err = endMessages(tx, rows)
				return err
			})
			if err != nil {
				return n, err
			}
			e.gone(gone)
			n += len(gone)
			if err := backlog.Turn(ctx); err != nil {
				return n, err
			}
		}
	}
	return n, e.Store.Update(ctx, func(tx *store.Tx) error { return erasure.KeepDeparture(tx, d) })
}
