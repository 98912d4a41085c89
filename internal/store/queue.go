package store

import (
	"time"

	"signet/internal/model"
)

// Messages remembers messages that were read before, so that a queue which is read
// again, or which many have a part of, costs no look at each message.
//
// What a message says and who it is from and to never changes. What does change is
// asked of the database each time: the event of a message that was recalled, or is
// erased, is withdrawn in the same transaction, and the status lies with the event. In
// an engine that is alone, a recall may leave events to be withdrawn later: there nobody
// remembers the message any more.
// When a message ends is known in advance, except of one that goes once it was read
// (DOR), which is not to be remembered.
type Messages interface {
	// Known returns a message, or nil. Nobody changes it.
	Known(model.MessageID) *MessageRow
}

// Events returns up to limit events of the queue, in order: those within the
// retention, and of the messages those that are not over for this reader. Fewer are
// all that there are, unless the messages that were not known have q.Bytes together.
// known may be nil.
//
// The limit is `? + 0`, as all limits of this package are: SQLite plans a statement
// anew each time that a number is bound to a bare `LIMIT ?`, which costs more than
// the reading.
func (tx *Tx) Events(q Queue, limit int, known Messages) (out []EventRow, err error) {
	out = make([]EventRow, 0, min(limit, usualQueue))
	for piece := firstPiece; ; piece *= 2 {
		begun, asked := len(out), min(limit-len(out), piece)
		if out, err = tx.appendQueued(out, q, asked); err != nil {
			return nil, err
		}
		read := len(out) - begun
		if read > 0 {
			q.After = out[len(out)-1].Position
		}
		kept, bytes, err := tx.bring(out[begun:], q, known)
		if err != nil {
			return nil, err
		}
		out = out[:begun+kept]
		full := q.Bytes > 0 && bytes >= q.Bytes
		if q.Bytes -= bytes; full || read < asked || len(out) == limit {
			return out, nil
		}
	}
}

const (
	// usualQueue is how many events there is room for from the start.
	usualQueue = 50
	// firstPiece is how many events are read at once at first. PostgreSQL sends all of a
	// statement's rows, also those past Bytes.
	firstPiece = 100
)

// appendQueued appends the rows of a part of the queue as they are, without their messages.
func (tx *Tx) appendQueued(out []EventRow, q Queue, limit int) ([]EventRow, error) {
	var e EventRow
	var number int64
	var numbers []int64
	var kind, status int
	begun := len(out)
	dest := []any{&e.Position, &kind, &number, &e.MessageID, &e.Payload, &status}
	scope := tx.scope(q.Scope)
	err := tx.Query(`SELECT position, kind, organization_number, message, payload, status FROM `+q.from()+`
		WHERE account = ? AND position > ? AND position <= ?`+withinScope+standing+` ORDER BY position LIMIT ? + 0`,
		[]any{q.Account, q.After, q.UpTo, scope, scope, q.Notices, q.Account, limit}, func(row Row) error {
			if err := row.Scan(dest...); err != nil {
				return err
			}
			e.Status = model.Status(status)
			err := e.setKind(kind)
			out, numbers = append(out, e), append(numbers, number)
			return err
		})
	if err == nil {
		err = tx.NameOrganizations(numbers, func(i int) *model.OrganizationID { return &out[begun+i].Organization })
	}
	return out, err
}

// bring gives the rows that carry a message theirs, takes out those whose message is
// over, and those that are past q.Bytes. It returns how many are left, and the bytes of
// the messages that it read. q is the queue up to these rows.
func (tx *Tx) bring(rows []EventRow, q Queue, known Messages) (kept, bytes int, err error) {
	first, last := 0, -1 // those that have to be looked up
	for i := range rows {
		e := &rows[i]
		if !e.carries() {
			continue
		}
		if known != nil {
			e.Message = known.Known(e.MessageID)
		}
		if e.Message == nil {
			if last < 0 {
				first = i
			}
			last = i
		}
	}
	if last >= 0 {
		read, n, err := tx.readCarried(rows[first:last+1], q)
		if err != nil {
			return 0, 0, err
		}
		if bytes = n; read <= last-first {
			rows = rows[:first+read]
		}
	}
	for i := range rows {
		if e := &rows[i]; e.carries() && (e.Message == nil || !e.Message.Lasts(q.Now)) {
			continue
		}
		if kept < i {
			rows[kept] = rows[i]
		}
		kept++
	}
	return kept, bytes, nil
}

// Lasts reports whether the message has not ended.
func (m *MessageRow) Lasts(now time.Time) bool { return m.Ends.IsZero() || m.Ends.After(now) }

// readCarried reads the messages of rows that follow each other in a queue, and returns
// their bytes and for how many rows it has read them before these were q.Bytes. Those that
// are over for the reader get none.
func (tx *Tx) readCarried(rows []EventRow, q Queue) (read, bytes int, err error) {
	all, stopped := len(rows), false
	q.After, q.UpTo = rows[0].Position-1, rows[all-1].Position
	var position int64
	var s messageScan
	var found []*MessageRow
	var numbers []int64
	dest := append([]any{&position}, s.dest(&s.number)...)
	// CROSS JOIN has SQLite begin with the queue.
	err = tx.Query(`SELECT e.position, `+MessageColumns+` FROM `+q.from()+` CROSS JOIN messages m
		LEFT JOIN deliveries d ON d.organization_number = m.organization_number AND d.message = m.message
		AND d.account = e.account
		WHERE e.account = ? AND e.position > ? AND e.position <= ?`+withinScope+standing+` AND e.kind IN (1, 2)
		AND m.organization_number = e.organization_number AND m.message = e.message
		AND m.ends > ? AND m.recalled = 0 AND NOT (m.dor = 1 AND d.status >= 2 AND d.status_time <= ?)
		ORDER BY e.position`, q.args(tx), func(row Row) error {
		if err := row.Scan(dest...); err != nil {
			return err
		}
		for rows[0].Position < position {
			rows = rows[1:] // it is among them: they are of the same snapshot
		}
		if e := &rows[0]; e.Message == nil {
			m := s.row()
			e.Message = &m
			found, numbers = append(found, &m), append(numbers, s.number)
			if bytes += len(m.Sealed); q.Bytes > 0 && bytes >= q.Bytes {
				stopped = true
				return ErrStop
			}
		}
		return nil
	})
	read = all
	if stopped {
		read = all - len(rows) + 1
	}
	if err == nil {
		err = tx.NameOrganizations(numbers, func(i int) *model.OrganizationID { return &found[i].Organization })
	}
	return read, bytes, err
}

// TimeOf is when a position was handed out, or a moment before.
func TimeOf(position int64) time.Time { return time.UnixMicro(position).UTC() }
