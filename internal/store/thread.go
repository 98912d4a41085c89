package store

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"signet/internal/model"
)

// A thread is what a conversation's messages have in common, so that one index has each of
// them once, in their order, whoever has copies. It is made of the tokens of the two
// accounts, or of the group's: nothing is allocated, and a send asks for nothing. Two
// conversations may get the same one, though hardly ever do: who reads a thread looks at
// whom its messages are from and to.

// threadOf is the thread of a message from an account to an entity.
func threadOf(sender, recipient model.EntityID, group bool) int64 {
	sum := randomPart(recipient)
	if !group { // the same in both directions, and not the same for all who write to themselves
		sum += randomPart(sender)
	}
	return int64(sum & (1<<48 - 1)) // SQLite stores 48 bits in 6 bytes
}

// randomPart are the last bytes of a UUID of version 7, which are random.
func randomPart(id model.EntityID) uint64 { return binary.BigEndian.Uint64(id[8:]) }

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

func (t *Thread) thread() int64 { return threadOf(model.EntityID(t.Reader), t.Entity, t.Group) }

// has reports whether a message is of the conversation.
func (t *Thread) has(m *MessageRow) bool {
	if m.Group != t.Group || m.Organization != t.Organization {
		return false
	}
	reader, sender := model.EntityID(t.Reader), model.EntityID(m.Sender)
	return t.Group && m.Recipient == t.Entity ||
		!t.Group && (sender == reader && m.Recipient == t.Entity || sender == t.Entity && m.Recipient == reader)
}

// ThreadEntry is a message of a thread.
type ThreadEntry struct {
	Sort    int64
	Message *MessageRow // nil: it has ended, or is another conversation's. It may be shared, and nobody changes it.
	// Copy is the reader's, where it lies and what its status is. One to one it is the only one,
	// of whichever of both received the message. Nil where there is none.
	Copy *Delivery

	recalled bool
}

// Thread returns up to limit messages of a thread, the newest first unless it says
// otherwise: all of them, whether the reader may see them or not. Those that are known are not
// read again; known may be nil. Fewer than limit are all that there are, unless there is more:
// the content of the next ones is past MostBytes.
func (tx *Tx) Thread(t *Thread, limit int, now time.Time, known Messages) (out []ThreadEntry, more bool, err error) {
	out, ids, err := tx.threadIndex(t, limit)
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
		read, past, err := tx.threadMessages(t, missing)
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
		case e.Message == nil || !e.Message.lasts(now) || !t.has(e.Message):
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

// threadPiece is how many messages of a thread are read together where all of them have too
// much content.
const threadPiece = 8

// threadMessages reads messages of a thread, in their order, and returns the first that is past
// MostBytes, or none.
func (tx *Tx) threadMessages(t *Thread, ids []model.MessageID) (read map[model.MessageID]*MessageRow,
	past model.MessageID, err error) {
	bytes, together := 0, ids
	for len(ids) > 0 {
		together = together[:min(len(together), len(ids))]
		rows, whole, err := tx.someMessages(t, ids[:len(together)])
		if err != nil {
			return nil, past, err
		}
		if !whole && len(together) > threadPiece { // which of them were left out is chance
			together = ids[:threadPiece]
			continue
		}
		if read == nil {
			read = make(map[model.MessageID]*MessageRow, len(rows))
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

// someMessages reads those of the messages that exist, and reports whether these are all of
// them: a piece is read whole, and of more no more than MostBytes.
func (tx *Tx) someMessages(t *Thread, ids []model.MessageID) (rows []MessageRow, whole bool, err error) {
	var l messageList
	bytes, whole := 0, true
	err = tx.Query(`SELECT `+messageColumns+` FROM messages m WHERE m.organization_number = ? AND m.message IN (?*)`,
		[]any{tx.Numbered(t.Organization), ids}, func(row Row) error {
			if t.MostBytes > 0 && bytes > t.MostBytes && len(ids) > threadPiece {
				whole = false
				return nil
			}
			err := l.add(row)
			bytes += len(l.rows[len(l.rows)-1].Sealed)
			return err
		})
	rows, err = l.named(tx, err)
	return rows, whole, err
}

// The parts of threadIndex's statements. One to one, a message has one copy, and whose it is
// the message tells.
const (
	threadCopies = `SELECT m.message, m.sort, m.recalled, COALESCE(d.status, -1), COALESCE(d.status_time, 0),
		COALESCE(d.position, 0) FROM messages m
		LEFT JOIN deliveries d ON d.organization_number = m.organization_number AND d.message = m.message`
	threadOwnCopies = threadCopies + ` AND d.account = ?`
	threadNewest    = ` WHERE m.organization_number = ? AND m.thread = ? AND m.sort > ? AND m.sort < ?
		ORDER BY m.sort DESC LIMIT ? + 0`
	threadOldest = ` WHERE m.organization_number = ? AND m.thread = ? AND m.sort > ? AND m.sort < ?
		ORDER BY m.sort LIMIT ? + 0`
)

// threadIndex reads the entries of the index, with the copies, and no message itself.
func (tx *Tx) threadIndex(t *Thread, limit int) ([]ThreadEntry, []model.MessageID, error) {
	args := []any{tx.Numbered(t.Organization), t.thread(), t.After, t.Before, limit}
	own := append([]any{t.Reader}, args...)
	switch {
	case t.Group && t.OldestFirst:
		return tx.threadPart(threadOwnCopies+threadOldest, own, limit)
	case t.Group:
		return tx.threadPart(threadOwnCopies+threadNewest, own, limit)
	case t.OldestFirst:
		return tx.threadPart(threadCopies+threadOldest, args, limit)
	default:
		return tx.threadPart(threadCopies+threadNewest, args, limit)
	}
}

func (tx *Tx) threadPart(query string, args []any, limit int) ([]ThreadEntry, []model.MessageID, error) {
	var e ThreadEntry
	var d Delivery
	var status int
	var at int64
	dest := []any{&d.Message, &e.Sort, &e.recalled, &status, &at, &d.Position}
	deliveries := make([]Delivery, 0, limit)
	out, ids := make([]ThreadEntry, 0, limit), make([]model.MessageID, 0, limit)
	err := tx.Query(query, args, func(row Row) error {
		if err := row.Scan(dest...); err != nil {
			return err
		}
		e.Copy = nil
		if status >= 0 {
			d.Status, d.StatusTime = model.Status(status), FromMillis(at)
			deliveries = append(deliveries, d)
			e.Copy = &deliveries[len(deliveries)-1]
		}
		out, ids = append(out, e), append(ids, d.Message)
		return nil
	})
	return out, ids, err
}

// UnreadInThread returns the copies of a thread that the reader has not read, the newest
// first, and of each the sort, up to limit of them. It looks at those whose message has
// ended, and is not swept yet, too.
func (tx *Tx) UnreadInThread(t *Thread, limit int) (ids []model.MessageID, sorts []int64, err error) {
	err = tx.Query(`SELECT m.message, m.sort FROM messages m CROSS JOIN deliveries d
		WHERE m.organization_number = ? AND m.thread = ? AND m.sort > ? AND m.sort < ? AND m.recalled = 0
		AND d.organization_number = m.organization_number AND d.message = m.message AND d.account = ? AND d.status < ?
		ORDER BY m.sort DESC LIMIT ? + 0`,
		[]any{tx.Numbered(t.Organization), t.thread(), t.After, t.Before, t.Reader, int(model.Read), limit},
		func(row Row) error {
			var id model.MessageID
			var sort int64
			err := row.Scan(&id, &sort)
			ids, sorts = append(ids, id), append(sorts, sort)
			return err
		})
	return ids, sorts, err
}

// LeastStatuses is LeastStatus for several messages of an organization.
func (tx *Tx) LeastStatuses(organization model.OrganizationID, messages []model.MessageID) (
	map[model.MessageID]model.Status, error) {
	out := make(map[model.MessageID]model.Status, len(messages))
	err := tx.Query(`SELECT message, MIN(status) FROM deliveries
		WHERE organization_number = ? AND message IN (?*) AND replayed = 0 GROUP BY message`,
		[]any{tx.Numbered(organization), messages}, func(row Row) error {
			var id model.MessageID
			var status int
			err := row.Scan(&id, &status)
			out[id] = model.Status(status)
			return err
		})
	return out, err
}

// FindPart limits a thread of a group to the part of it that may be the reader's. Nothing is,
// where it never was a member.
func (tx *Tx) FindPart(t *Thread) error {
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

// ConversationCursor is an entry in the list of an account's conversations, after which a page begins.
type ConversationCursor struct {
	LastSort     int64
	Organization model.OrganizationID
	Entity       model.EntityID
}

// Conversations returns up to limit conversations of an account in some organizations that
// come after a place, those with the newest last message first: those of its roster, and
// groups of which it keeps messages although it has left them or they were deleted. The
// counters are those of Roster.
func (tx *Tx) Conversations(account model.AccountID, organizations []model.OrganizationID, after ConversationCursor,
	limit int) (out []Conversation, err error) {
	of := []any{account, organizations}
	from := []any{after.LastSort, after.LastSort, after.Organization, after.Entity, limit}
	// Each has its own limit: SQLite sorts all of what is united.
	for _, part := range []string{listedConversations, groupConversations, formerConversations} {
		args := slices.Concat(of, from)
		switch part {
		case listedConversations:
			args = slices.Concat([]any{account}, args)
		case formerConversations:
			args = slices.Concat(of, args)
		}
		err := tx.Query(part, args, func(row Row) error {
			var c Conversation
			err := scanConversation(&c, row)
			out = append(out, c)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b Conversation) int {
		return cmp.Or(cmp.Compare(b.LastSort, a.LastSort), cmp.Compare(b.Organization, a.Organization),
			slices.Compare(b.Entity[:], a.Entity[:]))
	})
	return out[:min(len(out), limit)], nil
}

// The parts of Conversations.
const (
	// What is sorted are keys, because SQLite keeps a whole row for each that may be on the page.
	listedConversations = ownConversations + ` WHERE account = ? AND (organization, entity) IN (
		SELECT organization, entity FROM conversations WHERE account = ? AND organization IN (?*) AND listed = 1 AND` +
		afterCursor + `)`
	groupConversations = conversationsAmong + memberConversations +
		` WHERE p.account = ? AND p.organization IN (?*)) AS listing WHERE` + afterCursor
	formerConversations = conversationsAmong + pastConversations + `) AS listing WHERE` + afterCursor
	conversationsAmong  = `SELECT organization, entity, is_group, last_message, unread, unread_priority, cleared, listed,
		last_sort, floor, past, name FROM (`
	afterCursor = ` (last_sort < ? OR last_sort = ? AND (organization, entity) < (?, ?))
		ORDER BY last_sort DESC, organization DESC, entity DESC LIMIT ? + 0`
)
