package store

import (
	"time"

	"signet/internal/model"
)

// EventRow is an event as it is queued. One that carries a message refers to it;
// the others hold their payload in the service's own form.
type EventRow struct {
	Position     int64
	Kind         model.EventKind
	Organization model.OrganizationID
	MessageID    model.MessageID // zero where the event is about no message
	Payload      []byte
	Message      *MessageRow // of message and group_message
	Status       model.Status
}

// InsertEvent queues an event at a position that Position handed out for the account.
func (tx *Tx) InsertEvent(account model.AccountID, position int64, organization model.OrganizationID, kind model.EventKind, message model.MessageID, payload []byte) error {
	err := tx.post(`INSERT INTO events (account, position, organization, kind, message, payload) VALUES (?, ?, ?, ?, ?, ?)`,
		account, position, organization, string(kind), message, string(payload))
	return err
}

// InsertGroupEvents queues a group message with every member but the sender.
func (tx *Tx) InsertGroupEvents(m *MessageRow) error {
	err := tx.post(`INSERT INTO events (account, position, organization, kind, message, payload)
		SELECT account, ?, organization, ?, ?, '' FROM group_members WHERE group_token = ? AND account <> ?`,
		m.Sort, string(model.EventGroupMessage), m.ID, m.Recipient, m.Sender)
	return err
}

// queued says which rows of an account's queue are to be seen: those within the
// retention, and of the messages those that are not over for this reader.
const queued = ` FROM events e
	LEFT JOIN messages m ON e.kind IN ('message', 'group_message') AND m.organization = e.organization AND m.message = e.message
	LEFT JOIN deliveries d ON d.organization = m.organization AND d.message = m.message AND d.account = e.account
	WHERE e.account = ? AND e.position > ? AND e.position <= ?
	AND (e.kind NOT IN ('message', 'group_message') OR m.ends > ? AND m.recalled = 0 AND NOT (m.dor = 1 AND d.status >= 2 AND d.status_time <= ?))`

// Queue names a part of an account's queue: after one position, up to and with
// another, as it looks at a time.
type Queue struct {
	Account model.AccountID
	After   int64
	UpTo    int64
	Now     time.Time
}

func (q Queue) args() []any {
	return []any{q.Account, q.After, q.UpTo, millis(q.Now), millis(q.Now.Add(-model.ReadGrace))}
}

// EndOfQueue is a position that no event reaches.
const EndOfQueue = int64(1) << 62

// Events returns up to limit events of the queue, in order.
//
// The limit is `? + 0`, as all limits of this package are: SQLite plans a statement
// anew each time that a number is bound to a bare `LIMIT ?`, which costs more than
// the reading.
func (tx *Tx) Events(q Queue, limit int) (out []EventRow, err error) {
	err = tx.each(`SELECT e.position, e.kind, e.organization, e.message, e.payload, COALESCE(d.status, 0), `+nullableMessageColumns+queued+`
		ORDER BY e.position LIMIT ? + 0`, append(q.args(), limit), func(row Row) error {
		var e EventRow
		var s messageScan
		var kind string
		var status int
		if err := row.Scan(append([]any{&e.Position, &kind, &e.Organization, &e.MessageID, &e.Payload, &status}, s.dest()...)...); err != nil {
			return err
		}
		e.Kind, e.Status = model.EventKind(kind), model.Status(status)
		if e.Kind == model.EventMessage || e.Kind == model.EventGroupMessage {
			m := s.row()
			e.Message = &m
		}
		out = append(out, e)
		return nil
	})
	return out, err
}

// nullableMessageColumns are messageColumns where there may be no message.
const nullableMessageColumns = `COALESCE(m.organization, ''), COALESCE(m.message, e.account), COALESCE(m.sender, e.account), COALESCE(m.recipient, e.account),
	COALESCE(m.is_group, 0), m.content, COALESCE(m.blob, e.account), COALESCE(m.created, 0), COALESCE(m.expires, 0), COALESCE(m.ends, 0),
	COALESCE(m.ttl, 0), COALESCE(m.dor, 0), COALESCE(m.priority, 0), COALESCE(m.sort, 0), COALESCE(m.recalled, 0), COALESCE(m.replay, 0),
	COALESCE(m.original_sender, e.account), COALESCE(m.original_created, 0)`

// CountEvents returns how many events the queue holds.
func (tx *Tx) CountEvents(q Queue) (n int, err error) {
	_, err = tx.one(`SELECT COUNT(*)`+queued, q.args(), &n)
	return n, err
}

// LastPosition returns the position of the newest event of an account, or 0.
func (tx *Tx) LastPosition(account model.AccountID) (position int64, err error) {
	_, err = tx.one(`SELECT position FROM events WHERE account = ? ORDER BY position DESC LIMIT 1`, []any{account}, &position)
	return position, err
}

// LastPositions returns the positions of the newest events of several accounts; one
// that has none is left out.
func (tx *Tx) LastPositions(accounts []model.AccountID) (map[model.AccountID]int64, error) {
	out := map[model.AccountID]int64{}
	// By way of the accounts, so that each costs one look at the end of its queue
	// however long that is.
	err := tx.each(`SELECT a.account, COALESCE((SELECT e.position FROM events e WHERE e.account = a.account ORDER BY e.position DESC LIMIT 1), 0)
		FROM accounts a WHERE a.account IN (?*)`, []any{accounts}, func(row Row) error {
		var account model.AccountID
		var position int64
		err := row.Scan(&account, &position)
		if position > 0 {
			out[account] = position
		}
		return err
	})
	return out, err
}

// EventsAt returns what is queued at these positions, without the messages.
func (tx *Tx) EventsAt(account model.AccountID, positions []int64) ([]EventRow, error) {
	return tx.eventRows(`account = ? AND position IN (?*)`, account, positions)
}

// EventsOf returns all that is queued for an account about an organization,
// without the messages.
func (tx *Tx) EventsOf(account model.AccountID, organization model.OrganizationID) ([]EventRow, error) {
	return tx.eventRows(`account = ? AND organization = ?`, account, organization)
}

func (tx *Tx) eventRows(where string, args ...any) (out []EventRow, err error) {
	err = tx.each(`SELECT position, kind, organization, message, payload FROM events WHERE `+where+` ORDER BY position`, args, func(row Row) error {
		var e EventRow
		var kind string
		err := row.Scan(&e.Position, &kind, &e.Organization, &e.MessageID, &e.Payload)
		e.Kind = model.EventKind(kind)
		out = append(out, e)
		return err
	})
	return out, err
}

// DeleteEventsAt takes events out of an account's queue.
func (tx *Tx) DeleteEventsAt(account model.AccountID, positions []int64) error {
	if len(positions) == 0 {
		return nil
	}
	err := tx.post(`DELETE FROM events WHERE account = ? AND position IN (?*)`, account, positions)
	return err
}

// DeleteAllEvents empties an account's queue.
func (tx *Tx) DeleteAllEvents(account model.AccountID) error {
	tx.change.withdrawn()
	err := tx.post(`DELETE FROM events WHERE account = ?`, account)
	return err
}

// DeleteEventsOf withdraws what is queued for an account about an organization.
func (tx *Tx) DeleteEventsOf(account model.AccountID, organization model.OrganizationID) error {
	tx.change.withdrawn()
	err := tx.post(`DELETE FROM events WHERE account = ? AND organization = ?`, account, organization)
	return err
}

// DeleteEventsBefore takes what is older than a position out of an account's queue.
func (tx *Tx) DeleteEventsBefore(account model.AccountID, position int64) error {
	tx.change.withdrawn()
	err := tx.post(`DELETE FROM events WHERE account = ? AND position < ?`, account, position)
	return err
}

// NextQueue returns the first account after the given one that has events.
func (tx *Tx) NextQueue(after model.AccountID) (account model.AccountID, found bool, err error) {
	found, err = tx.one(`SELECT account FROM events WHERE account > ? ORDER BY account LIMIT 1`, []any{after}, &account)
	return account, found, err
}

// WithdrawMessage takes the still queued events that carry the message out of
// all recipients' queues. It comes before the deliveries are deleted.
func (tx *Tx) WithdrawMessage(organization model.OrganizationID, message model.MessageID) error {
	tx.change.withdrawn()
	err := tx.post(`DELETE FROM events WHERE (account, position) IN
		(SELECT account, position FROM deliveries WHERE organization = ? AND message = ?)`, organization, message)
	return err
}

// InsertSettingsEvents tells all members of an organization that it changed.
func (tx *Tx) InsertSettingsEvents(organization model.OrganizationID, position int64, payload []byte) error {
	err := tx.post(`INSERT INTO events (account, position, organization, kind, message, payload)
		SELECT account, ?, organization, ?, ?, ? FROM memberships WHERE organization = ?`,
		position, string(model.EventSettings), model.MessageID{}, string(payload), organization)
	return err
}

// InsertEvents queues the same event with several accounts, at one position.
func (tx *Tx) InsertEvents(accounts []model.AccountID, position int64, organization model.OrganizationID, kind model.EventKind, payload []byte) error {
	for _, account := range accounts {
		if err := tx.InsertEvent(account, position, organization, kind, model.MessageID{}, payload); err != nil {
			return err
		}
	}
	return nil
}
