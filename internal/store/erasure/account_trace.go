package erasure

import (
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Stage is which table an erasure looks through.
type Stage int

// The stages, in their order. Messages are looked through twice: while that is done for the
// first time, others may forward what is not erased yet.
const (
	StageMessages Stage = iota
	StageForwards
	StageEvents
	StageOver // nothing of the account is left but its own rows
)

// AccountErasure is an account that has ended, and how far its erasure has come.
type AccountErasure struct {
	Account model.AccountID
	Noted   time.Time
	Stage   Stage
	number  int64
	id      [16]byte
}

// NoteAccount notes that an account, which was closed, is to be erased.
func NoteAccount(tx *store.Tx, account model.AccountID, now time.Time) error {
	if err := tx.Post(`INSERT INTO account_erasures (account, noted, stage, number, id) VALUES (?, ?, 0, 0, ?)
		ON CONFLICT (account) DO NOTHING`, account, store.Millis(now), model.AccountID{}); err != nil {
		return err
	}
	return tx.NoteJob(&store.Job{Kind: store.EraseAccount, Subject: account[:], Noted: now})
}

// Erases reports whether an account has ended, and is being erased.
func Erases(tx *store.Tx, account model.AccountID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM account_erasures WHERE account = ?`, []any{account}, &one)
}

// Of returns how far the erasure of an account has come.
func Of(tx *store.Tx, account model.AccountID) (e AccountErasure, found bool, err error) {
	var noted int64
	var stage int
	var id model.EntityID
	found, err = tx.One(`SELECT noted, stage, number, id FROM account_erasures WHERE account = ?`, []any{account}, &noted,
		&stage, &e.number, &id)
	e.Account, e.Noted, e.Stage, e.id = account, store.FromMillis(noted), Stage(stage), id
	return e, found, err
}

// Keep remembers how far an erasure has come.
func Keep(tx *store.Tx, e *AccountErasure) error {
	return tx.Post(`UPDATE account_erasures SET stage = ?, number = ?, id = ? WHERE account = ?`, int(e.Stage), e.number,
		model.EntityID(e.id), e.Account)
}

// Traces are the rows of a part of a table that an account's erasure removes.
type Traces struct {
	Messages []store.MessageKey // that it sent or got alone, or that forward what it sent; ended or not
	Copies   []store.MessageKey // of which it has a copy besides
	Events   []EventKey         // of whatever queue, whose payload names it
	Changes  []EventKey         // that tell of a group, and name it as the one who changed that
	Next     AccountErasure
}

// TracesOf looks through the next rows of a table for an account that is being erased, at
// most window. Where it has come to the end of the table, the next stage is the following.
func TracesOf(tx *store.Tx, e AccountErasure, window int) (found Traces, err error) {
	if found.Next = e; e.Stage == StageEvents {
		return found, eventsNaming(tx, &found, window)
	}
	var numbers []int64
	var rows []store.MessageKey
	var kinds []int
	// A copy lies with its message.
	err = tx.Query(`SELECT m.organization_number, m.message, CASE
		WHEN m.sender = ? OR m.recipient = ? OR m.original_sender = ? THEN 1
		WHEN EXISTS (SELECT 1 FROM deliveries d WHERE d.organization_number = m.organization_number
			AND d.message = m.message AND d.account = ?) THEN 2 ELSE 0 END
		FROM messages m WHERE (m.organization_number, m.message) > (?, ?)
		ORDER BY m.organization_number, m.message LIMIT ? + 0`,
		[]any{e.Account, e.Account, e.Account, e.Account, e.number, model.MessageID(e.id), window},
		func(row store.Row) error {
			var k store.MessageKey
			var kind int
			err := row.Scan(&found.Next.number, &k.ID, &kind)
			found.Next.id = k.ID
			if window--; kind > 0 {
				rows, numbers, kinds = append(rows, k), append(numbers, found.Next.number), append(kinds, kind)
			}
			return err
		})
	if err == nil {
		err = tx.NameOrganizations(numbers, func(i int) *model.OrganizationID { return &rows[i].Organization })
	}
	for i, k := range rows {
		if kinds[i] == 1 {
			found.Messages = append(found.Messages, k)
		} else {
			found.Copies = append(found.Copies, k)
		}
	}
	found.Next.endOf(window)
	return found, err
}

// eventsNaming is TracesOf for events.
func eventsNaming(tx *store.Tx, found *Traces, window int) error {
	next, names := &found.Next, store.PayloadNames(found.Next.Account)
	err := tx.Query(`SELECT account, position, CASE WHEN kind = ? AND payload LIKE ? THEN 2
		WHEN payload LIKE ? OR payload LIKE ? THEN 1 ELSE 0 END FROM `+store.EventsAndKept+`
		WHERE (account, position) > (?, ?) ORDER BY account, position LIMIT ? + 0`,
		[]any{store.KindNumber(model.EventUpdate), "%" + store.PayloadCaller(next.Account) + "%", "%" + names[0] + "%",
			"%" + names[1] + "%", model.AccountID(next.id), next.number, window},
		func(row store.Row) error {
			var k EventKey
			var named int
			err := row.Scan(&k.Account, &k.Position, &named)
			next.id, next.number = k.Account, k.Position
			window--
			switch named {
			case 1:
				found.Events = append(found.Events, k)
			case 2:
				found.Changes = append(found.Changes, k)
			}
			return err
		})
	next.endOf(window)
	return err
}

// endOf goes on to the next stage where a look did not find all the rows that it asked for.
func (e *AccountErasure) endOf(left int) {
	if left > 0 {
		e.Stage, e.number, e.id = e.Stage+1, 0, [16]byte{}
	}
}

// ConversationKey names a row of a conversation.
type ConversationKey struct {
	Account      model.AccountID
	Organization model.OrganizationID
	Entity       model.EntityID
}

// ConversationsNaming returns up to limit of others' conversations with an account, in the
// order of their keys, from the one after the given one.
func ConversationsNaming(tx *store.Tx, account model.AccountID, after ConversationKey, limit int) ([]ConversationKey,
	error) {
	return store.List(tx, `SELECT account, organization, entity FROM conversations
		WHERE (account, organization, entity) > (?, ?, ?) AND entity = ? ORDER BY account, organization, entity LIMIT ? + 0`,
		[]any{after.Account, after.Organization, after.Entity, account, limit}, scanConversationKey)
}

// MutesNaming returns up to limit of others' mutes of an account, in the order of their keys,
// from the one after the given one.
func MutesNaming(tx *store.Tx, account model.AccountID, after ConversationKey, limit int) ([]ConversationKey, error) {
	return store.List(tx, `SELECT account, organization, entity FROM mutes
		WHERE (account, organization, entity) > (?, ?, ?) AND entity = ? ORDER BY account, organization, entity LIMIT ? + 0`,
		[]any{after.Account, after.Organization, after.Entity, account, limit}, scanConversationKey)
}

// EraseMutes removes mutes.
func EraseMutes(tx *store.Tx, keys []ConversationKey) error {
	for _, k := range keys {
		if err := tx.Post(`DELETE FROM mutes WHERE account = ? AND organization = ? AND entity = ?`,
			k.Account, k.Organization, k.Entity); err != nil {
			return err
		}
	}
	return nil
}

// EraseConversations removes conversations.
func EraseConversations(tx *store.Tx, keys []ConversationKey) error {
	for _, k := range keys {
		if err := tx.Post(`DELETE FROM conversations WHERE account = ? AND organization = ?
			AND entity = ?`, k.Account, k.Organization, k.Entity); err != nil {
			return err
		}
	}
	return nil
}
