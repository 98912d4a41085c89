package upkeep

import (
	"context"
	"time"

	"signet/internal/backlog"
	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
)

const (
	// pieceRows is how many rows a transaction writes of what has very many of them.
	pieceRows = fanout.Rows / 5
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

	of model.OrganizationID // which is being erased, and at what
	at kind
}

// kind is a kind of what an organization holds: a stage of its erasure, and the kind of what is
// beside members, groups and messages. The next piece goes on with that of the one before: where
// many rows were erased, a database that did not clean up since looks through all of them before
// it finds that none is left.
type kind struct{ stage, beside int }

// The stages, in their order.
const (
	members = iota
	besides
	groups
	messages
	stages
)

// part is what a transaction erased.
type part struct {
	members  []model.AccountID
	messages []store.MessageRow
	erased   store.Erased
}

// rowsOf is how many rows a transaction writes of an erasure. Where each has a connection of its
// own nobody waits for it, and what it costs by itself is most of what a small one takes.
func rowsOf(tx *store.Tx) int {
	if tx.Alone() {
		return pieceRows
	}
	return fanout.Rows
}

// next erases the next of what an organization holds, from a kind on, and returns of which kind
// that was. found is false where nothing was left.
func next(tx *store.Tx, id model.OrganizationID, from kind) (p part, at kind, found bool, err error) {
	rows := rowsOf(tx)
	for at = from; at.stage < stages; at = (kind{stage: at.stage + 1}) {
		switch at.stage {
		case members:
			p.members, p.erased, found, err = tx.EraseMembers(id, rows)
		case besides:
			p.erased, at.beside, found, err = tx.EraseBesides(id, at.beside, rows)
		case groups:
			p.erased, found, err = tx.EraseGroups(id, rows)
		case messages:
			var left []store.MessageRow
			if left, err = tx.MessagesOf(id, batch); len(left) > 0 && err == nil {
				found = true
				p.messages, _, err = endMessages(tx, left)
			}
		}
		if found || err != nil {
			return p, at, found, err
		}
	}
	return p, kind{}, false, nil
}

// erase removes the next of what the organization holds that find finds; with the last of it
// the organization is forgotten, and over is true. found is false where there was nothing to do.
func (r *remains) erase(ctx context.Context,
	find func(tx *store.Tx) (model.OrganizationID, bool, error)) (found, over bool, err error) {
	var id model.OrganizationID
	var done part
	var at kind
	err = r.store.Update(ctx, func(tx *store.Tx) (err error) {
		done, at, over = part{}, kind{}, false
		if id, found, err = find(tx); err != nil || !found {
			return err
		}
		left := false
		if id == r.of && r.at != (kind{}) {
			done, at, left, err = next(tx, id, r.at)
		}
		if !left && err == nil { // of any kind: what had begun before it ended may have come since
			done, at, left, err = next(tx, id, kind{})
		}
		if left || err != nil {
			return err
		}
		if found = !r.keeps; r.keeps {
			return nil
		}
		over = true
		return tx.FinishErasure(id)
	})
	if err == nil {
		r.of, r.at = id, at
		r.told(done.members)
		r.gone(done.messages, done.erased)
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
		if err := backlog.Rest(ctx, step); err != nil {
			return gone, err
		}
	}
}
