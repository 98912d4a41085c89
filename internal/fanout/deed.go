package fanout

import (
	"cmp"
	"fmt"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/piecework"
)

// do does a piece. What it finds already done, or to be done no more, it leaves.
func do(tx *store.Tx, g *model.Group, p *piecework.Piece, now time.Time) error {
	switch {
	case p.Deed == piecework.Recall || p.Deed == piecework.Tell && p.Kind == model.EventGroupMessage:
		return doMessage(tx, p)
	case p.Deed == piecework.Enter:
		return enter(tx, g, p, now)
	case p.Deed == piecework.Leave:
		if err := piecework.QueueWaiting(tx, g, p.Accounts, now); err != nil {
			return err
		}
	}
	position, err := tx.Position(1, p.Accounts...)
	if err != nil {
		return err
	}
	switch p.Deed {
	case piecework.Leave:
		noted, err := noteOf(p)
		if err != nil {
			return err
		}
		if err := tx.RemoveGroupMembers(g.ID, p.Accounts, cmp.Or(noted, position)); err != nil {
			return err
		}
	case piecework.Tell:
		if p.Kind == model.EventUpdate {
			return tx.InsertGroupUpdates(g, p.Accounts, position, p.Payload)
		}
	default:
		return fmt.Errorf("piece %d is of a deed that is not known: %d", p.Number, p.Deed)
	}
	return tx.InsertEvents(p.Accounts, position, p.Organization, p.Kind, p.Message, p.Payload)
}

// enter puts accounts that are in the organization still into a group.
func enter(tx *store.Tx, g *model.Group, p *piecework.Piece, now time.Time) error {
	present, err := tx.MembershipsIn(g.Organization, p.Accounts)
	if err != nil || len(present) == 0 || g.Deleted {
		return err
	}
	in := make(map[model.AccountID]bool, len(present))
	for _, m := range present {
		in[m.Account] = true
	}
	entering := make([]model.AccountID, 0, len(present))
	for _, account := range p.Accounts { // in their order
		if in[account] {
			entering = append(entering, account)
		}
	}
	noted, err := noteOf(p)
	if err != nil {
		return err
	}
	var history, seen int64 // they get the messages after history, and see the notes after seen
	if g.ReplayHistory {
		var messages int
		if history, messages, err = piecework.HistoryStart(tx, g.ID, now, HistoryLimit); err != nil {
			return err
		}
		if seen = history; messages < HistoryLimit { // older ones would be among those that they get
			seen = 0
		}
	}
	// Members stand in the order in which they came: behind the last one of an earlier piece.
	newest, err := tx.NewestMember(g.ID)
	if err != nil {
		return err
	}
	position, err := tx.Position(len(entering), append(newest, entering...)...)
	if err != nil {
		return err
	}
	// No note tells who comes into a group of everybody.
	stay := store.Stay{History: seen, From: cmp.Or(noted, position)}
	if !g.ReplayHistory {
		stay.History = stay.From
	}
	if err := tx.AddGroupMembers(g, entering, position, history, stay); err != nil {
		return err
	}
	return tx.InsertEvents(entering, position, g.Organization, p.Kind, p.Message, p.Payload)
}

// noteOf is the sort of the note that tells who enters or leaves.
func noteOf(p *piecework.Piece) (int64, error) {
	change, err := store.ParsePayload(p.Payload)
	return change.Sort, err
}

// doMessage brings a message of a group to its readers, or takes it back.
func doMessage(tx *store.Tx, p *piecework.Piece) error {
	row, found, err := tx.MessageOf(p.Organization, p.Message)
	if err != nil || !found || row.Recalled && p.Deed == piecework.Tell {
		return err
	}
	position, err := tx.Position(1, p.Accounts...)
	if err != nil {
		return err
	}
	if p.Deed == piecework.Tell {
		return piecework.QueueLate(tx, &row, p.Accounts, position)
	}
	if err := tx.WithdrawMessage(p.Organization, p.Message, p.Accounts); err != nil {
		return err
	}
	if err := tx.NoteEnded(&row, p.Accounts); err != nil {
		return err
	}
	return tx.InsertEvents(p.Accounts, position, p.Organization, p.Kind, p.Message, p.Payload)
}

// tellAll tells the next members of an organization, up to limit, and reports whether those
// were the last.
func tellAll(tx *store.Tx, p *piecework.Piece, limit int) (told []model.AccountID, over bool, err error) {
	var after model.AccountID
	if len(p.Accounts) > 0 {
		after = p.Accounts[0]
	}
	if told, err = tx.MembersAfter(p.Organization, after, limit); err != nil {
		return nil, false, err
	}
	if len(told) > 0 {
		position, err := tx.Position(1, told...)
		if err != nil {
			return nil, false, err
		}
		if err := tx.InsertEvents(told, position, p.Organization, p.Kind, p.Message, p.Payload); err != nil {
			return nil, false, err
		}
	}
	if len(told) < limit {
		return told, true, piecework.DeletePiece(tx, p)
	}
	p.Accounts = told[limit-1:]
	return told, false, piecework.ShortenPiece(tx, p)
}
