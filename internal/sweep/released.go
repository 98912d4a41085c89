package sweep

import (
	"signet/internal/backlog"
	"signet/internal/model"
	"signet/internal/store"
)

// eraseHeld erases the next of what was kept for a hold that was lifted.
func (w *Sweeper) eraseHeld(tx *store.Tx, j *store.Job) (backlog.Next, error) {
	id := model.OrganizationID(j.Subject)
	if released, err := tx.Released(id); err != nil || !released {
		return backlog.Over(), err
	}
	rows, err := tx.HeldMessages(id, model.MessageID{}, batch)
	if err != nil {
		return backlog.Next{}, err
	}
	if len(rows) == 0 {
		over := backlog.Over()
		over.Done = w.EraseSoon
		return over, tx.FinishHold(id)
	}
	for i := range rows {
		if err := tx.DeleteHeldMessage(&rows[i]); err != nil {
			return backlog.Next{}, err
		}
	}
	again := backlog.Again()
	again.Rows = backlog.Rows
	again.Done = func() { w.Counts.Erased.Add(int64(len(rows))) }
	return again, noteKeyEndings(tx, rows)
}
