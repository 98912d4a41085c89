package erasure

import (
	"signet/internal/model"
	"signet/internal/store"
)

// What accounts have left of a deleted organization has no index by it. It is looked for in the
// order of its keys, each time after the last one that was found, outside of transactions that
// write.

// ConversationsIn returns up to limit conversations of an organization, after one.
func ConversationsIn(tx *store.Tx, id model.OrganizationID, after ConversationKey, limit int) ([]ConversationKey,
	error) {
	return store.List(tx, `SELECT account, organization, entity FROM conversations
		WHERE (account, organization, entity) > (?, ?, ?) AND organization = ? ORDER BY account, organization, entity
		LIMIT ? + 0`, []any{after.Account, after.Organization, after.Entity, id, limit}, scanConversationKey)
}

// MutesIn returns up to limit mutes of an organization, after one.
func MutesIn(tx *store.Tx, id model.OrganizationID, after ConversationKey, limit int) ([]ConversationKey, error) {
	return store.List(tx, `SELECT account, organization, entity FROM mutes
		WHERE (account, organization, entity) > (?, ?, ?) AND organization = ? ORDER BY account, organization, entity
		LIMIT ? + 0`, []any{after.Account, after.Organization, after.Entity, id, limit}, scanConversationKey)
}

func scanConversationKey(k *ConversationKey, row store.Row) error {
	return row.Scan(&k.Account, &k.Organization, &k.Entity)
}

// RequestKey names a row of a request.
type RequestKey struct {
	Account model.AccountID
	Request string
}

// RequestsIn returns up to limit requests that named an organization, after one.
func RequestsIn(tx *store.Tx, id model.OrganizationID, after RequestKey, limit int) ([]RequestKey, error) {
	return store.List(tx, `SELECT account, request FROM requests WHERE (account, request) > (?, ?) AND organization = ?
		ORDER BY account, request LIMIT ? + 0`, []any{after.Account, after.Request, id, limit},
		func(k *RequestKey, row store.Row) error { return row.Scan(&k.Account, &k.Request) })
}

// EraseRequests removes requests.
func EraseRequests(tx *store.Tx, keys []RequestKey) error {
	for _, k := range keys {
		if err := tx.Post(`DELETE FROM requests WHERE account = ? AND request = ?`, k.Account,
			k.Request); err != nil {
			return err
		}
	}
	return nil
}

// PastMemberKey names a row of one who was in a group.
type PastMemberKey struct {
	Account model.AccountID
	Group   model.GroupID
}

// PastMembersIn returns up to limit of those who were in groups of an organization, after one.
func PastMembersIn(tx *store.Tx, id model.OrganizationID, after PastMemberKey, limit int) ([]PastMemberKey, error) {
	return store.List(tx, `SELECT account, group_token FROM past_members WHERE (account, group_token) > (?, ?)
		AND organization = ? ORDER BY account, group_token LIMIT ? + 0`, []any{after.Account, after.Group, id, limit},
		func(k *PastMemberKey, row store.Row) error { return row.Scan(&k.Account, &k.Group) })
}

// ErasePastMembers forgets who was in groups.
func ErasePastMembers(tx *store.Tx, keys []PastMemberKey) error {
	for _, k := range keys {
		if err := tx.Post(`DELETE FROM past_members WHERE account = ? AND group_token = ?`,
			k.Account, k.Group); err != nil {
			return err
		}
	}
	return nil
}

// EventsIn returns up to limit events of an organization, and of what it asked administrators of others for, after one.
func EventsIn(tx *store.Tx, id model.OrganizationID, after EventKey, limit int) ([]EventKey, error) {
	return store.List(tx, `SELECT account, position FROM `+store.EventsAndKept+` WHERE (account, position) > (?, ?)
		AND (organization_number = ? OR kind = ? AND payload LIKE ?)
		ORDER BY account, position LIMIT ? + 0`, []any{after.Account, after.Position, tx.Numbered(id),
		store.KindNumber(model.EventAdminRequest), "%" + store.PayloadOrganization(id) + "%", limit},
		func(k *EventKey, row store.Row) error { return row.Scan(&k.Account, &k.Position) })
}

// MadeBy returns up to limit accounts that an organization created, after one.
func MadeBy(tx *store.Tx, id model.OrganizationID, after model.AccountID, limit int) ([]model.AccountID, error) {
	return store.Column[model.AccountID](tx, `SELECT account FROM accounts WHERE account > ? AND created_by = ? ORDER BY account
		LIMIT ? + 0`, after, id, limit)
}

// PasswordsOf returns up to limit accounts whose password an administrator of an organization set, after one.
func PasswordsOf(tx *store.Tx, id model.OrganizationID, after model.AccountID, limit int) ([]model.AccountID, error) {
	return store.Column[model.AccountID](tx, `SELECT account FROM accounts WHERE account > ? AND password_of = ?
		ORDER BY account LIMIT ? + 0`, after, id, limit)
}

// ForgetToken takes the token of an organization that is gone from its number, which stays taken.
func ForgetToken(tx *store.Tx, id model.OrganizationID) error {
	return tx.Post(`UPDATE organization_numbers SET organization = '-' || CAST(number AS TEXT) WHERE organization = ?`, id)
}
