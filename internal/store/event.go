package store

import (
	"fmt"
	"math"
	"slices"
	"time"

	"signet/internal/model"
)

// EventRow is an event as it is queued. One that carries a message refers to it;
// the others hold a Payload.
type EventRow struct {
	Position     int64
	Kind         model.EventKind
	Organization model.OrganizationID
	MessageID    model.MessageID // zero where the event is about no message
	Payload      []byte
	Message      *MessageRow // of message and group_message; shared: it is not to be changed
	Status       model.Status
}

// carries reports whether the event brings a message.
func (e *EventRow) carries() bool {
	return e.Kind == model.EventMessage || e.Kind == model.EventGroupMessage
}

// eventKinds are the kinds that are queued, or may come to be, each at the number that
// is stored for it. A number is never given to another kind; statements name those of
// message and group_message.
var eventKinds = []model.EventKind{
	1: model.EventMessage, 2: model.EventGroupMessage, 3: model.EventStatus, 4: model.EventGroupStatus,
	5: model.EventFriends,
	6: model.EventBang, 7: model.EventUpdate, 8: model.EventSettings, 9: model.EventPresence, 10: model.EventAdminRequest,
	11: model.EventConversationMute, 12: model.EventTyping, 13: model.EventAdvisory,
	14: model.EventEscalated,
}

// KindNumber is the stored form of a kind; less than 1 where it has none.
func KindNumber(kind model.EventKind) int { return slices.Index(eventKinds, kind) }

// KindOf is the kind of a number, none of 0; false where no kind has that.
func KindOf(number int) (kind model.EventKind, known bool) {
	if number < 0 || number >= len(eventKinds) {
		return "", false
	}
	return eventKinds[number], true
}

// setKind gives an event the kind that its row names by a number.
func (e *EventRow) setKind(number int) error {
	kind, known := KindOf(number)
	if !known || number < 1 {
		return fmt.Errorf("event %d is of a kind that is not known: %d", e.Position, number)
	}
	e.Kind = kind
	return nil
}

// InsertEvent queues an event at a position that Position handed out for the account.
func (tx *Tx) InsertEvent(account model.AccountID, position int64, organization model.OrganizationID,
	kind model.EventKind, message model.MessageID, payload []byte) error {
	number := KindNumber(kind)
	if number < 1 {
		return fmt.Errorf("events of kind %q are not queued", kind)
	}
	if kind != model.EventMessage && kind != model.EventGroupMessage {
		if err := tx.NoteGrowth(account); err != nil {
			return err
		}
	}
	return tx.insertEvent(account, position, tx.Existing(organization), number, message, payload)
}

func (tx *Tx) insertEvent(account model.AccountID, position int64, organization any, kind int, message model.MessageID,
	payload []byte) error {
	return tx.Post(
		`INSERT INTO events (account, position, organization_number, kind, message, payload, status)
			VALUES (?, ?, ?, ?, ?, ?, 0)`,
		account, position, organization, kind, message, string(payload))
}

// NoteQueuedStatus tells a still queued event, which brings a copy, what status that
// one has now.
func (tx *Tx) NoteQueuedStatus(d *Delivery, status model.Status) error {
	return tx.Post(`UPDATE events SET status = ? WHERE account = ? AND position = ?`, int(status), d.Account, d.Position)
}

// InsertGroupEvents queues a group message with every member but the sender, and those that
// get earlier ones first.
func (tx *Tx) InsertGroupEvents(m *MessageRow) error {
	return tx.Post(`INSERT INTO events (account, position, organization_number, kind, message, payload, status)
		SELECT account, ?, ?, ?, ?, '', 0 FROM group_members WHERE group_token = ? AND account <> ? AND history = 0`,
		m.Sort, tx.Existing(m.Organization), KindNumber(model.EventGroupMessage), m.ID, m.Recipient, m.Sender)
}

// Queue names a part of an account's queue: after one position, up to and with
// another, as it looks at a time.
type Queue struct {
	Account model.AccountID
	Scope   model.OrganizationID // with what is the account's own; empty: all
	Notices int64                // those up to this position are in no scope
	After   int64
	UpTo    int64
	Now     time.Time
	Bytes   int  // of messages, past which no more are read; 0: no end
	Kept    bool // with what was acknowledged and is kept for webhooks
}

// from is where the rows are.
func (q *Queue) from() string {
	if q.Kept {
		return EventsAndKept
	}
	return `events e`
}

// args are those of the rows, and then those of what they bring.
func (q Queue) args(tx *Tx) []any {
	scope := tx.scope(q.Scope)
	return []any{q.Account, q.After, q.UpTo, scope, scope, q.Notices, q.Account, Millis(q.Now),
		Millis(q.Now.Add(-model.ReadGrace))}
}

// scope is the number of an organization for withinScope, 0 where there is none.
func (tx *Tx) scope(id model.OrganizationID) any {
	if id == "" {
		return 0
	}
	return tx.Numbered(id)
}

// withinScope selects events of an organization, and those of none, which are the
// account's own, and notices of its access past a position. Its arguments are the scope's
// number, twice, and the position.
const withinScope = ` AND (? = 0 OR e.organization_number IN (0, ?) OR e.organization_number = -2 AND e.position > ?)`

// EndOfQueue is a position that no event reaches.
const EndOfQueue = model.EndOfQueue

// queued selects the visible rows of an account's queue: those within the retention,
// and of the messages those that are not over for this reader.
const queued = ` FROM events e
	LEFT JOIN messages m ON e.kind IN (1, 2) AND m.organization_number = e.organization_number AND m.message = e.message
	LEFT JOIN deliveries d ON d.organization_number = m.organization_number AND d.message = m.message
	AND d.account = e.account
	WHERE e.account = ? AND e.position > ? AND e.position <= ?` + withinScope + standing + `
	AND (e.kind NOT IN (1, 2) OR m.ends > ? AND m.recalled = 0 AND NOT (m.dor = 1 AND d.status >= 2
	AND d.status_time <= ?))`

// CountEvents returns how many events the queue holds.
func (tx *Tx) CountEvents(q Queue) (int, error) {
	asked, err := tx.AskCountEvents(q, math.MaxInt)
	if err == nil {
		err = tx.Await()
	}
	return asked.Row, err
}

// AskCountEvents asks for that, and counts no more than so many.
func (tx *Tx) AskCountEvents(q Queue, most int) (*Asked[int], error) {
	return AskFirst(tx, `SELECT COUNT(*) FROM (SELECT 1`+queued+` LIMIT ? + 0) AS counted`, append(q.args(tx), most),
		func(n *int, row Row) error { return row.Scan(n) })
}

// LastPosition returns the position of the newest event of an account, or 0.
func (tx *Tx) LastPosition(account model.AccountID) (int64, error) {
	asked, err := tx.AskLastPosition(account)
	if err == nil {
		err = tx.Await()
	}
	return asked.Row, err
}

// AskLastPosition asks for that.
func (tx *Tx) AskLastPosition(account model.AccountID) (*Asked[int64], error) {
	return AskFirst(tx, `SELECT position FROM events WHERE account = ? ORDER BY position DESC LIMIT 1`, []any{account},
		func(position *int64, row Row) error { return row.Scan(position) })
}

// LastPositions returns up to which positions the queues of several accounts may hold
// something that another server queued. One that has nothing of the kind is left out. All that
// is queued up to there, and stays, is there already.
func (tx *Tx) LastPositions(accounts []model.AccountID) (map[model.AccountID]int64, error) {
	out := map[model.AccountID]int64{}
	if tx.dialect.Queues == "" {
		return out, nil
	}
	// The row of a queue costs a look, its newest event some more. Not each position has an event:
	// whoever is woken for one that has none finds nothing.
	err := tx.Query(tx.dialect.Queues, []any{accounts}, func(row Row) error {
		var account model.AccountID
		var position int64
		err := row.Scan(&account, &position)
		out[account] = position
		return err
	})
	return out, err
}

// HandedOut returns a position behind which none was handed out for an account; 0: none was at all.
func (tx *Tx) HandedOut(account model.AccountID) (position int64, err error) {
	_, err = tx.One(tx.dialect.Queue, []any{account}, &position)
	return position, err
}

// RemoveEvents takes events out of an account's queue that it did not acknowledge, and out of what is
// kept of it.
func (tx *Tx) RemoveEvents(account model.AccountID, positions []int64) error {
	tx.NoteWithdrawn()
	if len(positions) == 0 {
		return nil
	}
	if err := tx.Post(`DELETE FROM kept_events WHERE account = ? AND position IN (?*)`, account, positions); err != nil {
		return err
	}
	return tx.DeleteEventsAt(account, positions)
}

// DeleteEventsAt takes events out of an account's queue that it acknowledged.
func (tx *Tx) DeleteEventsAt(account model.AccountID, positions []int64) error {
	if len(positions) == 0 {
		return nil
	}
	return tx.Post(`DELETE FROM events WHERE account = ? AND position IN (?*)`, account, positions)
}

// WithinScope keeps of positions in an account's queue those of events within a scope, of
// notices those past a position.
func (tx *Tx) WithinScope(account model.AccountID, positions []int64, scope model.OrganizationID, notices int64) (
	out []int64, err error) {
	if scope == "" {
		return positions, nil
	}
	number := tx.Numbered(scope)
	return Column[int64](tx, `SELECT e.position FROM events e WHERE e.account = ? AND e.position IN (?*)`+withinScope,
		account, positions, number, number, notices)
}

// DeleteEventsBefore takes the oldest of what is older than a position out of an account's
// queue, at most limit, and returns how many those were.
func (tx *Tx) DeleteEventsBefore(account model.AccountID, position int64, limit int) (int64, error) {
	tx.NoteWithdrawn()
	return tx.Exec(`DELETE FROM events WHERE account = ? AND position IN (SELECT position FROM events
		WHERE account = ? AND position < ? ORDER BY position LIMIT ? + 0)`, account, account, position, limit)
}

// NextQueue returns the first account after the given one that has events, and the
// position of the oldest.
func (tx *Tx) NextQueue(after model.AccountID) (account model.AccountID, oldest int64, found bool, err error) {
	found, err = tx.One(`SELECT account, position FROM events WHERE account > ? ORDER BY account, position LIMIT 1`,
		[]any{after}, &account, &oldest)
	return account, oldest, found, err
}

// WithdrawMessage takes the event that carries the message, where it is still queued or kept, out
// of the queues of accounts. It comes before their copies are deleted.
func (tx *Tx) WithdrawMessage(organization model.OrganizationID, message model.MessageID,
	accounts []model.AccountID) error {
	tx.NoteWithdrawn()
	number := tx.Numbered(organization)
	if err := tx.Post(`DELETE FROM kept_events WHERE (account, position) IN (SELECT account, position FROM deliveries
		WHERE organization_number = ? AND message = ? AND account IN (?*))`, number, message, accounts); err != nil {
		return err
	}
	return tx.Post(`DELETE FROM events WHERE (account, position) IN (SELECT account, position FROM deliveries
		WHERE organization_number = ? AND message = ? AND account IN (?*))`, number, message, accounts)
}

// InsertEvents queues the same event besides messages with several accounts, at one
// position. It leaves out those that are not in the organization any more. A request takes
// the place of an earlier one for the same that is still queued, and with foreign members so do
// the organization's settings.
func (tx *Tx) InsertEvents(accounts []model.AccountID, position int64, organization model.OrganizationID,
	kind model.EventKind, message model.MessageID, payload []byte) error {
	if err := tx.NoteGrowth(accounts...); err != nil {
		return err
	}
	if err := tx.supersedeIn(accounts, organization, kind, payload); err != nil {
		return err
	}
	return tx.Post(`INSERT INTO events (account, position, organization_number, kind, message, payload, status)
		SELECT account, ?, ?, ?, ?, ?, 0 FROM memberships m WHERE organization = ? AND account IN (?*)
		AND `+OfStanding+`m.organization))`,
		position, tx.Existing(organization), KindNumber(kind), message, string(payload), organization, accounts)
}

// deleteUpdates takes the last update of a group out of the queues of members.
func (tx *Tx) deleteUpdates(group model.GroupID, accounts []model.AccountID) error {
	return tx.Post(`DELETE FROM events WHERE kind = ? AND (account, position) IN (SELECT account, updated
		FROM group_members WHERE group_token = ? AND account IN (?*) AND updated > 0)`,
		KindNumber(model.EventUpdate), group, accounts)
}

// InsertGroupUpdates is InsertEvents for an update of a group, to members of it. It takes
// the place of an earlier one that is still queued.
func (tx *Tx) InsertGroupUpdates(g *model.Group, accounts []model.AccountID, position int64, payload []byte) error {
	if err := tx.deleteUpdates(g.ID, accounts); err != nil {
		return err
	}
	err := tx.Post(`UPDATE group_members SET updated = ? WHERE group_token = ? AND account IN (?*)`, position, g.ID,
		accounts)
	if err != nil {
		return err
	}
	return tx.InsertEvents(accounts, position, g.Organization, model.EventUpdate, model.MessageID{}, payload)
}
