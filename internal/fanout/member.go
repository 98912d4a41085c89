package fanout

import (
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/piecework"
)

// bangLimit is how many bang one call makes at most; where it would make more, each
// member gets one update instead (contract, section 6, bang).
const bangLimit = 2000

// MoveMembers takes members out of a group and puts accounts into it that are not there,
// with its history, and tells everybody: each of every change with a bang, or where that
// would be very many, with one update. g.Members has those who are in it afterwards.
func (p *Plan) MoveMembers(actor *model.Actor, g *model.Group, leaving, entering []model.AccountID) error {
	if len(leaving)+len(entering) == 0 {
		return nil
	}
	pieces, _ := p.Moves(actor, g, leaving, entering)
	return p.Do(g, pieces...)
}

// Moves are the pieces of work that move members. each reports whether they tell of each change.
func (p *Plan) Moves(actor *model.Actor, g *model.Group, leaving, entering []model.AccountID) (pieces []piecework.Piece,
	each bool) {
	before, staying := g.Members, Without(g.Members, leaving)
	g.Members = append(staying, entering...)
	pieces = []piecework.Piece{Friends(g, piecework.Leave, false, leaving), Friends(g, piecework.Enter, true, entering)}
	if len(leaving)*len(before)+len(entering)*len(g.Members) > bangLimit {
		return append(pieces, Update(g, g.Members)), false
	}
	for _, subject := range leaving {
		pieces = append(pieces, Bang(g, actor, subject, false, p.now, before))
	}
	for _, subject := range entering {
		pieces = append(pieces, Bang(g, actor, subject, true, p.now, g.Members))
	}
	return pieces, true
}

// Without returns the accounts that are not among others.
func Without(accounts, others []model.AccountID) []model.AccountID {
	among := make(map[model.AccountID]bool, len(others))
	for _, account := range others {
		among[account] = true
	}
	return slices.DeleteFunc(slices.Clone(accounts), func(a model.AccountID) bool { return among[a] })
}

// Friends tells accounts that a group is in their roster, or is not any more.
func Friends(g *model.Group, deed piecework.Deed, added bool, accounts []model.AccountID) piecework.Piece {
	change := store.Payload{Added: added, Entity: g.Entity(), Group: true, Name: g.Name}
	return piecework.Piece{Deed: deed, Kind: model.EventFriends, Payload: change.Encode(), Accounts: accounts}
}

// Bang tells readers that an account came into a group or left it. A zero subject is the
// reader itself.
func Bang(g *model.Group, caller *model.Actor, subject model.AccountID, added bool, now time.Time,
	readers []model.AccountID) piecework.Piece {
	change := store.Payload{Added: added, Caller: caller.Account, Account: subject, Entity: g.Entity(),
		Time: now.UnixMilli(), Name: g.Name}
	return piecework.Piece{Deed: piecework.Tell, Kind: model.EventBang, Payload: change.Encode(), Accounts: readers}
}

// Update tells readers what a group is now.
func Update(g *model.Group, readers []model.AccountID) piecework.Piece {
	change := store.Payload{Entity: g.Entity(), Group: true, Name: g.Name}
	return piecework.Piece{Deed: piecework.Tell, Kind: model.EventUpdate, Payload: change.Encode(), Accounts: readers}
}
