// Package authorship finds what names an account as the one that made it, or as made by a
// request, and takes the name away: keys, webhooks, groups and requests.
//
// It owns no table. It does not know why an account is forgotten (package sweep).
package authorship

import (
	"signet/internal/model"
	"signet/internal/store"
)

// RequestThatMade returns the request of an account under which another one was made.
func RequestThatMade(tx *store.Tx, made model.AccountID) (by model.AccountID, id string, found bool, err error) {
	found, err = tx.One(`SELECT account, request FROM requests WHERE message = ? LIMIT 1`, []any{made}, &by, &id)
	return by, id, found, err
}

// ForgetMade forgets whom a request made. It makes no other one.
func ForgetMade(tx *store.Tx, by model.AccountID, id string) error {
	return tx.Post(`UPDATE requests SET message = ? WHERE account = ? AND request = ?`, model.MessageID{}, by, id)
}

// Works are keys and webhooks of others, and groups, that name an account as who made them.
type Works struct {
	Keys     []string
	Webhooks []store.WebhookKey
	Groups   []model.GroupID
}

// WorksOf returns up to limit keys that an account issued to others, as many webhooks that it made for
// others, and as many groups that it created.
func WorksOf(tx *store.Tx, account model.AccountID, limit int) (out Works, err error) {
	out.Keys, err = store.Column[string](tx, `SELECT api_key FROM keys WHERE issued_by = ? LIMIT ? + 0`, account, limit)
	if err != nil {
		return Works{}, err
	}
	out.Webhooks, err = store.List(tx, `SELECT account, webhook FROM webhooks WHERE issued_by = ? LIMIT ? + 0`,
		[]any{account, limit}, func(w *store.WebhookKey, row store.Row) error { return row.Scan(&w.Account, &w.ID) })
	if err != nil {
		return Works{}, err
	}
	out.Groups, err = store.Column[model.GroupID](tx, `SELECT group_token FROM groups WHERE created_by = ? LIMIT ? + 0`,
		account, limit)
	return out, err
}

// ForgetAuthor forgets who made keys, webhooks and groups.
func ForgetAuthor(tx *store.Tx, of Works) error {
	for _, key := range of.Keys {
		if err := tx.Post(`UPDATE keys SET issued_by = ? WHERE api_key = ?`, model.AccountID{}, key); err != nil {
			return err
		}
	}
	for _, w := range of.Webhooks {
		if err := tx.Post(`UPDATE webhooks SET issued_by = ? WHERE account = ? AND webhook = ?`, model.AccountID{}, w.Account,
			w.ID[:]); err != nil {
			return err
		}
	}
	for _, group := range of.Groups {
		if err := tx.Post(`UPDATE groups SET created_by = ? WHERE group_token = ?`, model.AccountID{}, group); err != nil {
			return err
		}
	}
	return nil
}
