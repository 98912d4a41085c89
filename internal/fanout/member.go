package fanout

import (
	"cmp"
	"slices"
	"time"

	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/piecework"
)

// bangLimit is how many bang one call makes at most; where it would make more, each
// member gets one update instead (contract, section 6, bang).
const bangLimit = 2000

// MoveMembers takes members out of a group and puts accounts into it that are not there,
// with its history, notes that, and tells everybody: each of every change with a bang, or where
// that would be very many, with one update. g.Members has those who are in it afterwards.
func (p *Plan) MoveMembers(pen *content.Pen, actor *model.Actor, g *model.Group,
	leaving, entering []model.AccountID) error {
	if len(leaving)+len(entering) == 0 {
		return nil
	}
	moves, err := p.Moves(pen, actor, g, leaving, entering)
	if err != nil {
		return err
	}
	if !moves.Each {
		moves.Pieces = append(moves.Pieces, Update(g, g.Members, actor.Account, moves.Sort))
	}
	return p.Do(g, moves.Pieces...)
}

// Moves are what moves members of a group.
type Moves struct {
	Pieces []piecework.Piece
	Each   bool  // they tell of each change; else an update is to
	Sort   int64 // of the last note; 0: nobody moves
}

// Moves notes who leaves a group and who enters it, and returns what moves them.
func (p *Plan) Moves(pen *content.Pen, actor *model.Actor, g *model.Group, leaving, entering []model.AccountID) (
	m Moves, err error) {
	var left, removed, added int64 // the sorts of the notes
	note := func(sort *int64, event model.NoteEvent, subjects []model.AccountID) {
		if len(subjects) > 0 && err == nil {
			*sort, err = pen.Write(p.tx, g, content.Change{Event: event, Caller: actor.Account, Subjects: subjects})
			m.Sort = *sort
		}
	}
	others := Without(leaving, []model.AccountID{actor.Account})
	note(&removed, model.NoteRemoved, others)
	note(&left, model.NoteLeft, Without(leaving, others))
	note(&added, model.NoteAdded, entering)
	if err != nil {
		return m, err
	}
	gone := cmp.Or(removed, left) // nobody who leaves sees either note
	before, staying := g.Members, Without(g.Members, leaving)
	g.Members = append(staying, entering...)
	m.Pieces = []piecework.Piece{Friends(g, piecework.Leave, false, leaving, gone),
		Friends(g, piecework.Enter, true, entering, added)}
	if len(leaving)*len(before)+len(entering)*len(g.Members) > bangLimit {
		return m, nil
	}
	m.Each = true
	for _, subject := range leaving {
		sort := removed
		if subject == actor.Account {
			sort = left
		}
		m.Pieces = append(m.Pieces, Bang(g, actor, subject, false, p.now, sort, before))
	}
	for _, subject := range entering {
		m.Pieces = append(m.Pieces, Bang(g, actor, subject, true, p.now, added, g.Members))
	}
	return m, nil
}

// Without returns the accounts that are not among others.
func Without(accounts, others []model.AccountID) []model.AccountID {
	among := make(map[model.AccountID]bool, len(others))
	for _, account := range others {
		among[account] = true
	}
	return slices.DeleteFunc(slices.Clone(accounts), func(a model.AccountID) bool { return among[a] })
}

// Friends tells accounts that a group is in their roster, or is not any more. What they see of its
// notes begins, or ends, with the one that has the sort.
func Friends(g *model.Group, deed piecework.Deed, added bool, accounts []model.AccountID, sort int64) piecework.Piece {
	change := store.Payload{Added: added, Entity: g.Entity(), Group: true, Name: g.Name, Sort: sort}
	return piecework.Piece{Deed: deed, Kind: model.EventFriends, Payload: change.Encode(), Accounts: accounts}
}

// Bang tells readers that an account came into a group or left it, which a note with the sort
// tells, too. A zero subject is the reader itself.
func Bang(g *model.Group, caller *model.Actor, subject model.AccountID, added bool, now time.Time, sort int64,
	readers []model.AccountID) piecework.Piece {
	change := store.Payload{Added: added, Caller: caller.Account, Account: subject, Entity: g.Entity(),
		Time: now.UnixMilli(), Name: g.Name, Sort: sort}
	return piecework.Piece{Deed: piecework.Tell, Kind: model.EventBang, Payload: change.Encode(), Accounts: readers}
}

// Update tells readers what a group is now, who changed it, and the sort of the last note that
// tells of it; a zero caller is nobody, and without a note there is no sort.
func Update(g *model.Group, readers []model.AccountID, caller model.AccountID, sort int64) piecework.Piece {
	change := store.Payload{Entity: g.Entity(), Group: true, Caller: caller, Name: g.Name, Sort: sort}
	return piecework.Piece{Deed: piecework.Tell, Kind: model.EventUpdate, Payload: change.Encode(), Accounts: readers}
}
