package store

import "signet/internal/model"

// A webhook that an account made ends with the key that it came with, and has at most its scope. A
// key that is deleted is missed when the webhook is read for; one that stays, with another secret or a scope,
// says here what becomes of what was made with it.

// EndWebhooksOf disables the webhooks of an account that were made with some keys.
func (tx *Tx) EndWebhooksOf(account model.AccountID, keys []string) error {
	return tx.Post(`UPDATE webhooks SET enabled = 0, ended = ?, run = 0, next_try = 0, version = version + 1
		WHERE account = ? AND parent IN (?*)`, string(model.WebhookKey), account, keys)
}

// ScopeWebhooksOf gives those webhooks of an account a scope that were made with some keys and have none.
func (tx *Tx) ScopeWebhooksOf(account model.AccountID, keys []string, scope model.OrganizationID) error {
	made, err := tx.webhooks(`account = ? AND organization = '' AND parent IN (?*) ORDER BY webhook `+tx.dialect.Lock,
		account, keys)
	for i := range made {
		if made[i].Scope = scope; err == nil {
			err = tx.ChangeWebhook(&made[i])
		}
	}
	return err
}
