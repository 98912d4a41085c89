package subscriptions

import (
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Recipient is an account that got a message, with what speaks against telling it.
type Recipient struct {
	Account   model.AccountID
	Status    model.Status // of its copy
	Undisturb bool         // it does not want to be disturbed, or nothing opens it
	Muted     bool         // the conversation, or its organization
}

// Recipients returns those of the accounts that have a copy of a message.
func Recipients(tx *store.Tx, m *store.MessageRow, accounts []model.AccountID, now time.Time) (
	out map[model.AccountID]*Recipient, err error) {
	out = make(map[model.AccountID]*Recipient, len(accounts))
	err = tx.Ask(`SELECT account, status FROM deliveries
		WHERE organization_number = ? AND message = ? AND account IN (?*)`,
		[]any{tx.Numbered(m.Organization), m.ID, accounts}, func(row store.Row) error {
			var r Recipient
			var status int
			err := row.Scan(&r.Account, &status)
			r.Status = model.Status(status)
			out[r.Account] = &r
			return err
		})
	if err != nil {
		return nil, err
	}
	err = tx.Ask(`SELECT account FROM accounts WHERE account IN (?*) AND (dnd = 1 OR disabled = 1)`, []any{accounts},
		marking(out, func(r *Recipient) { r.Undisturb = true }))
	if err != nil {
		return nil, err
	}
	entities := []model.EntityID{m.Recipient, {}}
	if !m.Group {
		entities[0] = model.EntityID(m.Sender)
	}
	err = tx.Ask(`SELECT account FROM mutes WHERE account IN (?*) AND organization = ? AND entity IN (?*)
		AND started + minutes * 60000 > ?`, []any{accounts, m.Organization, entities, store.Millis(now)},
		marking(out, func(r *Recipient) { r.Muted = true }))
	if err != nil {
		return nil, err
	}
	return out, tx.Await()
}

// marking does something to each of the recipients that rows name.
func marking(of map[model.AccountID]*Recipient, mark func(*Recipient)) func(store.Row) error {
	return func(row store.Row) error {
		var account model.AccountID
		err := row.Scan(&account)
		if r := of[account]; r != nil {
			mark(r)
		}
		return err
	}
}
