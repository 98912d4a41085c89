package store

import (
	"encoding/json"
	"fmt"

	"signet/internal/model"
)

const accountColumns = `account, username, display_name, first_name, last_name, avatar, status, dnd, dnd_text,
	emails, phones, operator, created_by, created`

func scanAccount(row Row, a *model.Account) error {
	var emails, phones []byte
	var created int64
	if err := row.Scan(&a.ID, &a.Username, &a.DisplayName, &a.FirstName, &a.LastName, &a.Avatar, &a.Status, &a.DND,
		&a.DNDText,
		&emails, &phones, &a.Operator, &a.CreatedBy, &created); err != nil {
		return err
	}
	a.Created = fromMillis(created)
	if err := json.Unmarshal(emails, &a.Emails); err != nil {
		return fmt.Errorf("read e-mails of %s: %w", a.ID, err)
	}
	if err := json.Unmarshal(phones, &a.Phones); err != nil {
		return fmt.Errorf("read phones of %s: %w", a.ID, err)
	}
	return nil
}

// InsertAccount adds an account and claims its addresses. A taken one is a
// *model.Error that names the field.
func (tx *Tx) InsertAccount(a *model.Account, passwordHash string) error {
	emails, phones, err := marshalAddresses(a)
	if err != nil {
		return err
	}
	if err := tx.post(`INSERT INTO accounts (`+accountColumns+
		`, password, password_of) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')`,
		a.ID, a.Username, a.DisplayName, a.FirstName, a.LastName, a.Avatar, a.Status, a.DND, a.DNDText,
		emails, phones, a.Operator, a.CreatedBy, millis(a.Created), passwordHash); err != nil {
		return fmt.Errorf("insert account: %w", err)
	}
	for _, address := range addressesOf(a) {
		if err := tx.claimAddress(address, a.ID); err != nil {
			return err
		}
	}
	return nil
}

// claimAddress gives an address to an account, or says that it is taken. It does
// so without an error of the database, after which some end the transaction.
func (tx *Tx) claimAddress(address model.Address, account model.AccountID) error {
	n, err := tx.exec(
		`INSERT INTO addresses (kind, address, account) VALUES (?, ?, ?) ON CONFLICT (kind, address) DO NOTHING`,
		int(address.Kind), address.Value, account)
	if err == nil && n == 0 {
		err = model.Invalidf("address_taken", address.Kind.String(), "Another account has this %s.", address.Kind)
	}
	return err
}

func addressesOf(a *model.Account) []model.Address {
	var out []model.Address
	if a.Username != "" {
		out = append(out, model.Address{Kind: model.UsernameAddress, Value: model.FoldUsername(a.Username)})
	}
	for _, e := range a.Emails {
		out = append(out, model.Address{Kind: model.EmailAddress, Value: e.Address})
	}
	for _, p := range a.Phones {
		out = append(out, model.Address{Kind: model.PhoneAddress, Value: p.Number})
	}
	return out
}

// AccountAt finds the account that an address other than a token names.
func (tx *Tx) AccountAt(address model.Address) (account model.AccountID, found bool, err error) {
	found, err = tx.one(`SELECT account FROM addresses WHERE kind = ? AND address = ?`,
		[]any{int(address.Kind), address.Value}, &account)
	return account, found, err
}

// AccountExists reports whether there is an account of this identifier.
func (tx *Tx) AccountExists(id model.AccountID) (bool, error) {
	var one int64
	return tx.one(`SELECT 1 FROM accounts WHERE account = ?`, []any{id}, &one)
}

// Account returns an account.
func (tx *Tx) Account(id model.AccountID) (a model.Account, found bool, err error) {
	all, err := tx.Accounts([]model.AccountID{id})
	if err != nil || len(all) == 0 {
		return a, false, err
	}
	return all[0], true, nil
}

// Accounts returns those of the accounts that exist, in no particular order.
func (tx *Tx) Accounts(ids []model.AccountID) ([]model.Account, error) {
	out := make([]model.Account, 0, len(ids))
	err := tx.each(`SELECT `+accountColumns+` FROM accounts WHERE account IN (?*)`, []any{ids}, func(row Row) error {
		var a model.Account
		err := scanAccount(row, &a)
		out = append(out, a)
		return err
	})
	return out, err
}

// UpdateProfile stores what an account may change of itself.
func (tx *Tx) UpdateProfile(a *model.Account) error {
	err := tx.post(
		`UPDATE accounts SET display_name = ?, first_name = ?, last_name = ?, avatar = ?, status = ?, dnd = ?,
			dnd_text = ? WHERE account = ?`,
		a.DisplayName, a.FirstName, a.LastName, a.Avatar, a.Status, a.DND, a.DNDText, a.ID)
	return err
}

// Password is what an account signs in with.
type Password struct {
	Hash  string               // encoded; empty: the account has none
	Scope model.OrganizationID // of the keys that sign-ins with it get
}

// Password returns the account's password.
func (tx *Tx) Password(id model.AccountID) (p Password, err error) {
	_, err = tx.one(`SELECT password, password_of FROM accounts WHERE account = ?`, []any{id}, &p.Hash, &p.Scope)
	return p, err
}

// SetPassword replaces the account's password.
func (tx *Tx) SetPassword(id model.AccountID, p Password) error {
	return tx.post(`UPDATE accounts SET password = ?, password_of = ? WHERE account = ?`, p.Hash, p.Scope, id)
}

// Operators returns the operator accounts, the oldest first.
func (tx *Tx) Operators() (out []model.AccountID, err error) {
	err = tx.each(`SELECT account FROM accounts WHERE operator = 1 ORDER BY created, account`, nil, func(row Row) error {
		var id model.AccountID
		err := row.Scan(&id)
		out = append(out, id)
		return err
	})
	return out, err
}

// EndOperator makes an operator an account as any other.
func (tx *Tx) EndOperator(id model.AccountID) error {
	return tx.post(`UPDATE accounts SET operator = 0 WHERE account = ?`, id)
}

// HasOperator reports whether any operator account exists.
func (tx *Tx) HasOperator() (bool, error) {
	var one int64
	return tx.one(`SELECT 1 FROM accounts WHERE operator = 1`, nil, &one)
}

func marshalAddresses(a *model.Account) (emails, phones string, err error) {
	e, err := json.Marshal(a.Emails)
	if err != nil {
		return "", "", err
	}
	p, err := json.Marshal(a.Phones)
	return string(e), string(p), err
}
