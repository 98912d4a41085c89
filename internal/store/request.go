package store

import (
	"time"

	"signet/internal/model"
)

// Request is a send that was carried out under a Request-ID (contract, 5.1), or an account
// that was made.
type Request struct {
	Account      model.AccountID
	ID           string
	Fingerprint  []byte // of recipient and content
	Organization model.OrganizationID
	Message      model.MessageID // or the account's; zero: that was erased
	TTL          int
	Created      time.Time
}

// Request returns what an account sent under a Request-ID after a time.
func (tx *Tx) Request(account model.AccountID, id string, after time.Time) (r Request, found bool, err error) {
	asked, err := tx.AskRequest(account, id, after)
	if err == nil {
		err = tx.Await()
	}
	return asked.Row, asked.Found, err
}

// AskRequest asks for that.
func (tx *Tx) AskRequest(account model.AccountID, id string, after time.Time) (*Asked[Request], error) {
	return AskFirst(tx, `SELECT account, request, fingerprint, organization, message, ttl, created FROM requests
		WHERE account = ? AND request = ? AND created > ?`, []any{account, id, Millis(after)},
		func(r *Request, row Row) error {
			var created int64
			err := row.Scan(&r.Account, &r.ID, &r.Fingerprint, &r.Organization, &r.Message, &r.TTL, &created)
			r.Created = FromMillis(created)
			return err
		})
}

// PutRequest notes what was sent under a Request-ID, in place of one from before
// a time, which is too old to be repeated. Where a younger one exists it returns
// ErrConflict: somebody else sent under the same id meanwhile.
func (tx *Tx) PutRequest(r *Request, after time.Time) error {
	n, err := tx.Exec(
		`INSERT INTO requests (account, request, fingerprint, organization, message, ttl, created)
			VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (account, request) DO UPDATE SET fingerprint = excluded.fingerprint, organization = excluded.organization,
		message = excluded.message, ttl = excluded.ttl, created = excluded.created WHERE requests.created <= ?`,
		r.Account, r.ID, r.Fingerprint, r.Organization, r.Message, r.TTL, Millis(r.Created), Millis(after))
	if err == nil && n == 0 {
		err = ErrConflict
	}
	return err
}

// DeleteRequestsBefore forgets up to limit of the requests that can no longer be repeated, and returns how many
// those were.
func (tx *Tx) DeleteRequestsBefore(t time.Time, limit int) (int, error) {
	n, err := tx.Exec(`DELETE FROM requests WHERE created <= ? AND (account, request) IN (SELECT account, request
		FROM requests WHERE created <= ? ORDER BY created LIMIT ? + 0)`, Millis(t), Millis(t), limit)
	return int(n), err
}
