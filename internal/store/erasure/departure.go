package erasure

import (
	"signet/internal/model"
	"signet/internal/store"
)

// Departure is an organization in which is looked for messages that nobody can read any
// more.
type Departure struct {
	Organization model.OrganizationID
	times        int64           // how often one was noted
	begun        int64           // how often when it was begun to look
	looked       model.MessageID // up to where that has come
}

// NoteDeparture notes that somebody in an organization can no longer read what it could.
func NoteDeparture(tx *store.Tx, organization model.OrganizationID) error {
	err := tx.Post(`INSERT INTO departures (organization, times, begun, looked) VALUES (?, 1, 0, ?)
		ON CONFLICT (organization) DO UPDATE SET times = departures.times + 1`, organization, []byte{})
	if err != nil {
		return err
	}
	// The one who notes the first of them has it looked into, until there is none.
	return tx.NoteJobWhere(&store.Job{Kind: store.EraseUnreadable, Subject: []byte(organization)},
		`FROM departures WHERE organization = ? AND times = 1`, organization)
}

// DepartureOf returns the one of an organization.
func DepartureOf(tx *store.Tx, organization model.OrganizationID) (d Departure, found bool, err error) {
	var looked []byte
	found, err = tx.One(`SELECT times, begun, looked FROM departures WHERE organization = ?`, []any{organization}, &d.times,
		&d.begun, &looked)
	d.Organization = organization
	copy(d.looked[:], looked)
	if d.looked.IsZero() {
		d.begun = d.times
	}
	return d, found, err
}

// lastMessage is after the identifier of any message.
var lastMessage = model.MessageID{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff}

// unreadable are messages that nobody can read any more, nor ever will: neither the
// sender nor anybody with a copy is a member who was one when it came and has not
// removed the conversation since, and it is no part of a history that future members of
// a group get. It is what the service's visible asks of one reader. CROSS JOIN has
// SQLite begin with a message's copies, and not with all members of the organization.
const unreadable = ` AND (m.replay <> 1 OR NOT EXISTS (SELECT 1 FROM groups g WHERE g.group_token = m.recipient
	AND g.deleted = 0))
	AND NOT EXISTS (SELECT 1 FROM memberships p LEFT JOIN conversations c
		ON c.account = p.account AND c.organization = p.organization AND c.entity = m.recipient
		WHERE p.organization = ? AND p.account = m.sender AND p.since < m.sort AND COALESCE(c.cleared, 0) < m.sort)
	AND NOT EXISTS (SELECT 1 FROM deliveries d CROSS JOIN memberships p LEFT JOIN conversations c
		ON c.account = p.account AND c.organization = p.organization
		AND c.entity = CASE m.is_group WHEN 1 THEN m.recipient ELSE m.sender END
		WHERE d.organization_number = m.organization_number AND d.message = m.message
		AND p.organization = ? AND p.account = d.account AND p.since < d.position AND COALESCE(c.cleared, 0) < d.position)`

// Unreadable looks through the next of an organization's messages, at most window, and
// returns the identifiers of those that nobody can read any more, and the departure as
// it is afterwards.
func Unreadable(tx *store.Tx, d Departure, window int) (ids []model.MessageID, next Departure, err error) {
	next = d
	found, err := tx.One(
		`SELECT message FROM messages WHERE organization_number = ? AND message > ? ORDER BY message LIMIT 1 OFFSET ? + 0`,
		[]any{tx.Numbered(d.Organization), d.looked, window - 1}, &next.looked)
	if err != nil {
		return nil, d, err
	}
	if !found {
		next.looked = lastMessage
	}
	ids, err = store.Column[model.MessageID](tx, `SELECT m.message FROM messages m WHERE m.organization_number = ?
		AND m.message > ? AND m.message <= ?`+unreadable, tx.Numbered(d.Organization), d.looked, next.looked,
		d.Organization, d.Organization)
	return ids, next, err
}

// Over reports whether the departure has been looked into to the end.
func (d *Departure) Over() bool { return d.looked == lastMessage }

// UnreadableAmong returns those of these messages of an organization that nobody can
// read any more, for the transaction to delete.
func UnreadableAmong(tx *store.Tx, organization model.OrganizationID, ids []model.MessageID) ([]store.MessageRow,
	error) {
	return tx.SelectMessages(`m.organization_number = ? AND m.message IN (?*)`+unreadable, tx.Numbered(organization), ids,
		organization, organization)
}

// KeepDeparture remembers how far one was looked into. One that is over is forgotten,
// unless there was another meanwhile: then all begins again.
func KeepDeparture(tx *store.Tx, d Departure) error {
	if !d.Over() {
		return tx.Post(`UPDATE departures SET begun = ?, looked = ? WHERE organization = ?`, d.begun, d.looked[:],
			d.Organization)
	}
	if err := tx.Post(`DELETE FROM departures WHERE organization = ? AND times = ?`, d.Organization, d.begun); err != nil {
		return err
	}
	return tx.Post(`UPDATE departures SET looked = ? WHERE organization = ?`, []byte{}, d.Organization)
}
