package store

import "signet/internal/model"

// What rosters say of a group lies with the group: where each member had a row of its own,
// a message changed one for every member, in a page of its own. The group counts what was
// sent to it; a member counts how many of these are not unread with it: what came before it,
// what it sent itself, what it read and what ended. So a message counts in the group's row
// and the sender's, however many members there are. Members alone have a group in their
// roster, and one that was deleted nobody has.

// memberConversations are the columns of a Conversation, for members of groups. What
// was sent since the member came is counted by `since`, for positions of different
// queues cannot be compared.
const memberConversations = `SELECT p.organization, p.group_token AS entity, 1 AS is_group, CASE WHEN g.sent > p.since
	THEN g.last_message ELSE p.last_message END AS last_message, g.sent - p.seen AS unread,
	g.sent_priority - p.seen_priority AS unread_priority, p.joined AS cleared, 1 AS listed,
	` + memberLastSort + ` AS last_sort, p.floor, 0 AS past, '' AS name FROM group_members p
	JOIN groups g ON g.group_token = p.group_token AND g.deleted = 0 AND ` + OfStanding + `g.organization))`

// pastConversations are those of groups that an account has left, and of deleted ones.
const pastConversations = `SELECT q.organization, q.group_token AS entity, 1 AS is_group, q.last_message, 0 AS unread,
	0 AS unread_priority, 0 AS cleared, 0 AS listed, q.last_sort, q.floor, 1 AS past, q.name
	FROM past_members q WHERE q.account = ? AND q.organization IN (?*) AND q.last_sort > q.floor
	AND NOT EXISTS (SELECT 1 FROM group_members p WHERE p.group_token = q.group_token AND p.account = q.account)
	UNION ALL SELECT p.organization, p.group_token, 1, g.last_message, 0, 0, 0, 0, ` + memberLastSort + `, p.floor, 1, g.name
	FROM group_members p JOIN groups g ON g.group_token = p.group_token AND g.deleted = 1
	WHERE p.account = ? AND p.organization IN (?*) AND ` + memberLastSort + ` > p.floor`

const memberLastSort = `CASE WHEN g.sent > p.since THEN g.last_sort ELSE p.last_sort END`

// NoteSentToGroup puts a group's message into the rosters of all of its members, and
// counts it unread with all but the sender. Of messages that share a transaction the later one may be noted first.
func (tx *Tx) NoteSentToGroup(m *MessageRow) error {
	if err := tx.Post(
		`UPDATE groups SET sent = sent + 1, sent_priority = sent_priority + ?,
			last_message = CASE WHEN last_message > ? THEN last_message ELSE ? END,
			last_sort = CASE WHEN last_sort > ? THEN last_sort ELSE ? END WHERE group_token = ?`,
		m.important(), Millis(m.Created), Millis(m.Created), m.Sort, m.Sort, m.Recipient); err != nil {
		return err
	}
	return tx.Post(
		`UPDATE group_members SET seen = seen + 1, seen_priority = seen_priority + ? WHERE group_token = ? AND account = ?`,
		m.important(), m.Recipient, m.Sender)
}

// noteReadInGroup is NoteRead for a group's message. What a member had of the group when
// it was in it before does not count any more.
func (tx *Tx) noteReadInGroup(m *MessageRow, d *Delivery) error {
	counted := m.Sort // its event may have been queued later than that
	if d.Replayed {
		counted = d.Position
	}
	return tx.Post(`UPDATE group_members SET seen = seen + 1, seen_priority = seen_priority + ?
		WHERE group_token = ? AND account = ? AND joined < ?`, m.important(), m.Recipient, d.Account, counted)
}

// noteEndedInGroup is NoteEnded for a group's message. Most have read it, and nobody waits for their rows.
func (tx *Tx) noteEndedInGroup(m *MessageRow, accounts []model.AccountID) error {
	const unread = ` WHERE group_token = ? AND account IN (?*) AND EXISTS (SELECT 1 FROM deliveries d
		WHERE d.organization_number = ? AND d.message = ? AND d.account = group_members.account AND d.status < ?
		AND CASE d.replayed WHEN 1 THEN d.position ELSE ? END > group_members.joined)`
	args := []any{m.Recipient, accounts, tx.Numbered(m.Organization), m.ID, int(model.Read), m.Sort}
	// In one order, so that transactions that lock several of the rows do not wait for each other.
	if err := tx.lock(`SELECT 1 FROM group_members`+unread+` ORDER BY account `+tx.dialect.Lock, args...); err != nil {
		return err
	}
	return tx.Post(`UPDATE group_members SET seen = seen + 1, seen_priority = seen_priority + ?`+unread,
		append([]any{m.important()}, args...)...)
}

// GroupConversation returns what a member's roster says of a group.
func (tx *Tx) GroupConversation(account model.AccountID, group model.GroupID) (Conversation, bool, error) {
	return First(tx, memberConversations+` WHERE p.group_token = ? AND p.account = ?`, []any{group, account},
		scanConversation)
}

// PastConversation returns what an account keeps of a group that it has left, or that was deleted.
func (tx *Tx) PastConversation(account model.AccountID, organization model.OrganizationID,
	group model.GroupID) (Conversation, bool, error) {
	of := []model.OrganizationID{organization}
	return First(tx, conversationsAmong+pastConversations+`) AS listing WHERE entity = ?`,
		[]any{account, of, account, of, group}, scanConversation)
}
