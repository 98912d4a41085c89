// Package erasure takes away what is to be erased of accounts and organizations: what they had,
// what names them elsewhere, and messages that nobody can read any more. It does some rows at a
// time, and tells how far it has come.
//
// It owns account_erasures, organization_erasures and departures. It does not know why something is
// erased (people, offline), nor in which order and how fast (sweep).
package erasure

import (
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/quota"
	"signet/internal/store/rota"
)

// CloseAccount takes everything from an account that lets it in, or lets others reach it; the
// index in which it is found has its own package (searchindex.RemoveAccount). Its row, which is
// the last to go, stays, and so do the keys and groups that it made for others (package
// authorship).
func CloseAccount(tx *store.Tx, id model.AccountID) error {
	tx.NotePeople(id)
	if err := tx.RaiseAccess(id); err != nil { // first, as queues are locked before the rest
		return err
	}
	memberships, err := tx.Memberships(id)
	if err != nil {
		return err
	}
	for _, m := range memberships {
		if err := NoteDeparture(tx, m.Organization); err != nil {
			return err
		}
	}
	if err := tx.Post(`DELETE FROM quotas WHERE counter >= ? AND counter < ? OR counter >= ? AND counter < ?
			OR counter IN (SELECT api_key FROM keys WHERE account = ?)`,
		quota.CounterOf(id), quota.CounterOf(id)+";", quota.ToldOf(id), quota.ToldOf(id)+";", id); err != nil {
		return err
	}
	if err := tx.ForgetAccessOf(id); err != nil {
		return err
	}
	if err := tx.NoteAccessOfAll(); err != nil { // without a name
		return err
	}
	if err := rota.Leave(tx, id, ""); err != nil {
		return err
	}
	for _, table := range []string{"keys", "addresses", "memberships", "join_requests", "roles", "group_members",
		"past_members", "streams", "webhooks", "subjects", "subject_keys", "scim_people", "passkeys", "passkey_allowances",
		"passkey_challenges"} {
		if err := tx.Post(`DELETE FROM `+table+` WHERE account = ?`, id); err != nil {
			return err
		}
	}
	return tx.SetPassword(id, store.Password{})
}

// MessagesWith returns up to limit messages, ended or not, that an account sent or
// got alone, or that forward what it sent, in the order of their keys, from the one
// after the given one.
func MessagesWith(tx *store.Tx, account model.AccountID, organization model.OrganizationID, after model.MessageID,
	limit int) ([]store.MessageRow, error) {
	return tx.SelectMessages(
		`(m.organization_number, m.message) > (?, ?) AND (m.sender = ? OR m.recipient = ? OR m.original_sender = ?)
		ORDER BY m.organization_number, m.message LIMIT ? + 0`, tx.Numbered(organization), after, account, account, account,
		limit)
}

// EraseCopies removes an account's copies of messages.
func EraseCopies(tx *store.Tx, account model.AccountID, keys []store.MessageKey) error {
	tx.NoteWithdrawn()
	for _, k := range keys {
		if err := tx.Post(`DELETE FROM deliveries WHERE organization_number = ? AND message = ? AND account = ?`,
			tx.Numbered(k.Organization), k.ID, account); err != nil {
			return err
		}
	}
	return nil
}

// EventKey names an event's row.
type EventKey struct {
	Account  model.AccountID
	Position int64
}

// EraseEvents removes events.
func EraseEvents(tx *store.Tx, keys []EventKey) error {
	tx.NoteWithdrawn()
	for _, k := range keys {
		if err := tx.RemoveEvents(k.Account, []int64{k.Position}); err != nil {
			return err
		}
	}
	return nil
}

// ForgetCaller takes the name of an account out of events that tell that it changed a group.
func ForgetCaller(tx *store.Tx, account model.AccountID, keys []EventKey) error {
	tx.NoteWithdrawn()
	for _, k := range keys {
		for _, table := range []string{"events", "kept_events"} {
			if err := tx.Post(`UPDATE `+table+` SET payload = REPLACE(payload, ?, '') WHERE account = ? AND position = ?`,
				store.PayloadCaller(account), k.Account, k.Position); err != nil {
				return err
			}
		}
	}
	return nil
}

// EraseOwn removes the next of what an account that has ended kept for itself, and of its names
// beside the audit log, about so many rows. more is false where nothing was left.
func EraseOwn(tx *store.Tx, id model.AccountID, rows int) (more bool, err error) {
	tx.NoteWithdrawn()
	for _, query := range []string{
		`DELETE FROM conversations WHERE (account, organization, entity) IN (SELECT account, organization, entity
			FROM conversations WHERE account = ? LIMIT ? + 0)`,
		`DELETE FROM mutes WHERE (account, organization, entity) IN (SELECT account, organization, entity
			FROM mutes WHERE account = ? LIMIT ? + 0)`,
		`DELETE FROM push_subscriptions WHERE (account, subscription) IN (SELECT account, subscription
			FROM push_subscriptions WHERE account = ? LIMIT ? + 0)`,
		`DELETE FROM requests WHERE (account, request) IN (SELECT account, request
			FROM requests WHERE account = ? LIMIT ? + 0)`,
		`DELETE FROM events WHERE (account, position) IN (SELECT account, position
			FROM events WHERE account = ? LIMIT ? + 0)`,
		`DELETE FROM kept_events WHERE (account, position) IN (SELECT account, position
			FROM kept_events WHERE account = ? LIMIT ? + 0)`,
		`DELETE FROM webhook_deliveries WHERE (account, webhook, number) IN (SELECT account, webhook, number
			FROM webhook_deliveries WHERE account = ? LIMIT ? + 0)`,
		`DELETE FROM audit_names WHERE (chain, number) IN (SELECT chain, number
			FROM audit_names WHERE account = ? LIMIT ? + 0)`,
	} {
		if n, err := tx.Exec(query, id, rows); err != nil || n > 0 {
			return true, err
		}
	}
	return false, nil
}

// FinishAccount removes the row of an account, and its picture. What else it kept, and what
// others have of it, is removed before (EraseOwn, TracesOf, ConversationsNaming, MutesNaming,
// packages authorship, metadata and searchindex).
func FinishAccount(tx *store.Tx, id model.AccountID) error {
	tx.NoteWithdrawn()
	tx.NotePeople(id)
	if err := tx.ForgetQueue(id); err != nil { // first, as queues are locked before the rest
		return err
	}
	if err := releaseAvatarOf(tx, model.EntityID(id)); err != nil {
		return err
	}
	// All but the last two once more: a call that had begun before may have added to them.
	for _, table := range []string{"conversations", "mutes", "push_subscriptions", "events", "kept_events",
		"webhook_deliveries", "webhooks", "subjects", "subject_keys", "passkeys", "passkey_allowances", "passkey_challenges",
		"requests", "audit_names", "account_erasures", "accounts"} {
		if err := tx.Post(`DELETE FROM `+table+` WHERE account = ?`, id); err != nil {
			return err
		}
	}
	return nil
}

// OnlyIn lists the accounts that an organization created and that belong to no
// other, but for operators and those that have ended.
func OnlyIn(tx *store.Tx, id model.OrganizationID) ([]model.AccountID, error) {
	return store.Column[model.AccountID](tx, `SELECT account FROM accounts a WHERE created_by = ? AND operator = 0
		AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.account = a.account AND m.organization <> ?
		AND `+store.OfStanding+`m.organization)))
		AND NOT EXISTS (SELECT 1 FROM account_erasures e WHERE e.account = a.account) ORDER BY account`, id, id)
}
