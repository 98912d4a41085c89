// Package threads reads the messages of conversations, in their order and a part at a time.
//
// It owns no table. It does not know who may see which of them (package service).
package threads

import (
	"math"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Thread is a part of a conversation, as one of its accounts reads it.
type Thread struct {
	Organization model.OrganizationID
	Reader       model.AccountID
	Entity       model.EntityID
	Group        bool
	After        int64 // what has a sort up to it is left out
	Before       int64 // so is what has this sort or a greater one
	OldestFirst  bool
	Cleared      int64 // the position up to which the reader removed it
	MostBytes    int   // of content that is read at a time; 0: no limit
}

// Whole is before the end of every thread, for Thread.Before.
const Whole = math.MaxInt64

func (t *Thread) thread() int64 { return store.ThreadOf(model.EntityID(t.Reader), t.Entity, t.Group) }

// has reports whether a message is of the conversation.
func (t *Thread) has(m *store.MessageRow) bool {
	if m.Group != t.Group || m.Organization != t.Organization {
		return false
	}
	reader, sender := model.EntityID(t.Reader), model.EntityID(m.Sender)
	return t.Group && m.Recipient == t.Entity ||
		!t.Group && (sender == reader && m.Recipient == t.Entity || sender == t.Entity && m.Recipient == reader)
}

// Entry is a message of a thread.
type Entry struct {
	Sort    int64
	Message *store.MessageRow // nil: it has ended, or is another conversation's. It may be shared, and nobody changes it.
	// Copy is the reader's, where it lies and what its status is. One to one it is the only one,
	// of whichever of both received the message. Nil where there is none.
	Copy *store.Delivery

	recalled bool
}

// Read returns up to limit messages of a thread, the newest first unless it says
// otherwise: all of them, whether the reader may see them or not. Those that are known are not
// read again; known may be nil. Fewer than limit are all that there are, unless there is more:
// the content of the next ones is past MostBytes.
func Read(tx *store.Tx, t *Thread, limit int, now time.Time, known store.Messages) (out []Entry, more bool, err error) {
	out, ids, err := readIndex(tx, t, limit)
	if err != nil {
		return nil, false, err
	}
	var missing []model.MessageID
	for i := range out {
		e := &out[i]
		if known != nil && !e.recalled {
			e.Message = known.Known(ids[i])
		}
		if e.Message == nil {
			missing = append(missing, ids[i])
		}
	}
	if len(missing) > 0 {
		read, past, err := readMessages(tx, t, missing)
		if err != nil {
			return nil, false, err
		}
		for i := range out {
			if out[i].Message != nil {
				continue
			}
			if ids[i] == past {
				out, more = out[:i], true
				break
			}
			out[i].Message = read[ids[i]]
		}
	}
	for i := range out {
		switch e := &out[i]; {
		case e.Message == nil || !e.Message.Lasts(now) || !t.has(e.Message):
			e.Message, e.Copy = nil, nil
		case e.Copy != nil:
			e.Copy.Account = t.Reader
			if !t.Group {
				e.Copy.Account = model.AccountID(e.Message.Recipient)
			}
		}
	}
	return out, more, nil
}

// piece is how many messages of a thread are read together where all of them have too
// much content.
const piece = 8

// readMessages reads messages of a thread, in their order, and returns the first that is past
// MostBytes, or none.
func readMessages(tx *store.Tx, t *Thread, ids []model.MessageID) (read map[model.MessageID]*store.MessageRow,
	past model.MessageID, err error) {
	bytes, together := 0, ids
	for len(ids) > 0 {
		together = together[:min(len(together), len(ids))]
		rows, whole, err := readSome(tx, t, ids[:len(together)])
		if err != nil {
			return nil, past, err
		}
		if !whole && len(together) > piece { // which of them were left out is chance
			together = ids[:piece]
			continue
		}
		if read == nil {
			read = make(map[model.MessageID]*store.MessageRow, len(rows))
		}
		for i := range rows {
			read[rows[i].ID] = &rows[i]
			bytes += len(rows[i].Sealed)
		}
		ids = ids[len(together):]
		if t.MostBytes > 0 && bytes > t.MostBytes && len(ids) > 0 {
			return read, ids[0], nil
		}
	}
	return read, past, nil
}

// readSome reads those of the messages that exist, and reports whether these are all of
// them: a piece is read whole, and of more no more than MostBytes.
func readSome(tx *store.Tx, t *Thread, ids []model.MessageID) (rows []store.MessageRow, whole bool, err error) {
	var l store.MessageList
	bytes, whole := 0, true
	err = tx.Query(`SELECT `+store.MessageColumns+` FROM messages m WHERE m.organization_number = ? AND m.message IN (?*)`,
		[]any{tx.Numbered(t.Organization), ids}, func(row store.Row) error {
			if t.MostBytes > 0 && bytes > t.MostBytes && len(ids) > piece {
				whole = false
				return nil
			}
			err := l.Add(row)
			bytes += len(l.Rows[len(l.Rows)-1].Sealed)
			return err
		})
	rows, err = l.Named(tx, err)
	return rows, whole, err
}

// The parts of readIndex's statements. One to one, a message has one copy, and whose it is
// the message tells.
const (
	copies = `SELECT m.message, m.sort, m.recalled, COALESCE(d.status, -1), COALESCE(d.status_time, 0),
		COALESCE(d.position, 0) FROM messages m
		LEFT JOIN deliveries d ON d.organization_number = m.organization_number AND d.message = m.message`
	ownCopies = copies + ` AND d.account = ?`
	newest    = ` WHERE m.organization_number = ? AND m.thread = ? AND m.sort > ? AND m.sort < ?
		ORDER BY m.sort DESC LIMIT ? + 0`
	oldest = ` WHERE m.organization_number = ? AND m.thread = ? AND m.sort > ? AND m.sort < ?
		ORDER BY m.sort LIMIT ? + 0`
)

// readIndex reads the entries of the index, with the copies, and no message itself.
func readIndex(tx *store.Tx, t *Thread, limit int) ([]Entry, []model.MessageID, error) {
	args := []any{tx.Numbered(t.Organization), t.thread(), t.After, t.Before, limit}
	own := append([]any{t.Reader}, args...)
	switch {
	case t.Group && t.OldestFirst:
		return readPart(tx, ownCopies+oldest, own, limit)
	case t.Group:
		return readPart(tx, ownCopies+newest, own, limit)
	case t.OldestFirst:
		return readPart(tx, copies+oldest, args, limit)
	default:
		return readPart(tx, copies+newest, args, limit)
	}
}

func readPart(tx *store.Tx, query string, args []any, limit int) ([]Entry, []model.MessageID, error) {
	var e Entry
	var d store.Delivery
	var status int
	var at int64
	dest := []any{&d.Message, &e.Sort, &e.recalled, &status, &at, &d.Position}
	deliveries := make([]store.Delivery, 0, limit)
	out, ids := make([]Entry, 0, limit), make([]model.MessageID, 0, limit)
	err := tx.Query(query, args, func(row store.Row) error {
		if err := row.Scan(dest...); err != nil {
			return err
		}
		e.Copy = nil
		if status >= 0 {
			d.Status, d.StatusTime = model.Status(status), store.FromMillis(at)
			deliveries = append(deliveries, d)
			e.Copy = &deliveries[len(deliveries)-1]
		}
		out, ids = append(out, e), append(ids, d.Message)
		return nil
	})
	return out, ids, err
}

// Unread returns the copies of a thread that the reader has not read, the newest
// first, and of each the sort, up to limit of them. It looks at those whose message has
// ended, and is not swept yet, too.
func Unread(tx *store.Tx, t *Thread, limit int) (ids []model.MessageID, sorts []int64, err error) {
	err = tx.Query(`SELECT m.message, m.sort FROM messages m CROSS JOIN deliveries d
		WHERE m.organization_number = ? AND m.thread = ? AND m.sort > ? AND m.sort < ? AND m.recalled = 0
		AND d.organization_number = m.organization_number AND d.message = m.message AND d.account = ? AND d.status < ?
		ORDER BY m.sort DESC LIMIT ? + 0`,
		[]any{tx.Numbered(t.Organization), t.thread(), t.After, t.Before, t.Reader, int(model.Read), limit},
		func(row store.Row) error {
			var id model.MessageID
			var sort int64
			err := row.Scan(&id, &sort)
			ids, sorts = append(ids, id), append(sorts, sort)
			return err
		})
	return ids, sorts, err
}

// Statuses is StatusesOf for several messages of an organization, without when the last got there.
func Statuses(tx *store.Tx, organization model.OrganizationID, messages []model.MessageID) (
	map[model.MessageID]store.Statuses, error) {
	out := make(map[model.MessageID]store.Statuses, len(messages))
	err := tx.Query(`SELECT message, MIN(status), MAX(status) FROM deliveries
		WHERE organization_number = ? AND message IN (?*) AND replayed = 0 GROUP BY message`,
		[]any{tx.Numbered(organization), messages}, func(row store.Row) error {
			var id model.MessageID
			var least, most int
			err := row.Scan(&id, &least, &most)
			out[id] = store.Statuses{Least: model.Status(least), Most: model.Status(most)}
			return err
		})
	return out, err
}

// FindPart limits a thread of a group to the part of it that may be the reader's. Nothing is,
// where it never was a member.
func FindPart(tx *store.Tx, t *Thread) error {
	const cleared = `, COALESCE((SELECT cleared FROM conversations c WHERE c.account = p.account
		AND c.organization = p.organization AND c.entity = p.group_token), 0)`
	t.Before = Whole
	found, err := tx.One(`SELECT floor`+cleared+` FROM group_members p WHERE group_token = ? AND account = ?`,
		[]any{t.Entity, t.Reader}, &t.After, &t.Cleared)
	if found || err != nil {
		return err
	}
	t.Before = 0
	_, err = tx.One(`SELECT floor, last_sort + 1`+cleared+` FROM past_members p WHERE account = ? AND group_token = ?`,
		[]any{t.Reader, t.Entity}, &t.After, &t.Before, &t.Cleared)
	return err
}
