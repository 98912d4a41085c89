package store

import "signet/internal/model"

// groupConversationSchema puts what a member's roster says of a group beside the
// member. A message to the group then changes rows that lie together, a few pages, where
// it changed a row of each member's own, a page each; who reads its roster finds its
// groups by the index that there is.
//
// Members alone have a group in their roster, so that nothing else is left of such
// rows. Servers of the version before keep them where they were: all are stopped first.
const groupConversationSchema = `
ALTER TABLE group_members ADD COLUMN last_message BIGINT NOT NULL DEFAULT 0;
ALTER TABLE group_members ADD COLUMN unread BIGINT NOT NULL DEFAULT 0;
ALTER TABLE group_members ADD COLUMN unread_priority BIGINT NOT NULL DEFAULT 0;
ALTER TABLE group_members ADD COLUMN cleared BIGINT NOT NULL DEFAULT 0;
ALTER TABLE group_members ADD COLUMN listed INTEGER NOT NULL DEFAULT 0;
UPDATE group_members SET last_message = c.last_message, unread = c.unread, unread_priority = c.unread_priority,
	cleared = c.cleared, listed = c.listed FROM conversations c
	WHERE c.account = group_members.account AND c.organization = group_members.organization AND c.entity = group_members.group_token;
DELETE FROM conversations WHERE is_group = 1;
ALTER TABLE conversations DROP COLUMN is_group;
`

// NoteSentToGroup puts a group's message into the rosters of all of its members, and
// counts it unread with all but the sender.
func (tx *Tx) NoteSentToGroup(m *MessageRow) error {
	// In one order, as those that hold several of the rows otherwise.
	if err := tx.lock(`SELECT 1 FROM group_members WHERE group_token = ? ORDER BY account `+tx.dialect.Lock, m.Recipient); err != nil {
		return err
	}
	return tx.post(`UPDATE group_members SET last_message = ?, unread = unread + CASE WHEN account = ? THEN 0 ELSE 1 END,
		unread_priority = unread_priority + CASE WHEN account = ? THEN 0 ELSE ? END, listed = 1 WHERE group_token = ?`,
		millis(m.Created), m.Sender, m.Sender, m.important(), m.Recipient)
}

// noteReplayed counts an earlier message of a group as unread with one member.
func (tx *Tx) noteReplayed(m *MessageRow, account model.AccountID) error {
	return tx.post(`UPDATE group_members SET last_message = CASE WHEN last_message > ? THEN last_message ELSE ? END,
		unread = unread + 1, unread_priority = unread_priority + ?, listed = 1 WHERE group_token = ? AND account = ?`,
		millis(m.Created), millis(m.Created), m.important(), m.Recipient, account)
}

// noteEndedInGroup is NoteEnded for a group's message.
func (tx *Tx) noteEndedInGroup(m *MessageRow) error {
	if err := tx.lock(`SELECT 1 FROM group_members WHERE group_token = ?
		AND account IN (SELECT account FROM deliveries WHERE organization = ? AND message = ?) ORDER BY account `+tx.dialect.Lock,
		m.Recipient, m.Organization, m.ID); err != nil {
		return err
	}
	return tx.post(`UPDATE group_members SET unread = unread - 1, unread_priority = unread_priority - ?
		WHERE group_token = ? AND EXISTS (SELECT 1 FROM deliveries d WHERE d.organization = ? AND d.message = ?
			AND d.account = group_members.account AND d.status < ? AND d.position > group_members.cleared)`,
		m.important(), m.Recipient, m.Organization, m.ID, int(model.Read))
}

// ClearGroup takes a group out of the rosters of accounts that are in it: nothing up to
// the position counts any more.
func (tx *Tx) ClearGroup(accounts []model.AccountID, group model.GroupID, position int64) error {
	return tx.post(`UPDATE group_members SET unread = 0, unread_priority = 0, listed = 0, last_message = 0, cleared = ?
		WHERE group_token = ? AND account IN (?*)`, position, group, accounts)
}

// GroupConversation returns what a member's roster says of a group, listed or not.
func (tx *Tx) GroupConversation(account model.AccountID, group model.GroupID) (c Conversation, found bool, err error) {
	err = tx.each(`SELECT organization, group_token, 1, last_message, unread, unread_priority, cleared, listed FROM group_members
		WHERE group_token = ? AND account = ?`, []any{group, account}, func(row Row) error {
		found = true
		return scanConversation(row, &c)
	})
	return c, found, err
}
