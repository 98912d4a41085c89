package store

import (
	"encoding/json"
	"fmt"
	"slices"

	"signet/internal/model"
)

const accountColumns = `account, username, display_name, first_name, last_name, avatar, status, dnd, dnd_text,
	emails, phones, operator, disabled, created_by, created, code`

// codedAccount is what the code of an account covers.
type codedAccount model.Account

func (a *codedAccount) cover(m *mac) {
	m.text("account")
	m.id(a.ID)
	m.flag(a.Operator)
	m.flag(a.Disabled)
	m.text(string(a.CreatedBy))
	m.number(Millis(a.Created))
}

func (a *codedAccount) name() Forgery { return Forgery{"account", a.ID.String()} }

// scanAccount reads an account, and reports whether its code is right.
func (tx *Tx) scanAccount(row Row, a *model.Account) (genuine bool, err error) {
	var emails, phones, code []byte
	var created int64
	if err := row.Scan(&a.ID, &a.Username, &a.DisplayName, &a.FirstName, &a.LastName, &a.Avatar, &a.Status, &a.DND,
		&a.DNDText,
		&emails, &phones, &a.Operator, &a.Disabled, &a.CreatedBy, &created, &code); err != nil {
		return false, err
	}
	a.Created = FromMillis(created)
	if err := json.Unmarshal(emails, &a.Emails); err != nil {
		return false, fmt.Errorf("read e-mails of %s: %w", a.ID, err)
	}
	if err := json.Unmarshal(phones, &a.Phones); err != nil {
		return false, fmt.Errorf("read phones of %s: %w", a.ID, err)
	}
	return tx.genuine(code, (*codedAccount)(a)), nil
}

// InsertAccount adds an account and claims its addresses. A taken one is a
// *model.Error that names the field.
func (tx *Tx) InsertAccount(a *model.Account, passwordHash string) error {
	emails, phones, err := marshalAddresses(a)
	if err != nil {
		return err
	}
	code, err := tx.code((*codedAccount)(a))
	if err != nil {
		return err
	}
	password := Password{Hash: passwordHash}
	passwordCode, err := tx.passwordCode(a.ID, password)
	if err != nil {
		return err
	}
	if err := tx.Post(`INSERT INTO accounts (`+accountColumns+`, password, password_of, password_code)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		a.ID, a.Username, a.DisplayName, a.FirstName, a.LastName, a.Avatar, a.Status, a.DND, a.DNDText,
		emails, phones, a.Operator, a.Disabled, a.CreatedBy, Millis(a.Created), code, password.Hash, password.Scope,
		passwordCode); err != nil {
		return fmt.Errorf("insert account: %w", err)
	}
	for _, address := range a.Addresses() {
		if err := tx.claimAddress(address, a.ID); err != nil {
			return err
		}
	}
	return nil
}

// claimAddress gives an address to an account, or says that it is taken. A taken one
// causes no error in the database, since some end the transaction after an error.
func (tx *Tx) claimAddress(address model.Address, account model.AccountID) error {
	n, err := tx.Exec(
		`INSERT INTO addresses (kind, address, account) VALUES (?, ?, ?) ON CONFLICT (kind, address) DO NOTHING`,
		int(address.Kind), address.Value, account)
	if err == nil && n == 0 {
		err = model.AddressTaken(address.Kind)
	}
	return err
}

// AccountAt finds the account that an address other than a token names.
func (tx *Tx) AccountAt(address model.Address) (account model.AccountID, found bool, err error) {
	found, err = tx.One(`SELECT account FROM addresses WHERE kind = ? AND address = ?`,
		[]any{int(address.Kind), address.Value}, &account)
	return account, found, err
}

// ClaimedAddress is an address and the account that has it.
type ClaimedAddress struct {
	Address model.Address
	Account model.AccountID
}

// ClaimedAddresses returns the addresses of a kind that follow on one, in their order.
func (tx *Tx) ClaimedAddresses(kind model.AddressKind, after string, limit int) (out []ClaimedAddress, err error) {
	err = tx.Query(`SELECT address, account FROM addresses WHERE kind = ? AND address > ? ORDER BY address LIMIT ? + 0`,
		[]any{int(kind), after, limit}, func(row Row) error {
			c := ClaimedAddress{Address: model.Address{Kind: kind}}
			err := row.Scan(&c.Address.Value, &c.Account)
			out = append(out, c)
			return err
		})
	return out, err
}

// AccountExists reports whether there is an account of this identifier.
func (tx *Tx) AccountExists(id model.AccountID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM accounts WHERE account = ?`, []any{id}, &one)
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
	err := tx.Query(`SELECT `+accountColumns+` FROM accounts WHERE account IN (?*)`, []any{ids}, func(row Row) error {
		var a model.Account
		genuine, err := tx.scanAccount(row, &a)
		if genuine {
			out = append(out, a)
		}
		return err
	})
	return out, err
}

// UpdateProfile stores what an account may change of itself.
func (tx *Tx) UpdateProfile(a *model.Account) error {
	tx.NotePeople(a.ID)
	return tx.Post(
		`UPDATE accounts SET display_name = ?, first_name = ?, last_name = ?, avatar = ?, status = ?, dnd = ?,
			dnd_text = ? WHERE account = ?`,
		a.DisplayName, a.FirstName, a.LastName, a.Avatar, a.Status, a.DND, a.DNDText, a.ID)
}

// UpdatePerson stores what an account is called, and the addresses that name it, in place of
// those that it had. An address that somebody else has is a *model.Error that names the field.
func (tx *Tx) UpdatePerson(before, after *model.Account) error {
	tx.NotePeople(after.ID)
	emails, phones, err := marshalAddresses(after)
	if err != nil {
		return err
	}
	if err := tx.Post(`UPDATE accounts SET username = ?, display_name = ?, first_name = ?, last_name = ?, emails = ?,
		phones = ? WHERE account = ?`, after.Username, after.DisplayName, after.FirstName, after.LastName, emails, phones,
		after.ID); err != nil {
		return err
	}
	had, has := before.Addresses(), after.Addresses()
	for _, address := range had {
		if slices.Contains(has, address) {
			continue
		}
		if err := tx.Post(`DELETE FROM addresses WHERE kind = ? AND address = ? AND account = ?`, int(address.Kind),
			address.Value, after.ID); err != nil {
			return err
		}
	}
	for _, address := range has {
		if slices.Contains(had, address) {
			continue
		}
		if err := tx.claimAddress(address, after.ID); err != nil {
			return err
		}
	}
	return nil
}

// Password is what an account signs in with.
type Password struct {
	Hash  string               // encoded; empty: the account has none
	Scope model.OrganizationID // of the keys that sign-ins with it get

	Disabled bool // the account is: the password opens nothing. SetPassword leaves it as it is
}

// codedPassword is what the code of a password covers.
type codedPassword struct {
	account model.AccountID
	Password
}

func (p *codedPassword) cover(m *mac) {
	m.text("password")
	m.id(p.account)
	m.text(p.Hash)
	m.text(string(p.Scope))
}

func (p *codedPassword) name() Forgery { return Forgery{"password", p.account.String()} }

// passwordCode returns the code of a password; none where there is none.
func (tx *Tx) passwordCode(id model.AccountID, p Password) ([]byte, error) {
	if p.Hash == "" {
		return []byte{}, nil
	}
	return tx.code(&codedPassword{id, p})
}

// Password returns the account's password.
func (tx *Tx) Password(id model.AccountID) (p Password, err error) {
	var code []byte
	_, err = tx.One(`SELECT password, password_of, password_code, disabled FROM accounts WHERE account = ?`, []any{id},
		&p.Hash, &p.Scope, &code, &p.Disabled)
	if err != nil || p.Hash != "" && !tx.genuine(code, &codedPassword{id, p}) {
		return Password{Disabled: p.Disabled}, err
	}
	return p, nil
}

// SetPassword replaces the account's password.
func (tx *Tx) SetPassword(id model.AccountID, p Password) error {
	code, err := tx.passwordCode(id, p)
	if err != nil {
		return err
	}
	return tx.Post(`UPDATE accounts SET password = ?, password_of = ?, password_code = ? WHERE account = ?`, p.Hash,
		p.Scope, code, id)
}

// checkAccounts checks the codes of a batch of accounts, and of their passwords.
func (tx *Tx) checkAccounts(after []any) (last []any, n int, err error) {
	err = tx.Query(`SELECT account, operator, disabled, created_by, created, code, password, password_of, password_code
		FROM accounts WHERE account > ? ORDER BY account LIMIT ? + 0`, after, func(row Row) error {
		var a model.Account
		var created int64
		var p Password
		var code, passwordCode []byte
		err := row.Scan(&a.ID, &a.Operator, &a.Disabled, &a.CreatedBy, &created, &code, &p.Hash, &p.Scope, &passwordCode)
		a.Created = FromMillis(created)
		tx.genuine(code, (*codedAccount)(&a))
		if p.Hash != "" {
			tx.genuine(passwordCode, &codedPassword{a.ID, p})
		}
		last, n = []any{a.ID}, n+1
		return err
	})
	return last, n, err
}

// rightsColumns are what the code of an account covers, and the code.
const rightsColumns = `account, operator, disabled, created_by, created, code`

// scanRights reads these, and reports whether the code is right.
func (tx *Tx) scanRights(row Row, a *model.Account) (genuine bool, err error) {
	var created int64
	var code []byte
	if err := row.Scan(&a.ID, &a.Operator, &a.Disabled, &a.CreatedBy, &created, &code); err != nil {
		return false, err
	}
	a.Created = FromMillis(created)
	return tx.genuine(code, (*codedAccount)(a)), nil
}

// rights calls fn with the accounts of a selection, of which it reads what their codes
// cover.
func (tx *Tx) rights(fn func(a *model.Account), where string, args ...any) error {
	return tx.Query(`SELECT `+rightsColumns+` FROM accounts WHERE `+where, args, func(row Row) error {
		var a model.Account
		genuine, err := tx.scanRights(row, &a)
		if err == nil && genuine {
			fn(&a)
		}
		return err
	})
}

// changeRights changes what the codes of the accounts of a selection cover.
func (tx *Tx) changeRights(change func(a *model.Account), where string, args ...any) error {
	var changed []model.Account
	err := tx.rights(func(a *model.Account) { changed = append(changed, *a) }, where+` `+tx.dialect.Lock, args...)
	for i := range changed {
		a := &changed[i]
		change(a)
		code, err := tx.code((*codedAccount)(a))
		if err == nil {
			err = tx.NoteAccess(a.ID)
		}
		if err == nil {
			err = tx.Post(`UPDATE accounts SET operator = ?, disabled = ?, created_by = ?, created = ?, code = ?
				WHERE account = ?`, a.Operator, a.Disabled, a.CreatedBy, Millis(a.Created), code, a.ID)
		}
		if err != nil {
			return err
		}
	}
	return err
}

// SetDisabled disables an account or enables it.
func (tx *Tx) SetDisabled(id model.AccountID, disabled bool) error {
	tx.NotePeople(id)
	return tx.changeRights(func(a *model.Account) { a.Disabled = disabled }, `account = ?`, id)
}

// DisabledAmong returns those of the accounts that are disabled, or whose code is wrong.
func (tx *Tx) DisabledAmong(ids []model.AccountID) (out []model.AccountID, err error) {
	if err = tx.AskDisabledAmong(ids, &out); err == nil {
		err = tx.Await()
	}
	return out, err
}

// AskDisabledAmong asks for that.
func (tx *Tx) AskDisabledAmong(ids []model.AccountID, out *[]model.AccountID) error {
	return tx.Ask(`SELECT `+rightsColumns+` FROM accounts WHERE account IN (?*)`, []any{ids}, func(row Row) error {
		var a model.Account
		genuine, err := tx.scanRights(row, &a)
		if a.Disabled || !genuine {
			*out = append(*out, a.ID)
		}
		return err
	})
}

// Operators returns the operator accounts, the oldest first.
func (tx *Tx) Operators() (out []model.AccountID, err error) {
	err = tx.rights(func(a *model.Account) { out = append(out, a.ID) }, `operator = 1 ORDER BY created, account`)
	return out, err
}

// EndOperator makes an operator an account as any other.
func (tx *Tx) EndOperator(id model.AccountID) error {
	tx.NotePeople(id)
	return tx.changeRights(func(a *model.Account) { a.Operator = false }, `account = ?`, id)
}

// HasOperator reports whether any account has the mark of an operator, whoever wrote it.
func (tx *Tx) HasOperator() (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM accounts WHERE operator = 1`, nil, &one)
}

func marshalAddresses(a *model.Account) (emails, phones string, err error) {
	e, err := json.Marshal(a.Emails)
	if err != nil {
		return "", "", err
	}
	p, err := json.Marshal(a.Phones)
	return string(e), string(p), err
}

// ForgetMaker takes the organization out of accounts that it created.
func (tx *Tx) ForgetMaker(id model.OrganizationID, accounts []model.AccountID) error {
	tx.NotePeople(accounts...)
	if err := tx.LockQueues(accounts...); err != nil { // before the accounts
		return err
	}
	return tx.changeRights(func(a *model.Account) { a.CreatedBy = "" }, `account IN (?*) AND created_by = ?`, accounts, id)
}

// ForgetPasswords takes their passwords from accounts for which an administrator of the organization set them.
func (tx *Tx) ForgetPasswords(id model.OrganizationID, accounts []model.AccountID) error {
	return tx.Post(`UPDATE accounts SET password = '', password_of = '', password_code = ? WHERE account IN (?*)
		AND password_of = ?`, []byte{}, accounts, id)
}
