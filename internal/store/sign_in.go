package store

import (
	"time"

	"signet/internal/model"
)

// SignIn is something that is good once, and for minutes: a sign-in that was begun, what came of it, a logout.
type SignIn struct {
	Token        []byte // SHA-256 of what whoever comes back brings
	Organization model.OrganizationID
	Said         string // JSON, whose meaning is its maker's
	Created      time.Time
}

func (s *SignIn) cover(m *mac) {
	m.text("sign-in")
	m.bytes(s.Token)
	m.text(string(s.Organization))
	m.text(s.Said)
	m.number(Millis(s.Created))
}

func (s *SignIn) name() Forgery { return Forgery{"sign_in", string(s.Organization)} }

const signInColumns = `token, organization, said, created, code`

func (tx *Tx) scanSignIn(row Row, s *SignIn) (genuine bool, err error) {
	var created int64
	var code []byte
	if err := row.Scan(&s.Token, &s.Organization, &s.Said, &created, &code); err != nil {
		return false, err
	}
	s.Created = FromMillis(created)
	return tx.genuine(code, s), nil
}

// PutSignIn notes a sign-in. ok is false, and nothing changes, where one has this token.
func (tx *Tx) PutSignIn(s *SignIn) (ok bool, err error) {
	code, err := tx.code(s)
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(`INSERT INTO sign_ins (`+signInColumns+`) VALUES (?, ?, ?, ?, ?) ON CONFLICT (token) DO NOTHING`,
		s.Token, s.Organization, s.Said, Millis(s.Created), code)
	return n > 0, err
}

// SignIn returns the sign-in of an organization that has a token and was noted since a time.
func (tx *Tx) SignIn(organization model.OrganizationID, token []byte, since time.Time) (s SignIn, found bool,
	err error) {
	err = tx.Query(`SELECT `+signInColumns+` FROM sign_ins WHERE token = ? AND organization = ? AND created > ?`,
		[]any{token, organization, Millis(since)}, func(row Row) (err error) {
			found, err = tx.scanSignIn(row, &s)
			return err
		})
	return s, found, err
}

// TakeSignIn is SignIn of one that nobody else finds from then on.
func (tx *Tx) TakeSignIn(organization model.OrganizationID, token []byte, since time.Time) (s SignIn, found bool,
	err error) {
	s, found, err = tx.SignIn(organization, token, since)
	if err != nil || !found {
		return s, false, err
	}
	n, err := tx.Exec(`DELETE FROM sign_ins WHERE token = ?`, token)
	return s, n > 0, err
}

// DeleteSignInsBefore removes those that were noted before a time.
func (tx *Tx) DeleteSignInsBefore(then time.Time) error {
	return tx.Post(`DELETE FROM sign_ins WHERE created < ?`, Millis(then))
}

// checkSignIns checks the codes of a batch of sign-ins.
func (tx *Tx) checkSignIns(after []any) (last []any, n int, err error) {
	err = tx.Query(`SELECT `+signInColumns+` FROM sign_ins WHERE token > ? ORDER BY token LIMIT ? + 0`, after,
		func(row Row) error {
			var s SignIn
			_, err := tx.scanSignIn(row, &s)
			last, n = []any{s.Token}, n+1
			return err
		})
	return last, n, err
}
