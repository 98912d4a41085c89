package store

import (
	"time"

	"signet/internal/model"
)

// MessageRow is a message as it is stored: what it says is opaque content.
type MessageRow struct {
	model.Message // without content, status and mute
	Sealed        []byte
	Opened        bool         // the content is there, and Sealed is not: so it is remembered (Messages)
	Blob          model.BlobID // its attachment's bytes, or zero
	Ends          time.Time    // when it is gone for all; zero: never
	Replay        bool         // sent to a group while its history was on
	InTurn        bool         // else: while members of the group waited for what was sent before
}

// MessageColumns are those that MessageList.Add reads of messages m.
const MessageColumns = `m.organization_number, ` + messageRest

// messageRest are those that a message has wherever it is kept.
const messageRest = beforeContent + `m.content, ` + behindContent

// headColumns are MessageColumns with nothing of the content.
const headColumns = `m.organization_number, ` + beforeContent + `SUBSTR(m.content, 1, 0), ` + behindContent

const beforeContent = `m.message, m.sender, m.recipient, m.is_group, `
const behindContent = `m.blob, m.created, m.expires, m.ends,
	m.ttl, m.dor, m.priority, m.sort, m.recalled, m.replay, m.original_sender, m.original_created, m.escalation`

// messageScan holds what the row of a message is scanned into.
type messageScan struct {
	MessageRow
	number                                  int64 // of the organization
	created, expires, ends, originalCreated int64
	replay                                  int
	blob, originalSender, escalation        []byte // empty where there is none
}

// dest is for messageRest, after what tells the organization.
func (s *messageScan) dest(organization any) []any {
	return []any{organization, &s.ID, &s.Sender, &s.Recipient, &s.Group, &s.Sealed, &s.blob, &s.created, &s.expires,
		&s.ends,
		&s.TTL, &s.DOR, &s.Priority, &s.Sort, &s.Recalled, &s.replay, &s.originalSender, &s.originalCreated, &s.escalation}
}

func (s *messageScan) row() MessageRow {
	s.Created, s.Expires, s.Ends = FromMillis(s.created), fromEndMillis(s.expires), fromEndMillis(s.ends)
	s.Blob, s.Forwarded = model.BlobID{}, nil
	s.Replay, s.InTurn = s.replay == replayed, s.replay == inTurn
	copy(s.Blob[:], s.blob)
	var sender model.AccountID
	if copy(sender[:], s.originalSender); !sender.IsZero() {
		s.Forwarded = &model.Original{Sender: sender, Created: FromMillis(s.originalCreated)}
	}
	s.Escalation = escalationPart(s.escalation)
	return s.MessageRow
}

// escalationPart reads what a message has to do with an escalation.
func escalationPart(stored []byte) (p model.EscalationPart) {
	if n := copy(p.Message[:], stored); n < len(stored) {
		p.Step = int(stored[n])
	}
	return p
}

// storedPart is what escalationPart reads, as an argument.
func storedPart(p model.EscalationPart) any {
	if p.Message.IsZero() {
		return nothing
	}
	return append(p.Message[:len(p.Message):len(p.Message)], byte(p.Step))
}

// Escalated reports whether the message has an escalation of its own.
func (m *MessageRow) Escalated() bool {
	return !m.Escalation.Message.IsZero() && m.Escalation.Step == 0
}

// What replay holds of a message that is in a group's history, and of one that is not and
// that some members get in its turn.
const replayed, inTurn = 1, 2

func (m *MessageRow) replayed() int {
	switch {
	case m.Replay:
		return replayed
	case m.InTurn:
		return inTurn
	}
	return 0
}

// Optional is the stored form of an identifier that few messages have, as an argument:
// nothing, where it is zero.
func Optional[K any](id model.ID[K]) any {
	if id.IsZero() {
		return nothing
	}
	return id
}

var nothing any = []byte{} // made an argument already

// InsertMessage adds a message; it ends when it expires.
func (tx *Tx) InsertMessage(m *MessageRow) error {
	var original model.Original
	if m.Forwarded != nil {
		original = *m.Forwarded
	}
	made := &struct{ created, expires, ends, thread int64 }{Millis(m.Created), EndMillis(m.Expires), m.ends(),
		ThreadOf(model.EntityID(m.Sender), m.Recipient, m.Group)}
	return tx.Post(
		`INSERT INTO messages (organization_number, message, sender, recipient, is_group, content, blob, created,
			expires, ends,
		ttl, dor, priority, sort, recalled, replay, original_sender, original_created, thread, escalation)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)`,
		tx.Existing(m.Organization), &m.ID, &m.Sender, &m.Recipient, m.Group, m.Sealed, Optional(m.Blob), &made.created,
		&made.expires, &made.ends,
		m.TTL, m.DOR, m.Priority, &m.Sort, m.replayed(), Optional(original.Sender), Millis(original.Created),
		&made.thread, storedPart(m.Escalation))
}

// Message returns a message of one of these organizations that has not ended by then.
func (tx *Tx) Message(organizations []model.OrganizationID, id model.MessageID, now time.Time) (m MessageRow,
	found bool, err error) {
	var s messageScan
	found, err = tx.One(`SELECT `+MessageColumns+
		` FROM messages m WHERE m.organization_number IN (?*) AND m.message = ? AND m.ends > ?`,
		[]any{tx.numberedList(organizations), id, Millis(now)}, s.dest(&s.number)...)
	if found {
		m = s.row()
		err = tx.NameOrganizations([]int64{s.number}, func(int) *model.OrganizationID { return &m.Organization })
	}
	return m, found, err
}

// MessageHeads returns what Message does of several, without what they say.
func (tx *Tx) MessageHeads(organizations []model.OrganizationID, ids []model.MessageID, now time.Time) ([]MessageRow,
	error) {
	var l MessageList
	err := tx.Query(`SELECT `+headColumns+
		` FROM messages m WHERE m.organization_number IN (?*) AND m.message IN (?*) AND m.ends > ?`,
		[]any{tx.numberedList(organizations), ids, Millis(now)}, l.Add)
	return l.Named(tx, err)
}

// RecallMessage erases what a message says and its reference to an attachment, and
// leaves the fact that it was recalled. Under a legal hold both are kept aside.
func (tx *Tx) RecallMessage(m *MessageRow) error {
	tx.NoteWithdrawn()
	kept := false
	if err := tx.askToKeep(m.Organization, m.ID, true, &kept); err != nil {
		return err
	}
	if err := tx.Post(
		`UPDATE messages SET recalled = 1, content = ?, blob = ? WHERE organization_number = ? AND message = ?`,
		nothing, nothing, tx.Numbered(m.Organization), m.ID); err != nil {
		return err
	}
	if err := tx.Await(); err != nil {
		return err
	}
	if kept { // and with it the attachment
		return nil
	}
	return tx.DropReference(m.Blob)
}

// EndMessage brings a message's end forward.
func (tx *Tx) EndMessage(organization model.OrganizationID, id model.MessageID, at time.Time) error {
	tx.NoteWithdrawn()
	return tx.Post(`UPDATE messages SET ends = ? WHERE organization_number = ? AND message = ? AND ends > ?`,
		Millis(at), tx.Numbered(organization), id, Millis(at))
}

// DeleteMessages removes messages, their deliveries and their references to attachments.
// Under a legal hold all of it is kept aside.
func (tx *Tx) DeleteMessages(rows ...MessageRow) error {
	tx.NoteWithdrawn()
	type deletion struct{ gone, kept bool }
	done := make([]deletion, len(rows))
	for i := range rows {
		number, id := tx.Numbered(rows[i].Organization), rows[i].ID
		if err := tx.askToKeep(rows[i].Organization, id, false, &done[i].kept); err != nil {
			return err
		}
		if err := tx.keepDeliveries(rows[i].Organization, id); err != nil {
			return err
		}
		err := tx.Post(`DELETE FROM deliveries WHERE organization_number = ? AND message = ?`, number, id)
		if err != nil {
			return err
		}
		err = tx.Ask(`DELETE FROM messages WHERE organization_number = ? AND message = ? RETURNING message`,
			[]any{number, id}, func(Row) error {
				done[i].gone = true
				return nil
			})
		if err != nil {
			return err
		}
	}
	if err := tx.Await(); err != nil {
		return err
	}
	for i := range rows {
		if !done[i].gone || done[i].kept { // another node was first, and dropped the reference
			continue
		}
		if err := tx.DropReference(rows[i].Blob); err != nil {
			return err
		}
	}
	return nil
}

// EndedMessages returns up to limit messages that have ended by then, the
// earliest first, for the transaction to delete. It leaves out those that others
// are at: a later sweep finds them if they are still there. Likewise a group's message that
// is still being taken back in pieces, since these go by its copies.
func (tx *Tx) EndedMessages(now time.Time, limit int) ([]MessageRow, error) {
	return tx.SelectMessages(`m.ends <= ? AND (m.recalled = 0 OR m.is_group = 0 OR NOT EXISTS (SELECT 1 FROM pieces p
		JOIN organization_numbers n ON n.organization = p.organization WHERE n.number = m.organization_number
		AND p.group_token = m.recipient AND p.message = m.message))
		ORDER BY m.ends LIMIT ? + 0 `+tx.dialect.Skip, Millis(now), limit)
}

// EndOf returns when the n-th message ends of those that end after a time; found is false where that is not by another
// time.
func (tx *Tx) EndOf(n int, after, by time.Time) (at time.Time, found bool, err error) {
	var ends int64
	found, err = tx.One(`SELECT ends FROM messages WHERE ends > ? AND ends <= ? ORDER BY ends LIMIT 1 OFFSET ? + 0`,
		[]any{Millis(after), Millis(by), n - 1}, &ends)
	return FromMillis(ends), found, err
}

// MessageOf returns a message of an organization, ended or not, and keeps it as it is until
// the transaction ends.
func (tx *Tx) MessageOf(organization model.OrganizationID, id model.MessageID) (m MessageRow, found bool, err error) {
	rows, err := tx.SelectMessages(`m.organization_number = ? AND m.message = ? `+tx.dialect.Lock, tx.Numbered(organization), id)
	if err != nil || len(rows) == 0 {
		return m, false, err
	}
	return rows[0], true, nil
}

// SelectMessages returns the messages that a clause selects, which calls them m. Like
// Query, it is for this package and those below it.
func (tx *Tx) SelectMessages(where string, args ...any) ([]MessageRow, error) {
	var l MessageList
	err := tx.Query(`SELECT `+MessageColumns+` FROM messages m WHERE `+where, args, l.Add)
	return l.Named(tx, err)
}

// MessageList is read row by row, and gets the names of the organizations in the end.
type MessageList struct {
	Rows    []MessageRow
	numbers []int64
}

// Add reads a row.
func (l *MessageList) Add(row Row) error {
	var s messageScan
	err := row.Scan(s.dest(&s.number)...)
	l.Rows, l.numbers = append(l.Rows, s.row()), append(l.numbers, s.number)
	return err
}

// Named returns the messages, after a query that ended so.
func (l *MessageList) Named(tx *Tx, err error) ([]MessageRow, error) {
	if err == nil {
		err = tx.NameOrganizations(l.numbers, func(i int) *model.OrganizationID { return &l.Rows[i].Organization })
	}
	return l.Rows, err
}

// MessageKey names a message's row.
type MessageKey struct {
	Organization model.OrganizationID
	ID           model.MessageID
}
