package store

import (
	"time"

	"signet/internal/model"
)

// Conversation is an entry of an account's roster, with its counters.
type Conversation struct {
	Organization   model.OrganizationID
	Entity         model.EntityID
	Group          bool
	LastMessage    time.Time // zero: none yet
	Unread         int
	UnreadPriority int
	Cleared        int64 // position up to which the account removed the conversation
	Listed         bool  // shown in the roster
}

// NoteSent puts the recipient into the sender's roster, at the message's time.
func (tx *Tx) NoteSent(m *MessageRow) error {
	err := tx.post(`INSERT INTO conversations (account, organization, entity, is_group, last_message, unread, unread_priority, cleared, listed)
		VALUES (?, ?, ?, ?, ?, 0, 0, 0, 1)
		ON CONFLICT (account, organization, entity) DO UPDATE SET last_message = excluded.last_message, listed = 1`,
		m.Sender, m.Organization, m.Recipient, m.Group, millis(m.Created))
	return err
}

// NoteReceived puts the sender of a one-to-one message, or its group, into the
// roster of one recipient, and counts it unread there.
func (tx *Tx) NoteReceived(m *MessageRow, account model.AccountID) error {
	err := tx.post(`INSERT INTO conversations (account, organization, entity, is_group, last_message, unread, unread_priority, cleared, listed)
		VALUES (?, ?, ?, ?, ?, 1, ?, 0, 1)
		ON CONFLICT (account, organization, entity) DO UPDATE SET last_message = CASE WHEN conversations.last_message > excluded.last_message
		THEN conversations.last_message ELSE excluded.last_message END, unread = conversations.unread + 1,
		unread_priority = conversations.unread_priority + excluded.unread_priority, listed = 1`,
		account, m.Organization, m.peer(), m.Group, millis(m.Created), m.important())
	return err
}

// NoteReceivedByGroup does the same for every member of the group but the sender.
func (tx *Tx) NoteReceivedByGroup(m *MessageRow) error {
	err := tx.post(`INSERT INTO conversations (account, organization, entity, is_group, last_message, unread, unread_priority, cleared, listed)
		SELECT account, organization, group_token, 1, ?, 1, ?, 0, 1 FROM group_members WHERE group_token = ? AND account <> ? ORDER BY account
		ON CONFLICT (account, organization, entity) DO UPDATE SET last_message = excluded.last_message, unread = conversations.unread + 1,
		unread_priority = conversations.unread_priority + excluded.unread_priority, listed = 1`,
		millis(m.Created), m.important(), m.Recipient, m.Sender)
	return err
}

// NoteRead counts one message less in the conversation of an account that has
// just read it, unless the account removed the conversation since.
func (tx *Tx) NoteRead(m *MessageRow, d *Delivery) error {
	err := tx.post(`UPDATE conversations SET unread = unread - 1, unread_priority = unread_priority - ?
		WHERE account = ? AND organization = ? AND entity = ? AND cleared < ?`,
		m.important(), d.Account, m.Organization, m.peer(), d.Position)
	return err
}

// NoteEnded counts a message that was recalled, or has ended, one less with all
// who have not read it. It comes before the deliveries are deleted.
func (tx *Tx) NoteEnded(m *MessageRow) error {
	if m.Group {
		if err := tx.lockConversations(m); err != nil {
			return err
		}
	}
	err := tx.post(`UPDATE conversations SET unread = unread - 1, unread_priority = unread_priority - ?
		WHERE organization = ? AND entity = ?
		AND account IN (SELECT account FROM deliveries WHERE organization = ? AND message = ?)
		AND EXISTS (SELECT 1 FROM deliveries d WHERE d.organization = ? AND d.message = ? AND d.account = conversations.account
			AND d.status < ? AND d.position > conversations.cleared)`,
		m.important(), m.Organization, m.peer(), m.Organization, m.ID, m.Organization, m.ID, int(model.Read))
	return err
}

// ListConversation puts an entity into an account's roster, if it is not there.
func (tx *Tx) ListConversation(account model.AccountID, organization model.OrganizationID, entity model.EntityID, group bool) error {
	err := tx.post(`INSERT INTO conversations (account, organization, entity, is_group, last_message, unread, unread_priority, cleared, listed)
		VALUES (?, ?, ?, ?, 0, 0, 0, 0, 1) ON CONFLICT (account, organization, entity) DO UPDATE SET listed = 1`,
		account, organization, entity, group)
	return err
}

// ListGroup puts a group into the rosters of accounts.
func (tx *Tx) ListGroup(g *model.Group, accounts []model.AccountID) error {
	err := tx.post(`INSERT INTO conversations (account, organization, entity, is_group, last_message, unread, unread_priority, cleared, listed)
		SELECT account, organization, group_token, 1, 0, 0, 0, 0, 1 FROM group_members WHERE group_token = ? AND account IN (?*)
		ON CONFLICT (account, organization, entity) DO UPDATE SET listed = 1`, g.ID, accounts)
	return err
}

// ClearConversation takes an entity out of the roster of accounts: nothing up to
// the position counts or, one to one, is seen any more.
func (tx *Tx) ClearConversation(accounts []model.AccountID, organization model.OrganizationID, entity model.EntityID, position int64) error {
	err := tx.post(`UPDATE conversations SET unread = 0, unread_priority = 0, listed = 0, last_message = 0, cleared = ?
		WHERE organization = ? AND entity = ? AND account IN (?*)`, position, organization, entity, accounts)
	return err
}

// ClearOrganization does the same for all that an account has in an organization.
func (tx *Tx) ClearOrganization(account model.AccountID, organization model.OrganizationID, position int64) error {
	err := tx.post(`UPDATE conversations SET unread = 0, unread_priority = 0, listed = 0, last_message = 0, cleared = ?
		WHERE account = ? AND organization = ?`, position, account, organization)
	return err
}

// Conversation returns one entry, listed or not.
func (tx *Tx) Conversation(account model.AccountID, organization model.OrganizationID, entity model.EntityID) (c Conversation, found bool, err error) {
	err = tx.each(`SELECT organization, entity, is_group, last_message, unread, unread_priority, cleared, listed FROM conversations
		WHERE account = ? AND organization = ? AND entity = ?`, []any{account, organization, entity}, func(row Row) error {
		found = true
		return scanConversation(row, &c)
	})
	return c, found, err
}

// Roster returns the listed conversations of an account, the newest first. Its
// counters are those of the rows: the caller takes off UnsweptUnread.
func (tx *Tx) Roster(account model.AccountID) (out []Conversation, err error) {
	err = tx.each(`SELECT organization, entity, is_group, last_message, unread, unread_priority, cleared, listed FROM conversations
		WHERE account = ? AND listed = 1 ORDER BY last_message DESC, entity`, []any{account}, func(row Row) error {
		var c Conversation
		err := scanConversation(row, &c)
		out = append(out, c)
		return err
	})
	return out, err
}

// UnsweptUnread returns, for each conversation of an account, how much its
// counters hold of messages that have ended and are not swept yet. These are few;
// CROSS JOIN has SQLite begin with them.
func (tx *Tx) UnsweptUnread(account model.AccountID, now time.Time) (out []Conversation, err error) {
	err = tx.each(`SELECT c.organization, c.entity, c.is_group, 0, COUNT(*), COALESCE(SUM(CASE WHEN m.priority > 0 THEN 1 ELSE 0 END), 0), 0, 1
		FROM messages m CROSS JOIN deliveries d CROSS JOIN conversations c
		WHERE m.ends <= ? AND m.recalled = 0
		AND d.organization = m.organization AND d.message = m.message AND d.account = ? AND d.status < ?
		AND c.account = d.account AND c.organization = m.organization
		AND c.entity = CASE WHEN m.is_group = 1 THEN m.recipient ELSE m.sender END AND d.position > c.cleared
		GROUP BY c.organization, c.entity, c.is_group`, []any{millis(now), account, int(model.Read)}, func(row Row) error {
		var c Conversation
		err := scanConversation(row, &c)
		out = append(out, c)
		return err
	})
	return out, err
}

func scanConversation(row Row, c *Conversation) error {
	var last int64
	if err := row.Scan(&c.Organization, &c.Entity, &c.Group, &last, &c.Unread, &c.UnreadPriority, &c.Cleared, &c.Listed); err != nil {
		return err
	}
	c.LastMessage = fromMillis(last)
	return nil
}

// peer is the entity under which recipients keep the message's conversation.
func (m *MessageRow) peer() model.EntityID {
	if m.Group {
		return m.Recipient
	}
	return model.EntityID(m.Sender)
}

// important is what the message adds to a count of urgent ones.
func (m *MessageRow) important() int {
	if m.Priority > 0 {
		return 1
	}
	return 0
}

// UnreadTotals sums the counters of an account's conversations, in one
// organization or, where it is empty, in all.
func (tx *Tx) UnreadTotals(account model.AccountID, organization model.OrganizationID) (messages, priority int, err error) {
	// PostgreSQL sums BIGINT to NUMERIC, which is no integer to scan.
	_, err = tx.one(`SELECT CAST(COALESCE(SUM(unread), 0) AS BIGINT), CAST(COALESCE(SUM(unread_priority), 0) AS BIGINT) FROM conversations
		WHERE account = ? AND (organization = ? OR ? = '')`, []any{account, organization, organization}, &messages, &priority)
	return messages, priority, err
}

// MutualRoster lists the accounts that are in an account's roster and have it in
// theirs.
func (tx *Tx) MutualRoster(account model.AccountID) (out []model.AccountID, err error) {
	err = tx.each(`SELECT DISTINCT theirs.account FROM conversations mine
		JOIN conversations theirs ON theirs.account = mine.entity AND theirs.organization = mine.organization AND theirs.entity = mine.account
		WHERE mine.account = ? AND mine.is_group = 0 AND mine.listed = 1 AND theirs.listed = 1 AND theirs.account <> mine.account`,
		[]any{account}, func(row Row) error {
			var id model.AccountID
			err := row.Scan(&id)
			out = append(out, id)
			return err
		})
	return out, err
}
