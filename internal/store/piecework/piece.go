// Package piecework keeps what calls left to be done to groups and organizations in pieces: who is
// to come, to go and to be told, and which messages new members are to get.
//
// It owns pieces. It does not know when a call leaves something, nor who does it (package fanout).
package piecework

import (
	"fmt"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Deed is what a piece does with its accounts.
type Deed int

// The deeds, each at the number that is stored for it.
const (
	Enter   Deed = iota + 1 // they come into the group
	Leave                   // they leave it
	Tell                    // they get an event
	Recall                  // their copies of a recalled message are withdrawn
	TellAll                 // all members of the organization after the one account get an event
)

// Piece is a part of what a call does to a group, or tells the members of an organization.
type Piece struct {
	Organization model.OrganizationID
	Group        model.GroupID // zero: it is about no group
	Number       int64         // its place among those of the group
	Noted        time.Time
	Deed         Deed
	Kind         model.EventKind // of the event that it queues
	Message      model.MessageID // which it is about, or zero
	Payload      []byte          // of the event
	Accounts     []model.AccountID
}

// NotePiece keeps a piece for a later transaction, behind those that are there. The
// group is locked, or the organization where there is none.
func NotePiece(tx *store.Tx, p *Piece) error {
	return tx.Post(`INSERT INTO pieces (organization, group_token, number, noted, deed, kind, message, payload, accounts)
		SELECT ?, ?, COALESCE(MAX(number), 0) + 1, ?, ?, ?, ?, ?, ? FROM pieces WHERE organization = ? AND group_token = ?`,
		p.Organization, store.Optional(p.Group), store.Millis(p.Noted), int(p.Deed), max(store.KindNumber(p.Kind), 0),
		store.Optional(p.Message), string(p.Payload), p.accounts(), p.Organization, store.Optional(p.Group))
}

// accounts is the stored form of them.
func (p *Piece) accounts() []byte {
	out := make([]byte, 0, len(p.Accounts)*len(model.AccountID{}))
	for _, account := range p.Accounts {
		out = append(out, account[:]...)
	}
	return out
}

// Pieces returns up to limit pieces of a group, in their order.
func Pieces(tx *store.Tx, organization model.OrganizationID, group model.GroupID, limit int) ([]Piece, error) {
	return pieces(tx, `organization = ? AND group_token = ? ORDER BY number LIMIT ? + 0`, organization,
		store.Optional(group), limit)
}

func pieces(tx *store.Tx, where string, args ...any) ([]Piece, error) {
	return store.List(tx, `SELECT organization, group_token, number, noted, deed, kind, message, payload, accounts FROM pieces
		WHERE `+where, args, func(p *Piece, row store.Row) error {
		var group, message, accounts []byte
		var deed, kind int
		var noted int64
		if err := row.Scan(&p.Organization, &group, &p.Number, &noted, &deed, &kind, &message, &p.Payload,
			&accounts); err != nil {
			return err
		}
		copy(p.Group[:], group)
		copy(p.Message[:], message)
		p.Deed, p.Noted = Deed(deed), store.FromMillis(noted)
		var known bool
		if p.Kind, known = store.KindOf(kind); !known {
			return fmt.Errorf("piece %d is of a kind that is not known: %d", p.Number, kind)
		}
		for ; len(accounts) >= len(model.AccountID{}); accounts = accounts[len(model.AccountID{}):] {
			p.Accounts = append(p.Accounts, model.AccountID(accounts[:len(model.AccountID{})]))
		}
		return nil
	})
}

// ShortenPiece leaves of a piece what is still to be done of it.
func ShortenPiece(tx *store.Tx, p *Piece) error {
	return tx.Post(`UPDATE pieces SET accounts = ? WHERE organization = ? AND group_token = ? AND number = ?`,
		p.accounts(), p.Organization, store.Optional(p.Group), p.Number)
}

// DeletePiece forgets a piece that is done.
func DeletePiece(tx *store.Tx, p *Piece) error {
	return tx.Post(`DELETE FROM pieces WHERE organization = ? AND group_token = ? AND number = ?`, p.Organization,
		store.Optional(p.Group), p.Number)
}

// DeleteUpdatePieces forgets the updates of a group of which its members are still to be
// told: another one takes their place.
func DeleteUpdatePieces(tx *store.Tx, organization model.OrganizationID, group model.GroupID) error {
	return tx.Post(`DELETE FROM pieces WHERE organization = ? AND group_token = ? AND deed = ? AND kind = ?`, organization,
		store.Optional(group), int(Tell), store.KindNumber(model.EventUpdate))
}

// HasPieces reports whether something is still to be done to a group: anything, or one of
// these deeds.
func HasPieces(tx *store.Tx, organization model.OrganizationID, group model.GroupID, deeds ...Deed) (bool, error) {
	var one int64
	if len(deeds) == 0 {
		return tx.One(`SELECT 1 FROM pieces WHERE organization = ? AND group_token = ? LIMIT 1`,
			[]any{organization, store.Optional(group)}, &one)
	}
	numbers := make([]int64, len(deeds))
	for i, deed := range deeds {
		numbers[i] = int64(deed)
	}
	return tx.One(`SELECT 1 FROM pieces WHERE organization = ? AND group_token = ? AND deed IN (?*) LIMIT 1`,
		[]any{organization, store.Optional(group), numbers}, &one)
}

// HasPiecesBefore reports whether work is left in pieces that was noted up to a time.
func HasPiecesBefore(tx *store.Tx, t time.Time) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM pieces WHERE noted <= ? LIMIT 1`, []any{store.Millis(t)}, &one)
}

// TakesBack reports whether a recalled message of a group is still to be taken back from some. That goes by its
// copies, so that the message stays until then.
func TakesBack(tx *store.Tx, organization model.OrganizationID, group model.GroupID, id model.MessageID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM pieces WHERE organization = ? AND group_token = ? AND message = ? AND deed = ? LIMIT 1`,
		[]any{organization, store.Optional(group), id, int(Recall)}, &one)
}

// hasMessagePieces reports whether a message of the group is still to be queued with some.
func hasMessagePieces(tx *store.Tx, organization model.OrganizationID, group model.GroupID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM pieces WHERE organization = ? AND group_token = ? AND deed = ? AND kind = ? LIMIT 1`,
		[]any{organization, store.Optional(group), int(Tell), store.KindNumber(model.EventGroupMessage)}, &one)
}
