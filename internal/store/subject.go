package store

import (
	"time"

	"signet/internal/model"
)

// SubjectRow is the account of a person whom a provider vouches for.
type SubjectRow struct {
	model.Subject
	Account model.AccountID
	Version int64 // of the provider as it was when the person last came by it
	Linked  time.Time
}

func (s *SubjectRow) cover(m *mac) {
	m.text("subject")
	m.text(string(s.Organization))
	m.text(s.Issuer)
	m.text(s.Subject.Subject)
	m.id(s.Account)
	m.number(s.Version)
	m.number(Millis(s.Linked))
}

func (s *SubjectRow) name() Forgery {
	return Forgery{"subject", string(s.Organization) + " " + s.Issuer + " " + s.Subject.Subject}
}

const subjectColumns = `organization, issuer, subject, account, version, linked, code`

// scanSubject reads whose account a person has, and reports whether the code is right.
func (tx *Tx) scanSubject(row Row, s *SubjectRow) (genuine bool, err error) {
	var linked int64
	var code []byte
	if err := row.Scan(&s.Organization, &s.Issuer, &s.Subject.Subject, &s.Account, &s.Version, &linked,
		&code); err != nil {
		return false, err
	}
	s.Linked = FromMillis(linked)
	return tx.genuine(code, s), nil
}

func (tx *Tx) subjects(where string, args ...any) (out []SubjectRow, err error) {
	const selected = `SELECT ` + subjectColumns + ` FROM subjects WHERE ` + OfStanding + `subjects.organization)) AND `
	err = tx.Query(selected+where, args, func(row Row) error {
		var s SubjectRow
		genuine, err := tx.scanSubject(row, &s)
		if err == nil && genuine {
			out = append(out, s)
		}
		return err
	})
	return out, err
}

// SubjectAccount returns the account of a person whom a provider vouches for.
func (tx *Tx) SubjectAccount(s model.Subject) (row SubjectRow, found bool, err error) {
	all, err := tx.subjects(`organization = ? AND issuer = ? AND subject = ?`, s.Organization, s.Issuer, s.Subject)
	if err != nil || len(all) == 0 {
		return row, false, err
	}
	return all[0], true, nil
}

// SubjectsOf returns whom the provider of an organization knows of these accounts.
func (tx *Tx) SubjectsOf(organization model.OrganizationID, accounts []model.AccountID) ([]SubjectRow, error) {
	return tx.subjects(`organization = ? AND account IN (?*) ORDER BY issuer, subject`, organization, accounts)
}

// LinkSubject notes whose account a person has. ok is false, and nothing changes, where it is another one already.
func (tx *Tx) LinkSubject(s *SubjectRow) (ok bool, err error) {
	code, err := tx.code(s)
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(`INSERT INTO subjects (`+subjectColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (organization, issuer, subject) DO UPDATE SET version = excluded.version, linked = excluded.linked,
		code = excluded.code WHERE subjects.account = excluded.account`, s.Organization, s.Issuer, s.Subject.Subject,
		s.Account, s.Version, Millis(s.Linked), code)
	return n > 0, err
}

// ForgetSubjects forgets that the provider of an organization knows an account.
func (tx *Tx) ForgetSubjects(organization model.OrganizationID, account model.AccountID) error {
	return tx.Post(`DELETE FROM subjects WHERE organization = ? AND account = ?`, organization, account)
}

// checkSubjects checks the codes of a batch of these rows.
func (tx *Tx) checkSubjects(after []any) (last []any, n int, err error) {
	err = tx.Query(`SELECT `+subjectColumns+` FROM subjects WHERE (organization, issuer, subject) > (?, ?, ?)
		ORDER BY organization, issuer, subject LIMIT ? + 0`, after, func(row Row) error {
		var s SubjectRow
		_, err := tx.scanSubject(row, &s)
		last, n = []any{s.Organization, s.Issuer, s.Subject.Subject}, n+1
		return err
	})
	return last, n, err
}

// SubjectKey is a key that came of a sign-in by a provider.
type SubjectKey struct {
	model.Subject
	Session string // the provider's name of its session; empty: it has none
	Account model.AccountID
	Key     string
}

// PutSubjectKey notes of which sign-in a key came.
func (tx *Tx) PutSubjectKey(k *SubjectKey) error {
	return tx.Post(`INSERT INTO subject_keys (organization, api_key, account, issuer, subject, sid)
		VALUES (?, ?, ?, ?, ?, ?)`, k.Organization, k.Key, k.Account, k.Issuer, k.Subject.Subject, k.Session)
}

// SubjectKeys returns the keys of a person, in the order of accounts and keys. Where session is not empty, these are
// those of that session of the provider's alone, and the subject may be empty.
func (tx *Tx) SubjectKeys(s model.Subject, session string) (all []SubjectKey, err error) {
	if session == "" {
		all, err = tx.subjectKeys(`subject = ?`, s.Organization, s.Subject)
	} else {
		all, err = tx.subjectKeys(`sid = ? AND sid <> ''`, s.Organization, session)
	}
	out := all[:0]
	for _, k := range all {
		if k.Issuer == s.Issuer && (s.Subject == "" || k.Subject.Subject == s.Subject) {
			out = append(out, k)
		}
	}
	return out, err
}

// SubjectKeysBut returns the keys that came of sign-ins with other issuers than this one, in the order of SubjectKeys.
func (tx *Tx) SubjectKeysBut(organization model.OrganizationID, issuer string) ([]SubjectKey, error) {
	return tx.subjectKeys(`issuer <> ?`, organization, issuer)
}

func (tx *Tx) subjectKeys(where string, args ...any) ([]SubjectKey, error) {
	const selected = `SELECT organization, api_key, account, issuer, subject, sid FROM subject_keys
		WHERE organization = ? AND `
	return List(tx, selected+where+` ORDER BY account, api_key`, args, func(k *SubjectKey, row Row) error {
		return row.Scan(&k.Organization, &k.Key, &k.Account, &k.Issuer, &k.Subject.Subject, &k.Session)
	})
}

// DropSubjectKeys removes what is noted of keys that are no more.
func (tx *Tx) DropSubjectKeys() error {
	return tx.Post(`DELETE FROM subject_keys ` +
		`WHERE NOT EXISTS (SELECT 1 FROM keys k WHERE k.api_key = subject_keys.api_key)`)
}
