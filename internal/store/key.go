package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"signet/internal/model"
)

const keyColumns = `api_key, account, kind, secret_hash, previous_hash, previous_until, counter, issued_by,
	organization, parent, device, login,
	messages_per_day, requests_per_second, created, last_used, expires, networks`

// ownLimit is the stored form of a limit that a key does not set itself.
const ownLimit = -1

func limitColumn(n *int) int64 {
	if n == nil {
		return ownLimit
	}
	return int64(*n)
}

func limitFromColumn(n int64) *int {
	if n == ownLimit {
		return nil
	}
	limit := int(n)
	return &limit
}

func scanKey(row Row, k *model.Key) error {
	var kind int
	var previousUntil, perDay, perSecond, created, lastUsed, expires int64
	var networks string
	if err := row.Scan(&k.Key, &k.Account, &kind, &k.SecretHash, &k.PreviousHash, &previousUntil, &k.Counter, &k.IssuedBy,
		&k.Scope, &k.Parent, &k.Device, &k.Login,
		&perDay, &perSecond, &created, &lastUsed, &expires, &networks); err != nil {
		return err
	}
	k.Kind = model.KeyKind(kind)
	k.PreviousUntil, k.Created, k.LastUsed, k.Expires = fromMillis(previousUntil), fromMillis(created),
		fromMillis(lastUsed), fromMillis(expires)
	k.MessagesPerDay, k.RequestsPerSecond = limitFromColumn(perDay), limitFromColumn(perSecond)
	if networks == "" {
		return nil
	}
	var err error
	if k.Networks, err = model.ParseNetworks(strings.Split(networks, ",")); err != nil {
		return fmt.Errorf("read the networks of key %s: %w", k.Key, err)
	}
	return nil
}

// InsertKey adds a key.
func (tx *Tx) InsertKey(k *model.Key) error {
	err := tx.post(`INSERT INTO keys (`+keyColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		k.Key, k.Account, int(k.Kind), k.SecretHash, k.PreviousHash, millis(k.PreviousUntil), k.Counter, k.IssuedBy,
		k.Scope, k.Parent,
		k.Device, k.Login,
		limitColumn(k.MessagesPerDay), limitColumn(k.RequestsPerSecond), millis(k.Created), millis(k.LastUsed),
		millis(k.Expires), k.Networks.String())
	return err
}

// Key returns a key.
func (tx *Tx) Key(key string) (k model.Key, found bool, err error) {
	err = tx.each(`SELECT `+keyColumns+` FROM keys WHERE api_key = ?`, []any{key}, func(row Row) error {
		found = true
		return scanKey(row, &k)
	})
	return k, found, err
}

// Keys returns the keys of an account, the oldest first.
func (tx *Tx) Keys(account model.AccountID) (out []model.Key, err error) {
	err = tx.each(`SELECT `+keyColumns+` FROM keys WHERE account = ? ORDER BY created, api_key`, []any{account},
		func(row Row) error {
			var k model.Key
			err := scanKey(row, &k)
			out = append(out, k)
			return err
		})
	return out, err
}

// KeySecrets returns those of the keys that exist, with what tells whether a secret
// opens them and nothing else.
func (tx *Tx) KeySecrets(keys []string) (map[string]model.Key, error) {
	out := make(map[string]model.Key, len(keys))
	err := tx.each(`SELECT api_key, organization, secret_hash, previous_hash, previous_until, expires FROM keys
		WHERE api_key IN (?*)`,
		[]any{keys}, func(row Row) error {
			var k model.Key
			var previousUntil, expires int64
			err := row.Scan(&k.Key, &k.Scope, &k.SecretHash, &k.PreviousHash, &previousUntil, &expires)
			k.PreviousUntil, k.Expires = fromMillis(previousUntil), fromMillis(expires)
			out[k.Key] = k
			return err
		})
	return out, err
}

// CountKeys counts the keys of an account with a scope that have not expired, but for
// those of sign-ins that were not used since idleSince.
func (tx *Tx) CountKeys(account model.AccountID, scope model.OrganizationID, now, idleSince time.Time) (n int,
	err error) {
	_, err = tx.one(`SELECT COUNT(*) FROM keys WHERE account = ? AND organization = ? AND (expires = 0 OR expires > ?)
		AND NOT (login = 1 AND created < ? AND last_used < ?)`,
		[]any{account, scope, millis(now), millis(idleSince), millis(idleSince)}, &n)
	return n, err
}

// LoginKeys lists the keys of an account with a scope that a sign-in issued, on one device
// where that is named, the oldest first.
func (tx *Tx) LoginKeys(account model.AccountID, scope model.OrganizationID, device string) ([]string, error) {
	if device == "" {
		return tx.keyNames(`account = ? AND login = 1 AND organization = ? ORDER BY created, api_key`, account, scope)
	}
	return tx.keyNames(`account = ? AND login = 1 AND device = ? AND organization = ? ORDER BY created, api_key`, account,
		device, scope)
}

// AllLoginKeys lists those of every scope.
func (tx *Tx) AllLoginKeys(account model.AccountID) ([]string, error) {
	return tx.keyNames(`account = ? AND login = 1 ORDER BY created, api_key`, account)
}

// KeysIssuedWith lists what an account issued with some of its keys.
func (tx *Tx) KeysIssuedWith(account model.AccountID, keys []string) ([]string, error) {
	return tx.keyNames(`account = ? AND parent IN (?*) ORDER BY api_key`, account, keys)
}

func (tx *Tx) keyNames(where string, args ...any) (out []string, err error) {
	err = tx.each(`SELECT api_key FROM keys WHERE `+where, args, func(row Row) error {
		var key string
		err := row.Scan(&key)
		out = append(out, key)
		return err
	})
	return out, err
}

// SetKeyParent says with which key another one ends; empty: with none.
func (tx *Tx) SetKeyParent(key, parent string) error {
	return tx.post(`UPDATE keys SET parent = ? WHERE api_key = ?`, parent, key)
}

// SetKeyScope gives keys a scope.
func (tx *Tx) SetKeyScope(keys []string, scope model.OrganizationID) error {
	return tx.post(`UPDATE keys SET organization = ? WHERE api_key IN (?*)`, scope, keys)
}

// DeleteKeys ends keys.
func (tx *Tx) DeleteKeys(keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	return tx.post(`DELETE FROM keys WHERE api_key IN (?*)`, keys)
}

// DeleteKey ends a key.
func (tx *Tx) DeleteKey(key string) error { return tx.DeleteKeys([]string{key}) }

// RotateKey gives a key a new secret; the one it had opens until graceEnd.
func (tx *Tx) RotateKey(key string, secretHash []byte, graceEnd time.Time) error {
	err := tx.post(`UPDATE keys SET previous_hash = secret_hash, previous_until = ?, secret_hash = ? WHERE api_key = ?`,
		millis(graceEnd), secretHash, key)
	return err
}

// LimitKey gives a key other limits; nil is the configured one.
func (tx *Tx) LimitKey(key string, perDay, perSecond *int) error {
	err := tx.post(`UPDATE keys SET messages_per_day = ?, requests_per_second = ? WHERE api_key = ?`,
		limitColumn(perDay), limitColumn(perSecond), key)
	return err
}

// TouchKeys notes when keys were last used. A time never goes back.
func (tx *Tx) TouchKeys(used map[string]time.Time) error {
	// In one order on every node, so that none waits for another in a circle.
	for _, key := range slices.Sorted(maps.Keys(used)) {
		at := used[key]
		if err := tx.post(`UPDATE keys SET last_used = ? WHERE api_key = ? AND last_used < ?`, millis(at), key,
			millis(at)); err != nil {
			return err
		}
	}
	return nil
}

// DeleteExpiredKeys removes keys that ended before then, and logins that were not used
// since idleSince, with what was issued with them.
func (tx *Tx) DeleteExpiredKeys(ended, idleSince time.Time) error {
	n, err := tx.exec(
		`DELETE FROM keys WHERE (expires > 0 AND expires < ?) OR (login = 1 AND created < ? AND last_used < ?)`,
		millis(ended), millis(idleSince), millis(idleSince))
	for err == nil && n > 0 {
		n, err = tx.exec(
			`DELETE FROM keys WHERE parent <> '' AND NOT EXISTS (SELECT 1 FROM keys p WHERE p.api_key = keys.parent)`)
	}
	return err
}

// CountMessage counts one more message of a day (days since 1970, UTC) and
// returns how many there are now.
func (tx *Tx) CountMessage(counter string, day int64) (sent int, err error) {
	_, err = tx.one(`INSERT INTO quotas (counter, day, sent) VALUES (?, ?, 1)
		ON CONFLICT (counter, day) DO UPDATE SET sent = quotas.sent + 1 RETURNING sent`, []any{counter, day}, &sent)
	return sent, err
}

// MessagesSent returns how many messages of a day were counted.
func (tx *Tx) MessagesSent(counter string, day int64) (sent int, err error) {
	_, err = tx.one(`SELECT sent FROM quotas WHERE counter = ? AND day = ?`, []any{counter, day}, &sent)
	return sent, err
}

// DeleteQuotasBefore forgets the counts of earlier days.
func (tx *Tx) DeleteQuotasBefore(day int64) error {
	err := tx.post(`DELETE FROM quotas WHERE day < ?`, day)
	return err
}
