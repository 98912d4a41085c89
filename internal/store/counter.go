package store

import (
	"strings"
	"time"

	"signet/internal/model"
)

// DayOf numbers the UTC days that things are counted by, from 1970.
func DayOf(at time.Time) int64 { return at.Unix() / 86400 }

// CounterOf is the counter of messages that all password sign-ins of an account share.
func CounterOf(account model.AccountID) string { return "account:" + account.String() }

// Counter names what is counted of an account besides messages: of a kind, by a key's
// counter.
func Counter(account model.AccountID, kind, counter string) string {
	return CounterOf(account) + ":" + kind + ":" + counter
}

// ParseCounter reads what Counter made; kind is empty for any other one.
func ParseCounter(text string) (account model.AccountID, kind, counter string) {
	parts := strings.SplitN(text, ":", 4)
	if len(parts) == 4 {
		account, _ = model.ParseAccountID(parts[1])
		kind, counter = parts[2], parts[3]
	}
	return account, kind, counter
}

// Count is what was counted on a day.
type Count struct {
	Counter string
	Day     int64
	Sent    int64
}

// PastCounts returns counts above a number, of the days before one, that are an account's.
func (tx *Tx) PastCounts(day, above int64) ([]Count, error) {
	return List(tx, `SELECT counter, day, sent FROM quotas
		WHERE counter >= 'account:' AND counter < 'account;' AND day < ? AND sent > ?`, []any{day, above},
		func(c *Count, row Row) error { return row.Scan(&c.Counter, &c.Day, &c.Sent) })
}

// DeleteCount removes a count, and reports whether it was there.
func (tx *Tx) DeleteCount(c Count) (deleted bool, err error) {
	n, err := tx.exec(`DELETE FROM quotas WHERE counter = ? AND day = ?`, c.Counter, c.Day)
	return n > 0, err
}
