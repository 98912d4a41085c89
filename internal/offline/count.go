package offline

import (
	"context"
	"errors"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
	"signet/internal/store/sealing"
)

// batch is how many messages are counted at a time.
const batch = 200

// ErrOperatorAccount says that an account is an operator's, which is not erased.
var ErrOperatorAccount = errors.New("an operator's account is not erased; `signet operator reset` ends its credentials")

// Doomed is what a command would erase for good, to be shown before it is confirmed.
type Doomed struct {
	Token string
	Name  string // of the account or organization; the token where one is gone already, and not all that it had
	Rows  map[string]int64

	LastOf []model.OrganizationID // organizations that have no administrator without the account
}

func (d *Doomed) add(what string, n int) {
	if d.Rows == nil {
		d.Rows = map[string]int64{}
	}
	if n > 0 {
		d.Rows[what] += int64(n)
	}
}

// CountAccount counts what EraseAccount would remove, and changes nothing.
func CountAccount(ctx context.Context, dir, database, region, address string) (Doomed, error) {
	return inspect(ctx, dir, database, func(kept *store.Store) (d Doomed, err error) {
		id, err := access.FindAccount(ctx, kept, region, address)
		if err != nil {
			return d, err
		}
		err = kept.View(ctx, func(tx *store.Tx) (err error) {
			d, err = countAccount(tx, id)
			return err
		})
		if err != nil {
			return d, err
		}
		return d, d.addMessages(ctx, kept, func(tx *store.Tx, last store.MessageKey) ([]store.MessageRow, error) {
			return erasure.MessagesWith(tx, id, last.Organization, last.ID, batch)
		})
	})
}

func countAccount(tx *store.Tx, id model.AccountID) (Doomed, error) {
	d := Doomed{Token: id.String()}
	account, found, err := tx.Account(id)
	switch {
	case err != nil:
		return d, err
	case !found:
		return d, model.Missing()
	case account.Operator:
		return d, ErrOperatorAccount
	}
	d.Name = account.DisplayName
	memberships, err := tx.Memberships(id)
	if err != nil {
		return d, err
	}
	keys, err := tx.Keys(id)
	if err != nil {
		return d, err
	}
	d.add("accounts", 1)
	d.add("addresses", len(account.Emails)+len(account.Phones))
	d.add("memberships", len(memberships))
	d.add("keys", len(keys))
	for _, m := range memberships {
		if !m.Has(model.RoleAdmin) {
			continue
		}
		err := access.NotLastAdministrator(tx, m.Organization, id)
		if errors.Is(err, access.LastAdministrator()) {
			d.LastOf = append(d.LastOf, m.Organization)
		} else if err != nil {
			return d, err
		}
	}
	return d, nil
}

// CountOrganization counts what EraseOrganization would remove, and changes nothing.
func CountOrganization(ctx context.Context, dir, database, organization string, keepAccounts bool) (Doomed, error) {
	id := model.OrganizationID(organization)
	return inspect(ctx, dir, database, func(kept *store.Store) (d Doomed, err error) {
		err = kept.View(ctx, func(tx *store.Tx) (err error) {
			d, err = countOrganization(tx, id, keepAccounts)
			return err
		})
		if err != nil {
			return d, err
		}
		return d, d.addMessages(ctx, kept, messagesIn(id, sealing.MessagesAfter))
	})
}

func countOrganization(tx *store.Tx, id model.OrganizationID, keepAccounts bool) (Doomed, error) {
	d := Doomed{Token: string(id), Name: string(id)}
	o, found, err := tx.Organization(id)
	if err != nil {
		return d, err
	}
	if found {
		d.Name = o.Name
		d.add("organizations", 1)
	} else if left, err := erasure.BeingErased(tx, id); err != nil {
		return d, err
	} else if !left {
		return d, model.Missing()
	}
	members, err := tx.CountMembers(id)
	if err != nil {
		return d, err
	}
	groups, err := tx.GroupsIn(id)
	if err != nil {
		return d, err
	}
	d.add("memberships", members)
	d.add("groups", len(groups))
	if keepAccounts {
		return d, nil
	}
	accounts, err := erasure.OnlyIn(tx, id)
	d.add("accounts", len(accounts))
	return d, err
}

// CountHeld counts what is erased once a legal hold is lifted, and changes nothing.
func CountHeld(ctx context.Context, dir, database, organization string) (Doomed, error) {
	id := model.OrganizationID(organization)
	return inspect(ctx, dir, database, func(kept *store.Store) (d Doomed, err error) {
		err = kept.View(ctx, func(tx *store.Tx) error {
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
		return d, d.addMessages(ctx, kept, messagesIn(id, (*store.Tx).HeldMessagesAfter))
	})
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

// addMessages counts messages and their attachments, which next reads.
func (d *Doomed) addMessages(ctx context.Context, kept *store.Store,
	next func(*store.Tx, store.MessageKey) ([]store.MessageRow, error)) error {
	var last store.MessageKey
	for {
		var rows []store.MessageRow
		err := kept.View(ctx, func(tx *store.Tx) (err error) {
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
