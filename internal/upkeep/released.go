package upkeep

import (
	"context"

	"signet/internal/model"
	"signet/internal/store"
)

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
