package sweep

import (
	"context"
	"time"

	"signet/internal/backlog"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/notes"
)

// notesAtOnce is how many notes one transaction removes: each has up to 21 names.
const notesAtOnce = 50

// trimNotes removes notes whose time is over. Nobody has seen them since.
func (w *Sweeper) trimNotes(ctx context.Context, now time.Time) error {
	for n := notesAtOnce; n == notesAtOnce; {
		begun := time.Now()
		err := w.Store.Update(ctx, func(tx *store.Tx) (err error) {
			n, err = notes.DeleteBefore(tx, now.Add(-model.NoteLife), notesAtOnce)
			return err
		})
		if err != nil {
			return err
		}
		if n > 0 {
			w.erased.Store(true)
		}
		if err := backlog.Rest(ctx, begun); err != nil {
			return err
		}
	}
	return nil
}

// notes erases the next notes of a deleted group.
func (e *Eraser) notes(tx *store.Tx, j *store.Job) (backlog.Next, error) {
	n, err := notes.DeleteOf(tx, model.GroupID(j.Subject), notesAtOnce)
	if err != nil {
		return backlog.Next{}, err
	}
	next := backlog.Over()
	if n == notesAtOnce {
		next = backlog.Again()
	}
	next.Rows = n * (2 + model.MostNoted)
	if n > 0 {
		next.Done = e.Wipe
	}
	return next, nil
}
