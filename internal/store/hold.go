package store

import (
	"time"

	"signet/internal/model"
)

// Held reports whether an organization is under a legal hold: no content of its
// messages, and no key of it, may be destroyed. It stays so until the transaction
// ends where the organization's row is locked too (ShareOrganization).
func (tx *Tx) Held(organization model.OrganizationID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM holds WHERE organization = ? AND released = 0`, []any{organization}, &one)
}

// SetHold puts an organization, whose row is locked, under a legal hold.
func (tx *Tx) SetHold(organization model.OrganizationID, now time.Time) error {
	return tx.Post(`INSERT INTO holds (organization, since, released) VALUES (?, ?, 0)
		ON CONFLICT (organization) DO UPDATE SET since = CASE WHEN holds.released = 1 THEN excluded.since
		ELSE holds.since END, released = 0`,
		organization, millis(now))
}

// ReleaseHold lifts it. What was kept only for its sake is due to be erased then.
func (tx *Tx) ReleaseHold(organization model.OrganizationID) error {
	if err := tx.Post(`UPDATE holds SET released = 1 WHERE organization = ?`, organization); err != nil {
		return err
	}
	return tx.NoteJob(&Job{Kind: EraseHeld, Subject: []byte(organization)})
}

// Released reports whether the hold of an organization was lifted, and something may still be
// kept. While a transaction that asks goes on, it is not set again.
func (tx *Tx) Released(organization model.OrganizationID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM holds WHERE organization = ? AND released = 1 `+tx.dialect.Lock, []any{organization},
		&one)
}

// FinishHold forgets a hold that was lifted, when nothing is kept any more.
func (tx *Tx) FinishHold(organization model.OrganizationID) error {
	return tx.Post(`DELETE FROM holds WHERE organization = ? AND released = 1`, organization)
}

const messageTable = `organization, message, sender, recipient, is_group, content, blob, created, expires, ends,
		ttl, dor, priority, sort, recalled, replay, original_sender, original_created`

// keep puts a message of an organization under a hold aside before it is recalled,
// and reports whether it did. What it says and its hold on an attachment then stay.
func (tx *Tx) keep(organization model.OrganizationID, id model.MessageID, recalled bool) (bool, error) {
	n, err := tx.exec(`INSERT INTO held_messages (`+messageTable+`)
		SELECT ?, message, sender, recipient, is_group, content, blob, created, expires, ends,
		ttl, dor, priority, sort, CASE WHEN ? = 1 THEN 1 ELSE recalled END, replay, original_sender, original_created
		FROM messages
		WHERE organization_number = ? AND message = ? AND recalled = 0 AND EXISTS (SELECT 1 FROM holds
		WHERE holds.organization = ? AND released = 0)
		ON CONFLICT (organization, message) DO NOTHING`, organization, recalled, tx.Numbered(organization), id, organization)
	return n > 0, err
}

// keepDeliveries keeps the copies of a message, before it is deleted.
func (tx *Tx) keepDeliveries(organization model.OrganizationID, id model.MessageID) error {
	return tx.Post(`INSERT INTO held_deliveries (organization, message, account, status, status_time)
		SELECT ?, message, account, status, status_time FROM deliveries
		WHERE organization_number = ? AND message = ? AND EXISTS (SELECT 1 FROM held_messages h WHERE h.organization = ?
		AND h.message = ?)
		ON CONFLICT (organization, message, account) DO NOTHING`, organization, tx.Numbered(organization), id, organization,
		id)
}

// HeldMessages returns up to limit of the messages that are kept for a hold alone,
// in the order of their identifiers, from the one after the given one. Recalled says
// that the message was recalled; what it says is there all the same.
func (tx *Tx) HeldMessages(organization model.OrganizationID, after model.MessageID, limit int) ([]MessageRow, error) {
	return tx.heldMessages(`m.organization = ? AND m.message > ? ORDER BY m.message LIMIT ? + 0`, organization, after,
		limit)
}

// HeldMessagesAfter returns up to limit of those of all organizations in the order of
// their keys, from the one after the given one.
func (tx *Tx) HeldMessagesAfter(organization model.OrganizationID, id model.MessageID, limit int) ([]MessageRow,
	error) {
	return tx.heldMessages(`(m.organization, m.message) > (?, ?) ORDER BY m.organization, m.message LIMIT ? + 0`,
		organization, id, limit)
}

func (tx *Tx) heldMessages(where string, args ...any) ([]MessageRow, error) {
	return List(tx, `SELECT m.organization, `+messageRest+` FROM held_messages m WHERE `+where, args,
		func(m *MessageRow, row Row) error {
			var s messageScan
			err := row.Scan(s.dest(&s.Organization)...)
			*m = s.row()
			return err
		})
}

// HeldMessage returns a message that is kept for a hold alone.
func (tx *Tx) HeldMessage(organization model.OrganizationID, id model.MessageID) (m MessageRow, found bool, err error) {
	rows, err := tx.heldMessages(`m.organization = ? AND m.message = ?`, organization, id)
	if err != nil || len(rows) == 0 {
		return MessageRow{}, false, err
	}
	return rows[0], true, nil
}

// MessagesIn returns up to limit messages of an organization that were not recalled,
// in the order of their identifiers, from the one after the given one.
func (tx *Tx) MessagesIn(organization model.OrganizationID, after model.MessageID, limit int) ([]MessageRow, error) {
	return tx.messages(`m.organization_number = ? AND m.message > ? AND m.recalled = 0 ORDER BY m.message LIMIT ? + 0`,
		tx.Numbered(organization), after, limit)
}

// HeldDeliveries returns who got a message that is kept.
func (tx *Tx) HeldDeliveries(organization model.OrganizationID, id model.MessageID) ([]Delivery, error) {
	return List(tx, `SELECT account, status, status_time FROM held_deliveries WHERE organization = ? AND message = ? ORDER BY account`,
		[]any{organization, id}, func(d *Delivery, row Row) error {
			var status int
			var at int64
			err := row.Scan(&d.Account, &status, &at)
			d.Status, d.StatusTime = model.Status(status), FromMillis(at)
			return err
		})
}

// DeleteHeldMessage removes a message that was kept, and its hold on an attachment.
func (tx *Tx) DeleteHeldMessage(m *MessageRow) error {
	if err := tx.Post(`DELETE FROM held_deliveries WHERE organization = ? AND message = ?`, m.Organization,
		m.ID); err != nil {
		return err
	}
	n, err := tx.exec(`DELETE FROM held_messages WHERE organization = ? AND message = ?`, m.Organization, m.ID)
	if err != nil || n == 0 {
		return err
	}
	return tx.DropReference(m.Blob)
}

// heldLeft is MessagesLeft for what is kept.
func (tx *Tx) heldLeft(organization model.OrganizationID, day KeyDay) (bool, error) {
	var one int64
	start, end := day.Day*dayMillis, (day.Day+1)*dayMillis
	if day.Lasting {
		return tx.One(
			`SELECT 1 FROM held_messages WHERE organization = ? AND expires >= ? AND created >= ? AND created < ? LIMIT 1`,
			[]any{organization, never, start, end}, &one)
	}
	return tx.One(`SELECT 1 FROM held_messages WHERE organization = ? AND expires >= ? AND expires < ? LIMIT 1`,
		[]any{organization, start, end}, &one)
}
