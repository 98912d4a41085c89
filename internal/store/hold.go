package store

import (
	"signet/internal/model"
)

const messageTable = `organization, message, sender, recipient, is_group, content, blob, created, expires, ends,
		ttl, dor, priority, sort, recalled, replay, original_sender, original_created, escalation`

// askToKeep puts a message of an organization under a hold aside before it is recalled
// or deleted; kept becomes true, after Await, if it did. What it says and its hold on an attachment then stay.
func (tx *Tx) askToKeep(organization model.OrganizationID, id model.MessageID, recalled bool, kept *bool) error {
	return tx.Ask(`INSERT INTO held_messages (`+messageTable+`)
		SELECT ?, message, sender, recipient, is_group, content, blob, created, expires, ends,
		ttl, dor, priority, sort, CASE WHEN ? = 1 THEN 1 ELSE recalled END, replay, original_sender, original_created,
		escalation FROM messages
		WHERE organization_number = ? AND message = ? AND recalled = 0 AND EXISTS (SELECT 1 FROM holds
		WHERE holds.organization = ? AND released = 0)
		ON CONFLICT (organization, message) DO NOTHING RETURNING message`,
		[]any{organization, recalled, tx.Numbered(organization), id, organization}, func(Row) error {
			*kept = true
			return nil
		})
}

// keepDeliveries keeps the copies of a message, before it is deleted, but for those that came with a group's history:
// they count in no status.
func (tx *Tx) keepDeliveries(organization model.OrganizationID, id model.MessageID) error {
	return tx.Post(`INSERT INTO held_deliveries (organization, message, account, status, status_time)
		SELECT ?, message, account, status, status_time FROM deliveries
		WHERE organization_number = ? AND message = ? AND replayed = 0
		AND EXISTS (SELECT 1 FROM held_messages h WHERE h.organization = ? AND h.message = ?)
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
