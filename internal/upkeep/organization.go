package upkeep

import (
	"context"
	"time"

	"signet/internal/model"
	"signet/internal/piece"
	"signet/internal/store"
)

const (
	// pieceRows is how many rows a transaction writes of what has very many of them.
	pieceRows = piece.Rows / 5
	// organizationTime is for how long a sweep erases organizations before it does its other
	// tasks.
	organizationTime = 2 * time.Second
)

// remains erases what deleted organizations held, some of it in a transaction: first their
// members, so that nobody sends there any more; what is beside them; groups; messages.
type remains struct {
	store *store.Store
	keeps bool                                               // others still have to know that it was deleted
	told  func(accounts []model.AccountID)                   // have an event of their end
	gone  func(rows []store.MessageRow, erased store.Erased) // is told what each transaction removed
}

// erase removes the next of what the organization holds that find finds; with the last of it
// the organization is forgotten, and over is true. found is false where there was nothing to do.
func (r *remains) erase(ctx context.Context,
	find func(tx *store.Tx) (model.OrganizationID, bool, error)) (found, over bool, err error) {
	var members []model.AccountID
	var messages []store.MessageRow
	var erased store.Erased
	err = r.store.Update(ctx, func(tx *store.Tx) (err error) {
		var id model.OrganizationID
		members, messages, erased, over = nil, nil, nil, false
		if id, found, err = find(tx); err != nil || !found {
			return err
		}
		more := false
		if members, erased, more, err = tx.EraseMembers(id, pieceRows); more || err != nil {
			return err
		}
		if erased, more, err = tx.EraseBesides(id, pieceRows); more || err != nil {
			return err
		}
		if erased, more, err = tx.EraseGroups(id, pieceRows); more || err != nil {
			return err
		}
		rows, err := tx.MessagesOf(id, batch)
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			messages, _, err = endMessages(tx, rows)
			return err
		}
		if found = !r.keeps; r.keeps {
			return nil
		}
		over = true
		return tx.FinishErasure(id)
	})
	if err == nil {
		r.told(members)
		r.gone(messages, erased)
	}
	return found, over, err
}

// sweepOrganizations erases what deleted organizations held, and returns how many of these are
// gone by now: the store's files are wiped once for each, which holds up the writer. Where much
// is left it asks for another sweep, after the other tasks of this one.
func (w *Sweeper) sweepOrganizations(ctx context.Context) (gone int, err error) {
	r := remains{store: w.Store, told: func(accounts []model.AccountID) { w.Cases.Wake(accounts...) },
		gone: func(rows []store.MessageRow, _ store.Erased) {
			w.forget(rows)
			w.Counts.Erased.Add(int64(len(rows)))
		}}
	for begun := time.Now(); ; {
		step := time.Now()
		found, over, err := r.erase(ctx, (*store.Tx).OrganizationErasure)
		if err != nil || !found {
			return gone, err
		}
		if over {
			gone++
		}
		if time.Since(begun) > organizationTime {
			w.again()
			return gone, nil
		}
		if err := piece.Rest(ctx, step); err != nil {
			return gone, err
		}
	}
}
