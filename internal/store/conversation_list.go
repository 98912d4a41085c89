package store

import (
	"cmp"
	"slices"

	"signet/internal/model"
)

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
