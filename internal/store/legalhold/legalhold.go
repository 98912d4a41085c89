// Package legalhold puts organizations under a legal hold, lifts it, and removes what was kept for
// its sake. What is to be kept, the store itself puts aside as it is recalled or deleted.
//
// It owns holds.
package legalhold

import (
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Over returns an organization under a legal hold that an account belongs to,
// was created by, or has messages in: it sent or got them, but for what came with a group's
// history. It looks at each message there, since no index has those of an account.
func Over(tx *store.Tx, account *model.Account) (id model.OrganizationID, found bool, err error) {
	found, err = tx.One(`SELECT h.organization FROM holds h WHERE h.released = 0 AND (h.organization = ?
		OR EXISTS (SELECT 1 FROM memberships p WHERE p.organization = h.organization AND p.account = ?)
		OR EXISTS (SELECT 1 FROM organization_numbers n JOIN messages m ON m.organization_number = n.number
		WHERE n.organization = h.organization AND (m.sender = ? OR m.recipient = ? OR m.original_sender = ?
		OR m.is_group = 1 AND EXISTS (SELECT 1 FROM deliveries d WHERE d.organization_number = m.organization_number
		AND d.message = m.message AND d.account = ? AND d.replayed = 0)))
		OR EXISTS (SELECT 1 FROM held_messages m WHERE m.organization = h.organization AND (m.sender = ?
		OR m.recipient = ? OR m.original_sender = ? OR m.is_group = 1 AND EXISTS (SELECT 1 FROM held_deliveries d
		WHERE d.organization = m.organization AND d.message = m.message AND d.account = ?)))) LIMIT 1`,
		[]any{account.CreatedBy, account.ID, account.ID, account.ID, account.ID, account.ID, account.ID, account.ID,
			account.ID, account.ID}, &id)
	return id, found, err
}

// Held reports whether an organization is under a legal hold: no content of its
// messages, and no key of it, may be destroyed. It stays so until the transaction
// ends where the organization's row is locked too (ShareOrganization).
func Held(tx *store.Tx, organization model.OrganizationID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM holds WHERE organization = ? AND released = 0`, []any{organization}, &one)
}

// HeldAmong tells which of some organizations are under a legal hold.
func HeldAmong(tx *store.Tx, organizations []model.OrganizationID) (map[model.OrganizationID]bool, error) {
	held, err := store.Column[model.OrganizationID](tx,
		`SELECT organization FROM holds WHERE organization IN (?*) AND released = 0`, organizations)
	out := make(map[model.OrganizationID]bool, len(held))
	for _, id := range held {
		out[id] = true
	}
	return out, err
}

// Set puts an organization, whose row is locked, under a legal hold.
func Set(tx *store.Tx, organization model.OrganizationID, now time.Time) error {
	return tx.Post(`INSERT INTO holds (organization, since, released) VALUES (?, ?, 0)
		ON CONFLICT (organization) DO UPDATE SET since = CASE WHEN holds.released = 1 THEN excluded.since
		ELSE holds.since END, released = 0`,
		organization, store.Millis(now))
}

// Release lifts it. What was kept only for its sake is due to be erased then.
func Release(tx *store.Tx, organization model.OrganizationID) error {
	if err := tx.Post(`UPDATE holds SET released = 1 WHERE organization = ?`, organization); err != nil {
		return err
	}
	return tx.NoteJob(&store.Job{Kind: store.EraseHeld, Subject: []byte(organization)})
}

// Released reports whether the hold of an organization was lifted, and something may still be
// kept. While a transaction that asks goes on, it is not set again.
func Released(tx *store.Tx, organization model.OrganizationID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM holds WHERE organization = ? AND released = 1 `+tx.Lock(), []any{organization},
		&one)
}

// Finish forgets a hold that was lifted, when nothing is kept any more.
func Finish(tx *store.Tx, organization model.OrganizationID) error {
	return tx.Post(`DELETE FROM holds WHERE organization = ? AND released = 1`, organization)
}

// MessagesIn returns up to limit messages of an organization that were not recalled,
// in the order of their identifiers, from the one after the given one.
func MessagesIn(tx *store.Tx, organization model.OrganizationID, after model.MessageID,
	limit int) ([]store.MessageRow, error) {
	return tx.SelectMessages(
		`m.organization_number = ? AND m.message > ? AND m.recalled = 0 ORDER BY m.message LIMIT ? + 0`,
		tx.Numbered(organization), after, limit)
}

// Deliveries returns who got a message that is kept.
func Deliveries(tx *store.Tx, organization model.OrganizationID, id model.MessageID) ([]store.Delivery, error) {
	return store.List(tx, `SELECT account, status, status_time FROM held_deliveries WHERE organization = ? AND message = ? ORDER BY account`,
		[]any{organization, id}, func(d *store.Delivery, row store.Row) error {
			var status int
			var at int64
			err := row.Scan(&d.Account, &status, &at)
			d.Status, d.StatusTime = model.Status(status), store.FromMillis(at)
			return err
		})
}

// DeleteMessage removes a message that was kept, and its hold on an attachment.
func DeleteMessage(tx *store.Tx, m *store.MessageRow) error {
	if err := tx.Post(`DELETE FROM held_deliveries WHERE organization = ? AND message = ?`, m.Organization,
		m.ID); err != nil {
		return err
	}
	n, err := tx.Exec(`DELETE FROM held_messages WHERE organization = ? AND message = ?`, m.Organization, m.ID)
	if err != nil || n == 0 {
		return err
	}
	return tx.DropReference(m.Blob)
}

// MessagesLeft reports whether a message under the key of a day is kept.
func MessagesLeft(tx *store.Tx, organization model.OrganizationID, day store.KeyDay) (bool, error) {
	var one int64
	start, end := day.Bounds()
	if day.Lasting {
		return tx.One(
			`SELECT 1 FROM held_messages WHERE organization = ? AND expires >= ? AND created >= ? AND created < ? LIMIT 1`,
			[]any{organization, store.Never, start, end}, &one)
	}
	return tx.One(`SELECT 1 FROM held_messages WHERE organization = ? AND expires >= ? AND expires < ? LIMIT 1`,
		[]any{organization, start, end}, &one)
}
