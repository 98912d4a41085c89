package upkeep

import (
	"context"

	"signet/internal/model"
	"signet/internal/store"
)

// sweepOrganizations erases what deleted organizations held.
func (w *Sweeper) sweepOrganizations(ctx context.Context) (erased int, err error) {
	for {
		n, messages := 0, 0
		err := w.Store.Update(ctx, func(tx *store.Tx) error {
			n, messages = 0, 0
			id, found, err := tx.OrganizationErasure()
			if err != nil || !found {
				return err
			}
			rows, err := tx.MessagesOf(id, batch)
			if err != nil {
				return err
			}
			for i := range rows {
				if err := tx.DeleteMessage(id, rows[i].ID, rows[i].Blob); err != nil {
					return err
				}
			}
			messages = len(rows)
			n = 1 + messages
			if messages > 0 {
				return nil
			}
			return tx.FinishErasure(id)
		})
		if err != nil || n == 0 {
			return erased, err
		}
		w.Counts.Erased.Add(int64(messages))
		erased += n
	}
}

// sweepHolds erases what was kept for holds that were lifted.
func (w *Sweeper) sweepHolds(ctx context.Context) (erased int, err error) {
	for {
		n, messages := 0, 0
		err := w.Store.Update(ctx, func(tx *store.Tx) error {
			n, messages = 0, 0
			id, found, err := tx.ReleasedHold()
			if err != nil || !found {
				return err
			}
			rows, err := tx.HeldMessages(id, model.MessageID{}, batch)
			if err != nil {
				return err
			}
			messages = len(rows)
			if n = 1 + messages; messages == 0 {
				return tx.FinishHold(id)
			}
			for i := range rows {
				if err := tx.DeleteHeldMessage(&rows[i]); err != nil {
					return err
				}
			}
			return noteKeyEndings(tx, rows)
		})
		if err != nil || n == 0 {
			return erased, err
		}
		w.Counts.Erased.Add(int64(messages))
		erased += n
	}
}
