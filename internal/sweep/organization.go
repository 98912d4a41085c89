package sweep

import (
	"context"

	"signet/internal/backlog"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
)

// pieceRows is how many rows a transaction writes of what has very many of them.
const pieceRows = backlog.Rows

// remains says which part of an organization is erased next: a stage, and the kind of what is
// beside members, groups and messages. The next piece goes on with that of the one before: where many
// rows were erased, a database that did not clean up since looks through all of them before it
// finds that none is left.
type remains struct{ stage, beside int }

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
	erased   erasure.Erased
}

// rowsOf is how many rows a transaction writes of an erasure. Where each has a connection of its
// own nobody waits for it, and what it costs by itself is most of what a small one takes.
func rowsOf(tx *store.Tx) int {
	if tx.Alone() {
		return pieceRows
	}
	return 5 * pieceRows
}

// next erases the next of what an organization holds, from where the piece before was, and returns
// where this one was: first its members, so that nobody sends there any more; what is beside them;
// groups; messages. found is false where nothing was left.
func next(tx *store.Tx, id model.OrganizationID, from remains) (p part, at remains, found bool, err error) {
	if p, at, found, err = nextFrom(tx, id, from); found || err != nil || from == (remains{}) {
		return p, at, found, err
	}
	return nextFrom(tx, id, remains{}) // what had begun before it ended may have come since
}

func nextFrom(tx *store.Tx, id model.OrganizationID, from remains) (p part, at remains, found bool, err error) {
	rows := rowsOf(tx)
	for at = from; at.stage < stages; at = (remains{stage: at.stage + 1}) {
		switch at.stage {
		case members:
			p.members, p.erased, found, err = erasure.EraseMembers(tx, id, rows)
		case besides:
			p.erased, at.beside, found, err = erasure.EraseBesides(tx, id, at.beside, rows)
		case groups:
			p.erased, found, err = erasure.EraseGroups(tx, id, rows)
		case messages:
			var left []store.MessageRow
			if left, err = erasure.MessagesOf(tx, id, batch); len(left) > 0 && err == nil {
				found = true
				p.messages, _, err = endMessages(tx, left)
			}
		}
		if found || err != nil {
			return p, at, found, err
		}
	}
	return p, remains{}, false, nil
}

// organization erases the next of what a deleted organization held; with the last of it the
// organization is forgotten.
func (e *Eraser) organization(tx *store.Tx, j *store.Job) (backlog.Next, error) {
	id := model.OrganizationID(j.Subject)
	if left, err := erasure.BeingErased(tx, id); err != nil || !left {
		return backlog.Over(), err
	}
	var from remains
	if len(j.State) == 2 {
		from = remains{stage: int(j.State[0]), beside: int(j.State[1])}
	}
	done, at, found, err := next(tx, id, from)
	if err != nil {
		return backlog.Next{}, err
	}
	if !found {
		over := backlog.Over()
		over.Done = e.Wipe
		return over, erasure.FinishOrganization(tx, id)
	}
	j.State = []byte{byte(at.stage), byte(at.beside)}
	again := backlog.Again()
	again.Rows = backlog.Rows
	again.Done = func() {
		e.Readers.Wake(context.Background(), done.members...)
		e.gone(done.messages)
	}
	return again, nil
}
