package sweep

import (
	"signet/internal/backlog"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/legalhold"
)

// released erases the next of what was kept for a hold that was lifted.
func (e *Eraser) released(tx *store.Tx, j *store.Job) (backlog.Next, error) {
	id := model.OrganizationID(j.Subject)
	if lifted, err := legalhold.Released(tx, id); err != nil || !lifted {
		return backlog.Over(), err
	}
	rows, err := tx.HeldMessages(id, model.MessageID{}, batch)
	if err != nil {
		return backlog.Next{}, err
	}
	if len(rows) == 0 {
		over := backlog.Over()
		over.Done = e.Wipe
		return over, legalhold.Finish(tx, id)
	}
	for i := range rows {
		if err := legalhold.DeleteMessage(tx, &rows[i]); err != nil {
			return backlog.Next{}, err
		}
	}
	again := backlog.Again()
	again.Rows = backlog.Rows
	again.Done = func() { e.Counts.Erased.Add(int64(len(rows))) }
	return again, noteKeyEndings(tx, rows)
}
