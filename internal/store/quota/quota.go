// Package quota counts, by the day, messages and other acts of an account or on it, which have daily
// limits.
//
// It owns quotas. It does not know the limits.
package quota

import (
	"fmt"
	"strings"
	"time"

	"signet/internal/model"
	"signet/internal/store"
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
func PastCounts(tx *store.Tx, day, above int64) ([]Count, error) {
	return store.List(tx, `SELECT counter, day, sent FROM quotas
		WHERE counter >= 'account:' AND counter < 'account;' AND day < ? AND sent > ?`, []any{day, above}, (*Count).scan)
}

func (c *Count) scan(row store.Row) error { return row.Scan(&c.Counter, &c.Day, &c.Sent) }

// Take removes a count, and returns what was counted by then.
func Take(tx *store.Tx, c Count) (taken Count, found bool, err error) {
	found, err = tx.One(`DELETE FROM quotas WHERE counter = ? AND day = ? RETURNING sent`, []any{c.Counter, c.Day},
		&c.Sent)
	return c, found, err
}

// TakeOf removes all that was counted of an account, but by the counters of its keys, and returns it.
func TakeOf(tx *store.Tx, account model.AccountID) (taken []Count, err error) {
	err = tx.Query(`DELETE FROM quotas WHERE counter >= ? AND counter < ? OR counter >= ? AND counter < ?
		RETURNING counter, day, sent`,
		[]any{CounterOf(account), CounterOf(account) + ";", ToldOf(account), ToldOf(account) + ";"},
		func(row store.Row) error {
			var c Count
			err := c.scan(row)
			taken = append(taken, c)
			return err
		})
	return taken, err
}

// ToldOf begins the counters of what was done to an account.
func ToldOf(account model.AccountID) string { return "told:" + account.String() }

// CountTold counts one more act on an account by administrators of another organization,
// and returns how many there were in the hour.
func CountTold(tx *store.Tx, account model.AccountID, by model.OrganizationID, at time.Time) (acts int, err error) {
	return CountMessage(tx, fmt.Sprintf("%s:%s:%02d", ToldOf(account), by, at.UTC().Hour()), DayOf(at))
}

// ParseTold reads the name of a counter of CountTold: who did something, to whom, and in which hour of the day.
func ParseTold(text string) (by model.OrganizationID, account model.AccountID, hour string, ok bool) {
	parts := strings.Split(text, ":")
	if len(parts) != 4 || parts[0] != "told" {
		return "", account, "", false
	}
	account, ok = model.ParseAccountID(parts[1])
	return model.OrganizationID(parts[2]), account, parts[3], ok
}

// PastTold returns the counts of hours before that of a time in which there was more than
// one act.
func PastTold(tx *store.Tx, at time.Time) (past []Count, err error) {
	all, err := store.List(tx, `SELECT counter, day, sent FROM quotas
		WHERE counter >= 'told:' AND counter < 'told;' AND day <= ? AND sent > 1`, []any{DayOf(at)}, (*Count).scan)
	now := fmt.Sprintf("%02d", at.UTC().Hour())
	for _, c := range all {
		if _, _, hour, ok := ParseTold(c.Counter); ok && (c.Day < DayOf(at) || hour < now) {
			past = append(past, c)
		}
	}
	return past, err
}

// By returns what was counted of accounts that administrators of an organization acted on. No index has it.
func By(tx *store.Tx, id model.OrganizationID) ([]Count, error) {
	return store.List(tx, `SELECT counter, day, sent FROM quotas
		WHERE counter >= 'told:' AND counter < 'told;' AND counter LIKE ?
		OR counter >= 'account:' AND counter < 'account;' AND counter LIKE ?`,
		[]any{"told:%:" + string(id) + ":%", "account:%:" + string(id)}, (*Count).scan)
}

// CountMessage counts one more message of a day (days since 1970, UTC) and
// returns how many there are now.
func CountMessage(tx *store.Tx, counter string, day int64) (sent int, err error) {
	_, err = tx.One(`INSERT INTO quotas (counter, day, sent) VALUES (?, ?, 1)
		ON CONFLICT (counter, day) DO UPDATE SET sent = quotas.sent + 1 RETURNING sent`, []any{counter, day}, &sent)
	return sent, err
}

// MessagesSent returns how many messages of a day were counted.
func MessagesSent(tx *store.Tx, counter string, day int64) (sent int, err error) {
	asked, err := AskMessagesSent(tx, counter, day)
	if err == nil {
		err = tx.Await()
	}
	return asked.Row, err
}

// AskMessagesSent asks for that.
func AskMessagesSent(tx *store.Tx, counter string, day int64) (*store.Asked[int], error) {
	return store.AskFirst(tx, `SELECT sent FROM quotas WHERE counter = ? AND day = ?`, []any{counter, day},
		func(sent *int, row store.Row) error { return row.Scan(sent) })
}

// DeleteBefore forgets the counts of earlier days.
func DeleteBefore(tx *store.Tx, day int64) error {
	return tx.Post(`DELETE FROM quotas WHERE day < ?`, day)
}
