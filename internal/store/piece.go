package store

import (
	"fmt"
	"time"

	"signet/internal/model"
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
func (tx *Tx) NotePiece(p *Piece) error {
	return tx.Post(`INSERT INTO pieces (organization, group_token, number, noted, deed, kind, message, payload, accounts)
		SELECT ?, ?, COALESCE(MAX(number), 0) + 1, ?, ?, ?, ?, ?, ? FROM pieces WHERE organization = ? AND group_token = ?`,
		p.Organization, optional(p.Group), millis(p.Noted), int(p.Deed), max(kindNumber(p.Kind), 0), optional(p.Message),
		string(p.Payload), p.accounts(), p.Organization, optional(p.Group))
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
func (tx *Tx) Pieces(organization model.OrganizationID, group model.GroupID, limit int) ([]Piece, error) {
	return tx.pieces(`organization = ? AND group_token = ? ORDER BY number LIMIT ? + 0`, organization, optional(group),
		limit)
}

func (tx *Tx) pieces(where string, args ...any) ([]Piece, error) {
	return List(tx, `SELECT organization, group_token, number, noted, deed, kind, message, payload, accounts FROM pieces
		WHERE `+where, args, func(p *Piece, row Row) error {
		var group, message, accounts []byte
		var deed, kind int
		var noted int64
		if err := row.Scan(&p.Organization, &group, &p.Number, &noted, &deed, &kind, &message, &p.Payload,
			&accounts); err != nil {
			return err
		}
		copy(p.Group[:], group)
		copy(p.Message[:], message)
		p.Deed, p.Noted = Deed(deed), FromMillis(noted)
		if kind < 0 || kind >= len(eventKinds) {
			return fmt.Errorf("piece %d is of a kind that is not known: %d", p.Number, kind)
		}
		p.Kind = eventKinds[kind]
		for ; len(accounts) >= len(model.AccountID{}); accounts = accounts[len(model.AccountID{}):] {
			p.Accounts = append(p.Accounts, model.AccountID(accounts[:len(model.AccountID{})]))
		}
		return nil
	})
}

// ShortenPiece leaves of a piece what is still to be done of it.
func (tx *Tx) ShortenPiece(p *Piece) error {
	return tx.Post(`UPDATE pieces SET accounts = ? WHERE organization = ? AND group_token = ? AND number = ?`,
		p.accounts(), p.Organization, optional(p.Group), p.Number)
}

// DeletePiece forgets a piece that is done.
func (tx *Tx) DeletePiece(p *Piece) error {
	return tx.Post(`DELETE FROM pieces WHERE organization = ? AND group_token = ? AND number = ?`, p.Organization,
		optional(p.Group), p.Number)
}

// DeleteUpdatePieces forgets the updates of a group of which its members are still to be
// told: another one takes their place.
func (tx *Tx) DeleteUpdatePieces(organization model.OrganizationID, group model.GroupID) error {
	return tx.Post(`DELETE FROM pieces WHERE organization = ? AND group_token = ? AND deed = ? AND kind = ?`, organization,
		optional(group), int(Tell), kindNumber(model.EventUpdate))
}

// HasPieces reports whether something is still to be done to a group: anything, or one of
// these deeds.
func (tx *Tx) HasPieces(organization model.OrganizationID, group model.GroupID, deeds ...Deed) (bool, error) {
	var one int64
	if len(deeds) == 0 {
		return tx.One(`SELECT 1 FROM pieces WHERE organization = ? AND group_token = ? LIMIT 1`,
			[]any{organization, optional(group)}, &one)
	}
	numbers := make([]int64, len(deeds))
	for i, deed := range deeds {
		numbers[i] = int64(deed)
	}
	return tx.One(`SELECT 1 FROM pieces WHERE organization = ? AND group_token = ? AND deed IN (?*) LIMIT 1`,
		[]any{organization, optional(group), numbers}, &one)
}

// hasMessagePieces reports whether a message of the group is still to be queued with some.
func (tx *Tx) hasMessagePieces(organization model.OrganizationID, group model.GroupID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM pieces WHERE organization = ? AND group_token = ? AND deed = ? AND kind = ? LIMIT 1`,
		[]any{organization, optional(group), int(Tell), kindNumber(model.EventGroupMessage)}, &one)
}
