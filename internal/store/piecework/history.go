package piecework

import (
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// What was sent to a group before a member came is queued with it in pieces, by those
// messages' order. What is sent meanwhile comes behind that: such a message has the
// member's copy at once, and its event when its turn has come. Until then the copy has the position at
// which the message was sent: what was queued already, at another one, is not queued again.

// HistoryStart returns the sort after which a member that enters a group now gets its
// earlier messages: of those sent while the history was on and not over, the newest, at
// most limit. It is 0 where there are none.
func HistoryStart(tx *store.Tx, group model.GroupID, now time.Time, limit int) (after int64, messages int, err error) {
	_, err = tx.One(`SELECT COALESCE(MIN(sort), 1) - 1, COUNT(*) FROM (SELECT sort FROM messages WHERE recipient = ?
		AND replay > 0 AND replay = 1 AND recalled = 0 AND ends > ? ORDER BY sort DESC LIMIT ? + 0) newest`,
		[]any{group, store.Millis(now), limit}, &after, &messages)
	return after, messages, err
}

// LockHistory keeps the messages of a group that were sent after a sort as they are.
func LockHistory(tx *store.Tx, group model.GroupID, after int64) error {
	if !tx.Locks() {
		return nil
	}
	return tx.Post(`SELECT 1 FROM messages WHERE recipient = ? AND replay > 0 AND sort > ? ORDER BY message `+
		tx.Lock(), group, after)
}

// Replay queues the next of a group's messages with members that still get them: about as
// many as there are pairs of a message and a member. It returns those members, none where
// there is nothing more to do, and the pairs. Those that got furthest go first, all that
// are at one place together. The group is locked.
func Replay(tx *store.Tx, g *model.Group, now time.Time, pairs int) (members []model.AccountID, done int, err error) {
	if waits, err := hasMessagePieces(tx, g.Organization, g.ID); err != nil || waits {
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
	messages, err := tx.SelectMessages(`m.recipient = ? AND m.replay > 0 AND m.recalled = 0 AND m.ends > ? AND m.sort > ?
		ORDER BY m.sort LIMIT ? + 0 `+tx.Lock(), g.ID, store.Millis(now), after, side)
	if err != nil {
		return nil, 0, err
	}
	members, err = store.Column[model.AccountID](tx, `SELECT account FROM group_members WHERE group_token = ? AND history = ?
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
			if err := replayMessage(tx, &messages[i], members, position+int64(i)); err != nil {
				return nil, 0, err
			}
		}
		if err := countReplayed(tx, g.ID, messages, members, position); err != nil {
			return nil, 0, err
		}
		if len(messages) == side {
			next = messages[side-1].Sort
		}
	}
	err = tx.Post(`UPDATE group_members SET history = ? WHERE group_token = ? AND account IN (?*)`, next, g.ID, members)
	return members, len(messages) * len(members), err
}

// moveWaiting moves the copies of members that wait for history, of what was sent to them since they came, to a
// position.
func moveWaiting(tx *store.Tx, m *store.MessageRow, members []model.AccountID, position int64) error {
	return tx.Post(`UPDATE deliveries SET position = ? WHERE organization_number = ? AND message = ? AND account IN (?*)
		AND replayed = 0 AND position = ? AND EXISTS (SELECT 1 FROM group_members p WHERE p.group_token = ?
			AND p.account = deliveries.account AND p.history > 0 AND p.joined < deliveries.position)`,
		position, tx.Existing(m.Organization), m.ID, members, m.Sort, m.Recipient)
}

// QueueWaiting queues with members that leave a group what was sent to them while they waited for its history:
// that ends with their leaving.
func QueueWaiting(tx *store.Tx, g *model.Group, members []model.AccountID, now time.Time) error {
	var after int64
	waits, err := tx.One(`SELECT history FROM group_members WHERE group_token = ? AND account IN (?*) AND history > 0
		ORDER BY history LIMIT 1`, []any{g.ID, members}, &after)
	if err != nil || !waits {
		return err
	}
	messages, err := tx.SelectMessages(`m.recipient = ? AND m.replay > 0 AND m.recalled = 0 AND m.ends > ? AND m.sort > ?
		AND EXISTS (SELECT 1 FROM deliveries d WHERE d.organization_number = m.organization_number
			AND d.message = m.message AND d.account IN (?*) AND d.replayed = 0 AND d.position = m.sort)
		ORDER BY m.sort`, g.ID, store.Millis(now), after, members)
	if err != nil || len(messages) == 0 {
		return err
	}
	position, err := tx.Position(len(messages), members...)
	if err != nil {
		return err
	}
	for i := range messages {
		m, position := &messages[i], position+int64(i)
		if err := moveWaiting(tx, m, members, position); err != nil {
			return err
		}
		if err := queueCopies(tx, m, members, position); err != nil {
			return err
		}
	}
	return nil
}

// replayMessage queues a message with members at a position. Those that never had it get a
// copy. Those to which it was sent, after they had come, have one.
func replayMessage(tx *store.Tx, m *store.MessageRow, members []model.AccountID, position int64) error {
	if err := moveWaiting(tx, m, members, position); err != nil {
		return err
	}
	if m.Replay {
		number := tx.Existing(m.Organization)
		err := tx.Post(`INSERT INTO deliveries
			(organization_number, message, account, position, replayed, status, status_time, status_event)
			SELECT ?, ?, account, ?, 1, 0, ?, 0 FROM group_members WHERE group_token = ? AND account IN (?*) AND account <> ?
			AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.organization_number = ? AND d.message = ?
				AND d.account = group_members.account)`,
			number, m.ID, position, store.Millis(m.Created), m.Recipient, members, m.Sender, number, m.ID)
		if err != nil {
			return err
		}
	}
	return queueCopies(tx, m, members, position)
}

// queueCopies queues a group's message with those of the accounts that have a copy at a
// position.
func queueCopies(tx *store.Tx, m *store.MessageRow, accounts []model.AccountID, position int64) error {
	number := tx.Existing(m.Organization)
	return tx.Post(`INSERT INTO events (account, position, organization_number, kind, message, payload, status)
		SELECT account, position, organization_number, ?, message, '', status FROM deliveries
		WHERE organization_number = ? AND message = ? AND account IN (?*) AND position = ?`,
		store.KindNumber(model.EventGroupMessage), number, m.ID, accounts, position)
}

// countReplayed counts what members got from a position on, of what was sent before they
// came, as unread.
func countReplayed(tx *store.Tx, group model.GroupID, messages []store.MessageRow, members []model.AccountID,
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
	counts, err := store.List(tx, `SELECT d.account, COUNT(*), COALESCE(SUM(CASE WHEN m.priority > 0 THEN 1 ELSE 0 END), 0),
		MAX(m.created), MAX(m.sort)
		FROM messages m CROSS JOIN deliveries d WHERE m.organization_number = ? AND m.message IN (?*)
		AND d.organization_number = m.organization_number AND d.message = m.message AND d.account IN (?*)
		AND d.replayed = 1 AND d.position >= ? GROUP BY d.account`,
		[]any{tx.Existing(messages[0].Organization), ids, members, position}, func(c *count, row store.Row) error {
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
func QueueLate(tx *store.Tx, m *store.MessageRow, accounts []model.AccountID, position int64) error {
	err := tx.Post(`UPDATE deliveries SET position = ? WHERE organization_number = ? AND message = ? AND account IN (?*)
		AND position = ? AND EXISTS (SELECT 1 FROM memberships s WHERE s.organization = ?
			AND s.account = deliveries.account AND s.since < deliveries.position)
		AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.account = deliveries.account AND c.organization = ?
			AND c.entity = ? AND c.cleared >= deliveries.position)
		AND NOT EXISTS (SELECT 1 FROM group_members p WHERE p.group_token = ? AND p.account = deliveries.account
			AND p.history > 0 AND p.joined < deliveries.position)`,
		position, tx.Existing(m.Organization), m.ID, accounts, m.Sort, m.Organization, m.Organization, m.Recipient,
		m.Recipient)
	if err != nil {
		return err
	}
	return queueCopies(tx, m, accounts, position)
}
