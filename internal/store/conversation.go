package store

import (
	"slices"
	"time"

	"signet/internal/model"
)

// Conversation is an entry of an account's roster, with its counters. That of a group
// lies with the group (group_conversation.go).
type Conversation struct {
	Organization   model.OrganizationID
	Entity         model.EntityID
	Group          bool
	LastMessage    time.Time // zero: none yet
	Unread         int
	UnreadPriority int
	Cleared        int64  // position up to which the account removed the conversation
	Listed         bool   // shown in the roster
	LastSort       int64  // of the last message, there still or not; 0: none yet
	Floor          int64  // no message that the account may see has a sort up to it
	Past           bool   // of a group that the account has left, or that was deleted
	Name           string // of the past group, as it was then
}

// NoteSent puts the recipient of a one-to-one message into the sender's roster, at the
// message's time. Of messages that share a transaction the later one may be noted first.
func (tx *Tx) NoteSent(m *MessageRow) error {
	return tx.Post(
		`INSERT INTO conversations (account, organization, entity, last_message, last_sort, unread, unread_priority, cleared,
			listed)
		VALUES (?, ?, ?, ?, ?, 0, 0, 0, 1)
		ON CONFLICT (account, organization, entity) DO UPDATE SET `+later+`, listed = 1`,
		&m.Sender, &m.Organization, &m.Recipient, Millis(m.Created), &m.Sort)
}

// later keeps the last message of a conversation, or takes the one that is given where that is later.
const later = `last_message = CASE WHEN conversations.last_message > excluded.last_message
	THEN conversations.last_message ELSE excluded.last_message END,
	last_sort = CASE WHEN conversations.last_sort > excluded.last_sort THEN conversations.last_sort
	ELSE excluded.last_sort END`

// NoteReceived puts the sender of a one-to-one message into the recipient's roster, and
// counts it unread there.
func (tx *Tx) NoteReceived(m *MessageRow, account model.AccountID) error {
	return tx.Post(
		`INSERT INTO conversations (account, organization, entity, last_message, last_sort, unread, unread_priority, cleared,
			listed)
		VALUES (?, ?, ?, ?, ?, 1, ?, 0, 1)
		ON CONFLICT (account, organization, entity) DO UPDATE SET `+later+`, unread = conversations.unread + 1,
		unread_priority = conversations.unread_priority + excluded.unread_priority, listed = 1`,
		account, &m.Organization, &m.Sender, Millis(m.Created), &m.Sort, m.important())
}

// NoteRead counts one message less in the conversation of an account that has
// just read it, unless the account removed the conversation since.
func (tx *Tx) NoteRead(m *MessageRow, d *Delivery) error {
	if m.Group {
		return tx.noteReadInGroup(m, d)
	}
	return tx.Post(`UPDATE conversations SET unread = unread - 1, unread_priority = unread_priority - ?
		WHERE account = ? AND organization = ? AND entity = ? AND cleared < ?`,
		m.important(), d.Account, m.Organization, m.Sender, d.Position)
}

// NoteEnded counts a message that was recalled, or has ended, one less with those of the
// accounts that have not read it. It comes before their copies are deleted.
func (tx *Tx) NoteEnded(m *MessageRow, accounts []model.AccountID) error {
	if len(accounts) == 0 {
		return nil
	}
	if m.Group {
		return tx.noteEndedInGroup(m, accounts)
	}
	return tx.Post(`UPDATE conversations SET unread = unread - 1, unread_priority = unread_priority - ?
		WHERE account = ? AND organization = ? AND entity = ?
		AND EXISTS (SELECT 1 FROM deliveries d WHERE d.organization_number = ? AND d.message = ? AND d.account = ?
			AND d.status < ? AND d.position > conversations.cleared)`,
		m.important(), m.Recipient, m.Organization, m.Sender, tx.Numbered(m.Organization), m.ID, m.Recipient, int(model.Read))
}

// ListConversation puts an account into another one's roster, if it is not there.
func (tx *Tx) ListConversation(account model.AccountID, organization model.OrganizationID,
	entity model.EntityID) error {
	return tx.Post(
		`INSERT INTO conversations (account, organization, entity, last_message, last_sort, unread, unread_priority, cleared,
			listed)
		VALUES (?, ?, ?, 0, 0, 0, 0, 0, 1) ON CONFLICT (account, organization, entity) DO UPDATE SET listed = 1`,
		account, organization, entity)
}

// ClearConversation takes an entity out of the roster of an account: nothing up to the
// position counts or is seen any more. Of a group, whose entry lies with it, only that is kept.
func (tx *Tx) ClearConversation(account model.AccountID, organization model.OrganizationID, entity model.EntityID,
	position int64) error {
	return tx.Post(
		`INSERT INTO conversations (account, organization, entity, last_message, last_sort, unread, unread_priority, cleared,
			listed)
		VALUES (?, ?, ?, 0, 0, 0, 0, ?, 0)
		ON CONFLICT (account, organization, entity) DO UPDATE SET unread = 0, unread_priority = 0, listed = 0,
		last_message = 0, last_sort = 0, cleared = excluded.cleared`, account, organization, entity, position)
}

// ClearOrganization does the same for all that an account has in an organization, whose
// groups it has left.
func (tx *Tx) ClearOrganization(account model.AccountID, organization model.OrganizationID, position int64) error {
	if err := tx.deletePastMember(account, organization); err != nil {
		return err
	}
	return tx.Post(`UPDATE conversations SET unread = 0, unread_priority = 0, listed = 0, last_message = 0,
		last_sort = 0, cleared = ?
		WHERE account = ? AND organization = ?`, position, account, organization)
}

// ownConversations are the columns of a Conversation with an account.
const ownConversations = `SELECT organization, entity, 0, last_message, unread, unread_priority, cleared, listed,
	last_sort, cleared, 0, '' FROM conversations`

// Conversation returns one entry for another account, listed or not.
func (tx *Tx) Conversation(account model.AccountID, organization model.OrganizationID,
	entity model.EntityID) (Conversation, bool, error) {
	return First(tx, ownConversations+` WHERE account = ? AND organization = ? AND entity = ?`,
		[]any{account, organization, entity}, scanConversation)
}

// ConversationsWith returns the entries for other accounts, listed or not.
func (tx *Tx) ConversationsWith(account model.AccountID, organizations []model.OrganizationID,
	entities []model.EntityID) ([]Conversation, error) {
	return List(tx, ownConversations+`
		WHERE account = ? AND organization IN (?*) AND entity IN (?*)`, []any{account, organizations, entities},
		scanConversation)
}

// Roster returns the listed conversations of an account, the newest first. Its
// counters are those of the rows: the caller takes off UnsweptUnread.
func (tx *Tx) Roster(account model.AccountID) ([]Conversation, error) {
	return List(tx, ownConversations+`
		WHERE account = ? AND listed = 1 AND `+OfStanding+`conversations.organization))
		UNION ALL `+memberConversations+` WHERE p.account = ? ORDER BY 4 DESC, 2`,
		[]any{account, account}, scanConversation)
}

// unswept are the copies that an account has not read, of messages that have ended and
// are not swept yet, in conversations that it did not remove. Such messages are few, and
// are to be looked at first, by the index of their ends alone (e): it says whose they are, and most
// are not the account's. CROSS JOIN makes SQLite go on in this order, and PostgreSQL cannot begin
// with copies, because which message and account they are of is said by way of the message, nor
// with an organization's, because its number is joined by an outer join.
const unswept = ` FROM messages e CROSS JOIN deliveries d CROSS JOIN messages m
	LEFT JOIN organization_numbers n ON n.number = m.organization_number
	LEFT JOIN conversations c ON m.is_group = 0 AND c.account = d.account AND c.organization = n.organization
	AND c.entity = m.sender
	LEFT JOIN group_members p ON m.is_group = 1 AND p.group_token = m.recipient AND p.account = d.account
	LEFT JOIN groups g ON g.group_token = p.group_token AND g.deleted = 0
	WHERE e.ends <= ?
	AND (e.recipient = ? OR e.recipient IN (SELECT x.group_token FROM group_members x WHERE x.account = ?))
	AND d.organization_number = e.organization_number AND d.message = CASE WHEN e.ends > 0 THEN e.message END
	AND d.account = CASE WHEN e.ends > 0 THEN ? END AND d.status < ?
	AND m.organization_number = CASE WHEN e.ends > 0 THEN d.organization_number END
	AND m.message = CASE WHEN e.ends > 0 THEN d.message END AND m.recalled + 0 = 0 AND ` + OfStanding + `n.organization))
	AND CASE d.replayed WHEN 1 THEN d.position ELSE m.sort END >
		COALESCE(c.cleared, CASE WHEN g.deleted = 0 THEN p.joined END)`

// unsweptArgs are the arguments of unswept.
func unsweptArgs(account model.AccountID, now time.Time) []any {
	return []any{Millis(now), account, account, account, int(model.Read)}
}

// UnsweptUnread returns, for each conversation of an account, how much its
// counters hold of messages that have ended and are not swept yet.
func (tx *Tx) UnsweptUnread(account model.AccountID, now time.Time) ([]Conversation, error) {
	return List(tx, `SELECT COALESCE(c.organization, p.organization), COALESCE(c.entity, p.group_token), m.is_group, 0,
		COUNT(*), COALESCE(SUM(CASE WHEN m.priority > 0 THEN 1 ELSE 0 END), 0), 0, 1, 0, 0, 0, ''`+unswept+`
		GROUP BY 1, 2, 3`, unsweptArgs(account, now), scanConversation)
}

func scanConversation(c *Conversation, row Row) error {
	var last int64
	if err := row.Scan(&c.Organization, &c.Entity, &c.Group, &last, &c.Unread, &c.UnreadPriority, &c.Cleared,
		&c.Listed, &c.LastSort, &c.Floor, &c.Past, &c.Name); err != nil {
		return err
	}
	c.LastMessage = FromMillis(last)
	return nil
}

// important is what the message adds to a count of urgent ones.
func (m *MessageRow) important() int {
	if m.Priority > 0 {
		return 1
	}
	return 0
}

// Unread counts what an account received and did not read, in one organization or,
// where it is empty, in all: the counters of its conversations, less what they hold of
// messages that have ended and are not swept yet (UnsweptUnread).
func (tx *Tx) Unread(account model.AccountID, organization model.OrganizationID, now time.Time) (messages, priority int,
	err error) {
	// A row for each kind, because SQLite makes a table of what it sums. PostgreSQL
	// sums BIGINT to NUMERIC, which is no integer to scan.
	err = tx.Query(`SELECT CAST(COALESCE(SUM(unread), 0) AS BIGINT), CAST(COALESCE(SUM(unread_priority), 0) AS BIGINT)
		FROM conversations c WHERE account = ? AND (organization = ? OR ? = '') AND `+OfStanding+`c.organization))
		UNION ALL SELECT CAST(COALESCE(SUM(g.sent - p.seen), 0) AS BIGINT),
		CAST(COALESCE(SUM(g.sent_priority - p.seen_priority), 0) AS BIGINT)
		FROM group_members p JOIN groups g ON g.group_token = p.group_token AND g.deleted = 0
		WHERE p.account = ? AND (p.organization = ? OR ? = '') AND `+OfStanding+`p.organization))
		UNION ALL SELECT -COUNT(*), -COALESCE(SUM(CASE WHEN m.priority > 0 THEN 1 ELSE 0 END), 0)`+unswept+`
		AND (m.organization_number = ? OR ? = '')`,
		slices.Concat([]any{account, organization, organization, account, organization, organization},
			unsweptArgs(account, now), []any{tx.Numbered(organization), organization}),
		func(row Row) error {
			var some, important int
			err := row.Scan(&some, &important)
			messages, priority = messages+some, priority+important
			return err
		})
	return messages, priority, err
}

// Mutual is an account that another one has in its roster, and that has it in its own.
type Mutual struct {
	Account      model.AccountID
	Organization model.OrganizationID // in which they have each other
}

// MutualRoster lists the accounts that are in an account's roster and have it in
// theirs, in their order, with each organization where that is so.
func (tx *Tx) MutualRoster(account model.AccountID) ([]Mutual, error) {
	return List(tx, `SELECT theirs.account, theirs.organization FROM conversations mine
		JOIN conversations theirs ON theirs.account = mine.entity AND theirs.organization = mine.organization
		AND theirs.entity = mine.account
		WHERE mine.account = ? AND mine.listed = 1 AND theirs.listed = 1 AND theirs.account <> mine.account
		AND `+OfStanding+`mine.organization))
		ORDER BY theirs.account, theirs.organization`,
		[]any{account}, func(m *Mutual, row Row) error { return row.Scan(&m.Account, &m.Organization) })
}
