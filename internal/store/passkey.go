package store

import (
	"strings"
	"time"

	"signet/internal/model"
)

// passkeyFields are the columns that a passkey's code covers.
const passkeyFields = `account, passkey, credential, public_key, relying_party, eligible, organization, parent, created`

func passkeyValues(p *model.Passkey) []any {
	return []any{p.Account, p.ID[:], p.Credential, p.PublicKey, p.RelyingParty, p.Eligible, p.Scope, p.Parent,
		Millis(p.Created)}
}

// codedPasskey is a passkey with its code.
type codedPasskey model.Passkey

func (p *codedPasskey) cover(m *mac) {
	m.text("passkey")
	for _, value := range passkeyValues((*model.Passkey)(p)) {
		m.value(value)
	}
}

func (p *codedPasskey) name() Forgery {
	return Forgery{"passkey", p.Account.String() + " " + p.ID.String()}
}

const passkeyColumns = passkeyFields + `, label, transports, copied, counter, last_used, code`

// scanPasskey reads a passkey, and reports whether its code is right.
func (tx *Tx) scanPasskey(row Row, p *model.Passkey) (genuine bool, err error) {
	var transports string
	var created, lastUsed int64
	var code []byte
	if err := row.Scan(&p.Account, &p.ID, &p.Credential, &p.PublicKey, &p.RelyingParty, &p.Eligible, &p.Scope, &p.Parent,
		&created, &p.Label, &transports, &p.Copied, &p.Counter, &lastUsed, &code); err != nil {
		return false, err
	}
	p.Created, p.LastUsed = FromMillis(created), FromMillis(lastUsed)
	if transports != "" {
		p.Transports = strings.Split(transports, ",")
	}
	return tx.genuine(code, (*codedPasskey)(p)), nil
}

// passkeys returns those of a selection.
func (tx *Tx) passkeys(where string, args ...any) (out []model.Passkey, err error) {
	query := `SELECT ` + passkeyColumns + ` FROM passkeys p WHERE ` + OfStanding + `p.organization)) AND ` + where
	err = tx.Query(query, args, func(row Row) error {
		var p model.Passkey
		genuine, err := tx.scanPasskey(row, &p)
		if err == nil && genuine {
			out = append(out, p)
		}
		return err
	})
	return out, err
}

// Passkeys returns those of an account, the oldest first.
func (tx *Tx) Passkeys(account model.AccountID) ([]model.Passkey, error) {
	return tx.passkeys(`account = ? ORDER BY created, passkey`, account)
}

// Passkey returns a passkey of an account.
func (tx *Tx) Passkey(account model.AccountID, id model.PasskeyID) (p model.Passkey, found bool, err error) {
	all, err := tx.passkeys(`account = ? AND passkey = ?`, account, id[:])
	if err != nil || len(all) == 0 {
		return p, false, err
	}
	return all[0], true, nil
}

// LockPasskey is Passkey, which nobody else changes until the transaction ends.
func (tx *Tx) LockPasskey(account model.AccountID, id model.PasskeyID) (p model.Passkey, found bool, err error) {
	all, err := tx.passkeys(`account = ? AND passkey = ? `+tx.dialect.Lock, account, id[:])
	if err != nil || len(all) == 0 {
		return p, false, err
	}
	return all[0], true, nil
}

// InsertPasskey adds a passkey. It reports false, and adds nothing, where some account has its credential: whichever,
// since an authenticator that gives one identifier twice is broken, or lies.
func (tx *Tx) InsertPasskey(p *model.Passkey) (added bool, err error) {
	code, err := tx.code((*codedPasskey)(p))
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(`INSERT INTO passkeys (`+passkeyColumns+
		`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (credential) DO NOTHING`,
		append(passkeyValues(p), p.Label, strings.Join(p.Transports, ","), p.Copied, p.Counter, Millis(p.LastUsed), code)...)
	return n > 0, err
}

// ScopePasskeysOf gives those passkeys of an account a scope that sessions of some keys made, and that have none.
func (tx *Tx) ScopePasskeysOf(account model.AccountID, keys []string, scope model.OrganizationID) error {
	made, err := tx.passkeys(`account = ? AND p.organization = '' AND parent IN (?*) ORDER BY passkey`, account, keys)
	for i := 0; i < len(made) && err == nil; i++ {
		made[i].Scope = scope
		var code []byte
		if code, err = tx.code((*codedPasskey)(&made[i])); err == nil {
			err = tx.Post(`UPDATE passkeys SET organization = ?, code = ? WHERE account = ? AND passkey = ?`, scope, code,
				account, made[i].ID[:])
		}
	}
	return err
}

// UsePasskey notes that a passkey was used, with the authenticator's count of its signatures.
func (tx *Tx) UsePasskey(p *model.Passkey) error {
	return tx.Post(`UPDATE passkeys SET copied = ?, counter = ?, last_used = ? WHERE account = ? AND passkey = ?`,
		p.Copied, p.Counter, Millis(p.LastUsed), p.Account, p.ID[:])
}

// DeletePasskey removes a passkey, and reports whether there was one.
func (tx *Tx) DeletePasskey(account model.AccountID, id model.PasskeyID) (bool, error) {
	n, err := tx.Exec(`DELETE FROM passkeys WHERE account = ? AND passkey = ?`, account, id[:])
	return n > 0, err
}

// checkPasskeys checks the codes of a batch of passkeys.
func (tx *Tx) checkPasskeys(after []any) (last []any, n int, err error) {
	err = tx.Query(`SELECT `+passkeyColumns+` FROM passkeys WHERE (account, passkey) > (?, ?) ORDER BY account, passkey
		LIMIT ? + 0`, after, func(row Row) error {
		var p model.Passkey
		_, err := tx.scanPasskey(row, &p)
		last, n = []any{p.Account, p.ID[:]}, n+1
		return err
	})
	return last, n, err
}

// allowance is an account that may make one passkey more, until a time.
type allowance struct {
	account model.AccountID
	until   int64
}

func (a *allowance) cover(m *mac) {
	m.text("passkey_allowance")
	m.id(a.account)
	m.number(a.until)
}

func (a *allowance) name() Forgery { return Forgery{"passkey_allowance", a.account.String()} }

// AllowPasskey lets an account make one passkey until a time, though it has some.
func (tx *Tx) AllowPasskey(account model.AccountID, until time.Time) error {
	row := allowance{account, Millis(until)}
	code, err := tx.code(&row)
	if err != nil {
		return err
	}
	return tx.Post(`INSERT INTO passkey_allowances (account, until, code) VALUES (?, ?, ?)
		ON CONFLICT (account) DO UPDATE SET until = excluded.until, code = excluded.code`, account, row.until, code)
}

// PasskeyAllowed returns until when an account may make one passkey more; zero: it may not.
func (tx *Tx) PasskeyAllowed(account model.AccountID) (until time.Time, err error) {
	row := allowance{account: account}
	var code []byte
	found, err := tx.One(`SELECT until, code FROM passkey_allowances WHERE account = ?`, []any{account}, &row.until, &code)
	if err != nil || !found || !tx.genuine(code, &row) {
		return time.Time{}, err
	}
	return FromMillis(row.until), nil
}

// ForgetAllowance ends that.
func (tx *Tx) ForgetAllowance(account model.AccountID) error {
	return tx.Post(`DELETE FROM passkey_allowances WHERE account = ?`, account)
}

// checkAllowances checks the codes of a batch of allowances.
func (tx *Tx) checkAllowances(after []any) (last []any, n int, err error) {
	err = tx.Query(`SELECT account, until, code FROM passkey_allowances WHERE account > ? ORDER BY account LIMIT ? + 0`,
		after, func(row Row) error {
			var a allowance
			var code []byte
			err := row.Scan(&a.account, &a.until, &code)
			tx.genuine(code, &a)
			last, n = []any{a.account}, n+1
			return err
		})
	return last, n, err
}
