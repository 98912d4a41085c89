package sweep

import (
	"context"

	"signet/internal/model"
	"signet/internal/store"
)

// Doomed is what an erasure would remove, to be shown before it is confirmed.
type Doomed struct {
	Token string
	Name  string // of the account or organization; the token where one is gone already, and not all that it had
	Rows  map[string]int64
}

func (d *Doomed) add(what string, n int) {
	if d.Rows == nil {
		d.Rows = map[string]int64{}
	}
	if n > 0 {
		d.Rows[what] += int64(n)
	}
}

// CountAccount counts what Account would remove, and changes nothing.
func (e *Eraser) CountAccount(ctx context.Context, id model.AccountID) (d Doomed, err error) {
	err = e.Store.View(ctx, func(tx *store.Tx) error {
		d = Doomed{Token: id.String()}
		account, found, err := tx.Account(id)
		switch {
		case err != nil:
			return err
		case !found:
			return model.Missing()
		case account.Operator:
			return ErrOperatorAccount
		}
		d.Name = account.DisplayName
		memberships, err := tx.Memberships(id)
		if err != nil {
			return err
		}
		keys, err := tx.Keys(id)
		if err != nil {
			return err
		}
		d.add("accounts", 1)
		d.add("memberships", len(memberships))
		d.add("keys", len(keys))
		return nil
	})
	if err != nil {
		return d, err
	}
	return d, e.countMessages(ctx, &d, func(tx *store.Tx, last store.MessageKey) ([]store.MessageRow, error) {
		return tx.MessagesWith(id, last.Organization, last.ID, batch)
	})
}

// CountOrganization counts what Organization would remove, and changes nothing.
func (e *Eraser) CountOrganization(ctx context.Context, id model.OrganizationID, keepAccounts bool) (d Doomed,
	err error) {
	err = e.Store.View(ctx, func(tx *store.Tx) error {
		d = Doomed{Token: string(id), Name: string(id)}
		o, found, err := tx.Organization(id)
		if err != nil {
			return err
		}
		if found {
			d.Name = o.Name
			d.add("organizations", 1)
		} else if left, err := tx.BeingErased(id); err != nil {
			return err
		} else if !left {
			return model.Missing()
		}
		members, err := tx.CountMembers(id)
		if err != nil {
			return err
		}
		groups, err := tx.GroupsIn(id)
		if err != nil {
			return err
		}
		d.add("memberships", members)
		d.add("groups", len(groups))
		if keepAccounts {
			return nil
		}
		accounts, err := tx.OnlyIn(id)
		d.add("accounts", len(accounts))
		return err
	})
	if err != nil {
		return d, err
	}
	return d, e.countMessages(ctx, &d, messagesIn(id, (*store.Tx).MessagesAfter))
}

// CountHeld counts what only a legal hold keeps of an organization.
func (e *Eraser) CountHeld(ctx context.Context, id model.OrganizationID) (d Doomed, err error) {
	err = e.Store.View(ctx, func(tx *store.Tx) error {
		o, found, err := tx.Organization(id)
		if err == nil && !found {
			err = model.Missing()
		}
		d = Doomed{Token: string(id), Name: o.Name}
		return err
	})
	if err != nil {
		return d, err
	}
	return d, e.countMessages(ctx, &d, messagesIn(id, (*store.Tx).HeldMessagesAfter))
}

// messagesIn reads the messages of an organization in a table, which after reads.
func messagesIn(id model.OrganizationID,
	after func(*store.Tx, model.OrganizationID, model.MessageID, int) ([]store.MessageRow, error),
) func(*store.Tx, store.MessageKey) ([]store.MessageRow, error) {
	return func(tx *store.Tx, last store.MessageKey) ([]store.MessageRow, error) {
		rows, err := after(tx, id, last.ID, batch)
		for i := range rows {
			if rows[i].Organization != id {
				return rows[:i], err
			}
		}
		return rows, err
	}
}

// countMessages counts messages and their attachments, which next reads.
func (e *Eraser) countMessages(ctx context.Context, d *Doomed,
	next func(*store.Tx, store.MessageKey) ([]store.MessageRow, error)) error {
	var last store.MessageKey
	for {
		var rows []store.MessageRow
		err := e.Store.View(ctx, func(tx *store.Tx) (err error) {
			rows, err = next(tx, last)
			return err
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		d.add("messages", len(rows))
		for i := range rows {
			if rows[i].Blob != (model.BlobID{}) {
				d.add("attachments", 1)
			}
		}
		last = store.MessageKey{Organization: rows[len(rows)-1].Organization, ID: rows[len(rows)-1].ID}
	}
}
