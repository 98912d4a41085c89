package store

import "signet/internal/model"

// HoldOver returns an organization under a legal hold that an account belongs to,
// was created by, or has messages in.
func (tx *Tx) HoldOver(account *model.Account) (id model.OrganizationID, found bool, err error) {
	found, err = tx.One(`SELECT h.organization FROM holds h WHERE h.released = 0 AND (h.organization = ?
		OR EXISTS (SELECT 1 FROM memberships p WHERE p.organization = h.organization AND p.account = ?)
		OR EXISTS (SELECT 1 FROM organization_numbers n JOIN messages m ON m.organization_number = n.number
		WHERE n.organization = h.organization AND (m.sender = ? OR m.recipient = ? OR m.original_sender = ?))
		OR EXISTS (SELECT 1 FROM held_messages m WHERE m.organization = h.organization AND (m.sender = ?
		OR m.recipient = ? OR m.original_sender = ?))) LIMIT 1`,
		[]any{account.CreatedBy, account.ID, account.ID, account.ID, account.ID, account.ID, account.ID, account.ID}, &id)
	return id, found, err
}

// CloseAccount takes everything from an account that lets it in, or lets others
// reach it; the index in which it is found has its own package (searchindex.RemoveAccount).
// Its row, which is the last to go, stays, and so do the keys and
// groups that it made for others (package authorship).
func (tx *Tx) CloseAccount(id model.AccountID) error {
	memberships, err := tx.Memberships(id)
	if err != nil {
		return err
	}
	for _, m := range memberships {
		if err := tx.NoteDeparture(m.Organization); err != nil {
			return err
		}
	}
	if err := tx.Post(`DELETE FROM quotas WHERE counter >= ? AND counter < ? OR counter >= ? AND counter < ?
			OR counter IN (SELECT api_key FROM keys WHERE account = ?)`,
		CounterOf(id), CounterOf(id)+";", toldOf(id), toldOf(id)+";", id); err != nil {
		return err
	}
	for _, table := range []string{"keys", "addresses", "memberships", "join_requests", "roles", "group_members",
		"past_members", "streams"} {
		if err := tx.Post(`DELETE FROM `+table+` WHERE account = ?`, id); err != nil {
			return err
		}
	}
	return tx.SetPassword(id, Password{})
}

// MessagesWith returns up to limit messages, ended or not, that an account sent or
// got alone, or that forward what it sent, in the order of their keys, from the one
// after the given one.
func (tx *Tx) MessagesWith(account model.AccountID, organization model.OrganizationID, after model.MessageID,
	limit int) ([]MessageRow, error) {
	return tx.messages(
		`(m.organization_number, m.message) > (?, ?) AND (m.sender = ? OR m.recipient = ? OR m.original_sender = ?)
		ORDER BY m.organization_number, m.message LIMIT ? + 0`, tx.Numbered(organization), after, account, account, account,
		limit)
}

// MessageKey names a message's row.
type MessageKey struct {
	Organization model.OrganizationID
	ID           model.MessageID
}

// EraseCopies removes an account's copies of messages.
func (tx *Tx) EraseCopies(account model.AccountID, keys []MessageKey) error {
	tx.change.withdrawn()
	for _, k := range keys {
		if err := tx.Post(`DELETE FROM deliveries WHERE organization_number = ? AND message = ? AND account = ?`, tx.Numbered(k.Organization),
			k.ID, account); err != nil {
			return err
		}
	}
	return nil
}

// EventKey names an event's row.
type EventKey struct {
	Account  model.AccountID
	Position int64
}

// EraseEvents removes events.
func (tx *Tx) EraseEvents(keys []EventKey) error {
	tx.change.withdrawn()
	for _, k := range keys {
		if err := tx.Post(`DELETE FROM events WHERE account = ? AND position = ?`, k.Account,
			k.Position); err != nil {
			return err
		}
	}
	return nil
}

// EraseOwn removes the next of what an account that has ended kept for itself, about so many
// rows. more is false where nothing was left.
func (tx *Tx) EraseOwn(id model.AccountID, rows int) (more bool, err error) {
	tx.change.withdrawn()
	for _, query := range []string{
		`DELETE FROM conversations WHERE (account, organization, entity) IN (SELECT account, organization, entity
			FROM conversations WHERE account = ? LIMIT ? + 0)`,
		`DELETE FROM mutes WHERE (account, organization, entity) IN (SELECT account, organization, entity
			FROM mutes WHERE account = ? LIMIT ? + 0)`,
		`DELETE FROM requests WHERE (account, request) IN (SELECT account, request
			FROM requests WHERE account = ? LIMIT ? + 0)`,
		`DELETE FROM events WHERE (account, position) IN (SELECT account, position
			FROM events WHERE account = ? LIMIT ? + 0)`,
	} {
		if n, err := tx.exec(query, id, rows); err != nil || n > 0 {
			return true, err
		}
	}
	return false, nil
}

// FinishAccount removes the row of an account, and its picture. What else it kept, and what
// others have of it, is removed before (EraseOwn, TracesOf, ConversationsNaming, MutesNaming,
// MetadataOf, packages authorship and searchindex).
func (tx *Tx) FinishAccount(id model.AccountID) error {
	tx.change.withdrawn()
	if err := tx.session.Forget(id); err != nil { // first, as queues are locked before the rest
		return err
	}
	if err := tx.releaseAvatarOf(model.EntityID(id)); err != nil {
		return err
	}
	// The first four once more: a call that had begun before may have added to them.
	for _, table := range []string{"conversations", "mutes", "events", "requests", "account_erasures", "accounts"} {
		if err := tx.Post(`DELETE FROM `+table+` WHERE account = ?`, id); err != nil {
			return err
		}
	}
	return nil
}

// OnlyIn lists the accounts that an organization created and that belong to no
// other, but for operators and those that have ended.
func (tx *Tx) OnlyIn(id model.OrganizationID) ([]model.AccountID, error) {
	return Column[model.AccountID](tx, `SELECT account FROM accounts a WHERE created_by = ? AND operator = 0
		AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.account = a.account AND m.organization <> ?
		AND `+OfStanding+`m.organization)))
		AND NOT EXISTS (SELECT 1 FROM account_erasures e WHERE e.account = a.account) ORDER BY account`, id, id)
}
