// Package fanout does in pieces what a call brings to very many: who enters and leaves a large
// group, what its members are told, the history that new ones get.
//
// A call says in its transaction what is to be done. What is little is done there. The rest is
// noted, and done in the background (backlog) in transactions of their own, in order, between
// which others write. The package does not know who may do what, nor how an event looks to its
// reader.
package fanout

import (
	"context"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/piecework"
)

const (
	// Rows is about how many rows the transaction of a call writes. A call that takes very many
	// transactions divides it by share: others who write wait for one of these at a time.
	Rows  = 500
	share = 5
	// noted is how many accounts a piece names: it is done some of them at a time.
	noted = 1000
	// HistoryLimit is how many earlier messages a new member gets (contract, call 9).
	HistoryLimit = 1000
)

// oneMove is how many rows one account writes that enters a group or leaves it.
const oneMove = 2

// rowsOf is how many rows a deed writes for each account.
func rowsOf(p *piecework.Piece) int {
	switch {
	case p.Deed == piecework.Recall:
		return 4 // event, count, status event, and the queue's position
	case p.Kind == model.EventUpdate:
		return 3
	default:
		return 2
	}
}

// Plan is what one transaction does. It is used by one goroutine, until the transaction
// ends; then Carry goes on with it.
type Plan struct {
	Told []model.AccountID // whose queues have something new
	Cost int               // rows that are written, now or later

	tx    *store.Tx
	of    *Fanout
	now   time.Time
	rows  int
	left  int
	noted bool    // something was
	later []crowd // of which something is left
	must  []crowd // of which that has to be done before the call is answered
}

// Plan begins what a transaction does.
func (f *Fanout) Plan(tx *store.Tx, now time.Time) *Plan {
	return &Plan{tx: tx, of: f, now: now, rows: f.rows, left: f.rows}
}

// Do does pieces of a group, whose row is locked, in their order: at once, or later where
// they write too much, or wait for others.
func (p *Plan) Do(g *model.Group, pieces ...piecework.Piece) error {
	behind, err := p.behind(g)
	if err != nil {
		return err
	}
	w := weigh(pieces)
	p.Cost += w.all
	// Members come and go at once where that writes few rows, whatever else there is to do. One always does: who
	// leaves an organization is in none of its groups from then on, however many these are.
	whole, part := !behind && !p.noted && w.all <= p.left, w.moves <= max(p.left, oneMove)
	now := func(piece *piecework.Piece) bool { return whole || part && moving(piece) }
	replay := w.entering > 0 && g.ReplayHistory && part
	if replay {
		messages, err := p.lockHistory(g, w.entering, p.left-w.all)
		if err != nil {
			return err
		}
		replay = messages > 0
	}
	if err := p.lockQueues(pieces, now); err != nil {
		return err
	}
	for i := range pieces {
		if len(pieces[i].Accounts) == 0 {
			continue
		}
		piece := pieces[i]
		piece.Organization, piece.Group, piece.Noted = g.Organization, g.ID, p.now
		if !now(&piece) {
			if err := p.note(&piece); err != nil {
				return err
			}
			continue
		}
		if err := do(p.tx, g, &piece, p.now); err != nil {
			return err
		}
		p.Told = append(p.Told, piece.Accounts...)
	}
	if whole {
		p.left -= w.all
	} else if part {
		p.left -= w.moves
	}
	if replay {
		return p.replay(g)
	}
	return nil
}

// behind reports whether pieces of a group wait already.
func (p *Plan) behind(g *model.Group) (bool, error) {
	if g.ID.IsZero() {
		return false, nil
	}
	return piecework.HasPieces(p.tx, g.Organization, g.ID)
}

// weight is what pieces write.
type weight struct {
	all, moves int // rows: of all, and of those that change who is in the group
	entering   int // accounts that enter it
}

func weigh(pieces []piecework.Piece) (w weight) {
	for i := range pieces {
		rows := rowsOf(&pieces[i]) * len(pieces[i].Accounts)
		w.all += rows
		if moving(&pieces[i]) {
			w.moves += rows
		}
		if pieces[i].Deed == piecework.Enter {
			w.entering += len(pieces[i].Accounts)
		}
	}
	return w
}

// lockQueues locks the queues that some of the pieces write to, all of them in one order.
func (p *Plan) lockQueues(pieces []piecework.Piece, some func(*piecework.Piece) bool) error {
	var concerned []model.AccountID
	for i := range pieces {
		if some(&pieces[i]) {
			concerned = append(concerned, pieces[i].Accounts...)
		}
	}
	if len(concerned) == 0 {
		return nil
	}
	return p.tx.LockQueues(concerned...)
}

// moving reports whether a piece changes who is in a group.
func moving(p *piecework.Piece) bool { return p.Deed == piecework.Enter || p.Deed == piecework.Leave }

// lockHistory keeps the messages that those who enter a group get as they are, if they are
// few enough for this transaction, and returns how many there are. Else they come later.
func (p *Plan) lockHistory(g *model.Group, entering, left int) (messages int, err error) {
	after, messages, err := piecework.HistoryStart(p.tx, g.ID, p.now, HistoryLimit)
	if err != nil || messages == 0 {
		return 0, err
	}
	p.Cost += 2 * messages * entering
	if 2*messages*entering > left {
		return 0, p.putOff(crowd{g.Organization, g.ID})
	}
	return messages, piecework.LockHistory(p.tx, g.ID, after)
}

// replay queues the history of a group with those who have just entered it.
func (p *Plan) replay(g *model.Group) error {
	for {
		_, pairs, err := piecework.Replay(p.tx, g, p.now, p.left/2)
		if err != nil {
			return err
		}
		if p.left -= 2 * pairs; pairs == 0 || p.left <= 0 {
			return p.putOff(crowd{g.Organization, g.ID}) // others may wait too
		}
	}
}

// note keeps a piece for later.
func (p *Plan) note(piece *piecework.Piece) error {
	if piece.Deed == piecework.Tell && piece.Kind == model.EventUpdate {
		if err := piecework.DeleteUpdatePieces(p.tx, piece.Organization, piece.Group); err != nil {
			return err
		}
	}
	accounts := piece.Accounts
	for part := range slices.Chunk(accounts, noted) {
		piece.Accounts = part
		if err := piecework.NotePiece(p.tx, piece); err != nil {
			return err
		}
	}
	piece.Accounts = accounts
	p.noted = true
	at := crowd{piece.Organization, piece.Group}
	if moving(piece) || piece.Deed == piecework.Recall {
		p.must = append(p.must, at)
	}
	return p.putOff(at)
}

// putOff leaves what there is to do of a crowd to the backlog.
func (p *Plan) putOff(at crowd) error {
	if slices.Contains(p.later, at) {
		return nil
	}
	p.later = append(p.later, at)
	return p.tx.NoteJob(&store.Job{Kind: store.FanOut, Subject: at.subject(), Noted: p.now})
}

// Message queues a group's message, of which all readers have a copy, with those that do
// not wait for earlier ones. It returns those that have it already.
func (p *Plan) Message(row *store.MessageRow, readers *store.Readers) (queued []model.AccountID, err error) {
	p.Cost += 2 * len(readers.Accounts)
	if !readers.Behind && 2*len(readers.Accounts) <= p.left {
		p.Told = append(p.Told, readers.Ready...)
		if err := p.tx.InsertGroupEvents(row); err != nil {
			return nil, err
		}
		return readers.Ready, p.of.tell(p.tx, row.Organization, row.ID, readers.Ready)
	}
	return nil, p.note(&piecework.Piece{Organization: row.Organization, Group: model.GroupID(row.Recipient), Noted: p.now,
		Deed: piecework.Tell, Kind: model.EventGroupMessage, Message: row.ID, Accounts: readers.Accounts})
}

// TellMembers queues an event with all members of an organization, whose row is locked: with
// the first of them now. How many there are was counted before.
func (p *Plan) TellMembers(organization model.OrganizationID, kind model.EventKind, payload []byte,
	members int) error {
	first, err := p.tx.MembersAfter(organization, model.AccountID{}, max(p.left/2, 1))
	if err != nil || len(first) == 0 {
		return err
	}
	all := len(first) < p.left/2
	piece := piecework.Piece{Organization: organization, Noted: p.now, Deed: piecework.Tell, Kind: kind, Payload: payload,
		Accounts: first}
	if err := p.Do(&model.Group{Organization: organization}, piece); err != nil || all {
		return err
	}
	p.Cost += 2 * max(members-len(first), 0)
	piece.Deed, piece.Accounts = piecework.TellAll, first[len(first)-1:]
	return p.note(&piece)
}

// Recall takes a recalled message back from those that have a copy of it.
func (p *Plan) Recall(row *store.MessageRow, kind model.EventKind, holders []model.AccountID) error {
	g := model.Group{Organization: row.Organization}
	if row.Group {
		g.ID = model.GroupID(row.Recipient)
	}
	err := p.Do(&g, piecework.Piece{Deed: piecework.Recall, Kind: kind, Message: row.ID,
		Payload: store.Payload{Recalled: true}.Encode(), Accounts: holders})
	if err != nil || !row.Group || p.tx.Alone() {
		return err
	}
	// Other servers may remember what it says, and bring it with its event for as long as that is queued.
	return p.tx.WithdrawMessage(row.Organization, row.ID, holders)
}

// Await has the call answered only when what earlier ones promised of a group is so.
func (p *Plan) Await(organization model.OrganizationID, group model.GroupID) {
	p.must = append(p.must, crowd{organization, group})
}

// Counted returns a context in which the rows that calls write, or leave to be written, are
// added to a number.
func Counted(ctx context.Context, rows *int) context.Context {
	return context.WithValue(ctx, counting{}, rows)
}

type counting struct{}
