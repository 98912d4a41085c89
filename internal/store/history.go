package store

import (
	"time"

	"signet/internal/model"
)

// What was sent to a group before a member came is queued with it in pieces, by those
// messages' order. What is sent meanwhile comes behind that: such a message has the
// member's copy at once, and its event when its turn has come.

// HistoryStart returns the sort after which a member that enters a group now gets its
// earlier messages: of those sent while the history was on and not over, the newest, at
// most limit. It is 0 where there are none.
func (tx *Tx) HistoryStart(group model.GroupID, now time.Time, limit int) (after int64, messages int, err error) {
	_, err = tx.One(`SELECT COALESCE(MIN(sort), 1) - 1, COUNT(*) FROM (SELECT sort FROM messages WHERE recipient = ?
		AND replay > 0 AND replay = 1 AND recalled = 0 AND ends > ? ORDER BY sort DESC LIMIT ? + 0) newest`,
		[]any{group, millis(now), limit}, &after, &messages)
	return after, messages, err
}

// LockHistory keeps the messages of a group that were sent after a sort as they are.
func (tx *Tx) LockHistory(group model.GroupID, after int64) error {
	return tx.lock(`SELECT 1 FROM messages WHERE recipient = ? AND replay > 0 AND sort > ? ORDER BY message `+
		tx.dialect.Lock, group, after)
}

// Replay queues the next of a group's messages with members that still get them: about as
// many as there are pairs of a message and a member. It returns those members, none where
// there is nothing more to do, and the pairs. Those that got furthest go first, all that
// are at one place together. The group is locked.
func (tx *Tx) Replay(g *model.Group, now time.Time, pairs int) (members []model.AccountID, done int, err error) {
	if waits, err := tx.hasMessagePieces(g.Organization, g.ID); err != nil || waits {
		return nil, 0, err
	}
	var after int64
	found, err := tx.One(`SELECT history FROM group_members WHERE group_token = ? AND history > 0 ORDER BY history DESC
		LIMIT 1`, []any{g.ID}, &after)
	if err != nil || !found {
		return nil, 0, err
	}
	side := 1 // of a square: it touches the fewest pages
	for (side+1)*(side+1) <= pairs {
		side++
	}
	messages, err := tx.messages(`m.recipient = ? AND m.replay > 0 AND m.recalled = 0 AND m.ends > ? AND m.sort > ?
		ORDER BY m.sort LIMIT ? + 0 `+tx.dialect.Lock, g.ID, millis(now), after, side)
	if err != nil {
		return nil, 0, err
	}
	members, err = Column[model.AccountID](tx, `SELECT account FROM group_members WHERE group_token = ? AND history = ?
		ORDER BY account LIMIT ? + 0`, g.ID, after, max(pairs/max(len(messages), 1), 1))
	if err != nil {
		return nil, 0, err
	}
	next := int64(0)
	if len(messages) > 0 {
		position, err := tx.Position(len(messages), members...)
		if err != nil {
			return nil, 0, err
		}
		for i := range messages {
			if err := tx.replayMessage(&messages[i], members, position+int64(i)); err != nil {
				return nil, 0, err
			}
		}
		if err := tx.countReplayed(g.ID, messages, members, position); err != nil {
			return nil, 0, err
		}
		if len(messages) == side {
			next = messages[side-1].Sort
		}
	}
	err = tx.Post(`UPDATE group_members SET history = ? WHERE group_token = ? AND account IN (?*)`, next, g.ID, members)
	return members, len(messages) * len(members), err
}

// replayMessage queues a message with members at a position. Those that never had it get a
// copy. Those to which it was sent, after they had come, have one.
func (tx *Tx) replayMessage(m *MessageRow, members []model.AccountID, position int64) error {
	number := tx.existing(m.Organization)
	err := tx.Post(`UPDATE deliveries SET position = ? WHERE organization_number = ? AND message = ? AND account IN (?*)
		AND replayed = 0 AND position > (SELECT joined FROM group_members p WHERE p.group_token = ?
			AND p.account = deliveries.account)`, position, number, m.ID, members, m.Recipient)
	if err != nil {
		return err
	}
	if m.Replay {
		err := tx.Post(`INSERT INTO deliveries
			(organization_number, message, account, position, replayed, status, status_time, status_event)
			SELECT ?, ?, account, ?, 1, 0, ?, 0 FROM group_members WHERE group_token = ? AND account IN (?*) AND account <> ?
			AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.organization_number = ? AND d.message = ?
				AND d.account = group_members.account)`,
			number, m.ID, position, millis(m.Created), m.Recipient, members, m.Sender, number, m.ID)
		if err != nil {
			return err
		}
	}
	return tx.queueCopies(m, members, position)
}

// queueCopies queues a group's message with those of the accounts that have a copy at a
// position.
func (tx *Tx) queueCopies(m *MessageRow, accounts []model.AccountID, position int64) error {
	number := tx.existing(m.Organization)
	return tx.Post(`INSERT INTO events (account, position, organization_number, kind, message, payload, status)
		SELECT account, position, organization_number, ?, message, '', status FROM deliveries
		WHERE organization_number = ? AND message = ? AND account IN (?*) AND position = ?`,
		kindNumber(model.EventGroupMessage), number, m.ID, accounts, position)
}

// countReplayed counts what members got from a position on, of what was sent before they
// came, as unread.
func (tx *Tx) countReplayed(group model.GroupID, messages []MessageRow, members []model.AccountID,
	position int64) error {
	ids := make([]model.MessageID, len(messages))
	for i := range messages {
		ids[i] = messages[i].ID
	}
	type count struct {
		account       model.AccountID
		got, priority int
		last, sort    int64
	}
	counts, err := List(tx, `SELECT d.account, COUNT(*), COALESCE(SUM(CASE WHEN m.priority > 0 THEN 1 ELSE 0 END), 0),
		MAX(m.created), MAX(m.sort)
		FROM messages m CROSS JOIN deliveries d WHERE m.organization_number = ? AND m.message IN (?*)
		AND d.organization_number = m.organization_number AND d.message = m.message AND d.account IN (?*)
		AND d.replayed = 1 AND d.position >= ? GROUP BY d.account`,
		[]any{tx.existing(messages[0].Organization), ids, members, position}, func(c *count, row Row) error {
			return row.Scan(&c.account, &c.got, &c.priority, &c.last, &c.sort)
		})
	if err != nil {
		return err
	}
	for _, c := range counts {
		if err := tx.Post(`UPDATE group_members SET last_message = CASE WHEN last_message > ? THEN last_message ELSE ? END,
			last_sort = CASE WHEN last_sort > ? THEN last_sort ELSE ? END,
			seen = seen - ?, seen_priority = seen_priority - ? WHERE group_token = ? AND account = ?`,
			c.last, c.last, c.sort, c.sort, c.got, c.priority, group, c.account); err != nil {
			return err
		}
	}
	return nil
}

// QueueLate queues a group's message at a position with those of the accounts that have a
// copy, are in the organization still and have not removed the conversation since. Members
// that wait for earlier messages get it in its turn.
func (tx *Tx) QueueLate(m *MessageRow, accounts []model.AccountID, position int64) error {
	err := tx.Post(`UPDATE deliveries SET position = ? WHERE organization_number = ? AND message = ? AND account IN (?*)
		AND EXISTS (SELECT 1 FROM memberships s WHERE s.organization = ? AND s.account = deliveries.account
			AND s.since < deliveries.position)
		AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.account = deliveries.account AND c.organization = ?
			AND c.entity = ? AND c.cleared >= deliveries.position)
		AND NOT EXISTS (SELECT 1 FROM group_members p WHERE p.group_token = ? AND p.account = deliveries.account
			AND p.history > 0 AND p.joined < deliveries.position)`,
		position, tx.existing(m.Organization), m.ID, accounts, m.Organization, m.Organization, m.Recipient, m.Recipient)
	if err != nil {
		return err
	}
	return tx.queueCopies(m, accounts, position)
}
