package store

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"signet/internal/model"
)

// keyFields are the columns of a key that its code covers: all that say what it opens.
const keyFields = `api_key, account, kind, secret_hash, previous_hash, previous_until, counter, organization, parent,
	login, session, proof, grants, elevated_until, elevated_with, messages_per_day, requests_per_second, created, expires,
	networks`

// keyValues are what a key has in these columns. A new one needs a line there, one here
// and one in scanKey.
func keyValues(k *model.Key) []any {
	return []any{
		k.Key, k.Account, int(k.Kind), k.SecretHash, k.PreviousHash, Millis(k.PreviousUntil), k.Counter, k.Scope, k.Parent,
		k.Login, k.Session, string(k.Proof), Millis(k.Grants), Millis(k.Elevated), k.ElevatedWith,
		limitColumn(k.MessagesPerDay), limitColumn(k.RequestsPerSecond), Millis(k.Created), Millis(k.Expires),
		k.Networks.String(),
	}
}

// codedKey is a key with its code.
type codedKey model.Key

func (k *codedKey) cover(m *mac) {
	m.text("key")
	for _, value := range keyValues((*model.Key)(k)) {
		m.value(value)
	}
}

func (k *codedKey) name() Forgery { return Forgery{"key", k.Key} }

// keyColumns are those with the columns that open nothing, such as the one that each use
// changes.
const keyColumns = keyFields + `, issued_by, noticed, label, device, last_used, last_address, code`

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

// scanKey reads a key, and reports whether its code is right.
func (tx *Tx) scanKey(row Row, k *model.Key) (genuine bool, err error) {
	var kind int
	var previousUntil, grants, elevated, perDay, perSecond, created, expires, lastUsed int64
	var networks, lastAddress, proof string
	var code []byte
	if err := row.Scan(
		&k.Key, &k.Account, &kind, &k.SecretHash, &k.PreviousHash, &previousUntil, &k.Counter, &k.Scope, &k.Parent,
		&k.Login, &k.Session, &proof, &grants, &elevated, &k.ElevatedWith, &perDay, &perSecond, &created, &expires,
		&networks, &k.IssuedBy, &k.Noticed, &k.Label, &k.Device, &lastUsed, &lastAddress, &code); err != nil {
		return false, err
	}
	k.Kind, k.Proof = model.KeyKind(kind), model.Proof(proof)
	k.PreviousUntil, k.Created, k.LastUsed, k.Expires = FromMillis(previousUntil), FromMillis(created),
		FromMillis(lastUsed), FromMillis(expires)
	k.Grants, k.Elevated = FromMillis(grants), FromMillis(elevated)
	k.MessagesPerDay, k.RequestsPerSecond = limitFromColumn(perDay), limitFromColumn(perSecond)
	if networks != "" {
		if k.Networks, err = model.ParseNetworks(strings.Split(networks, ",")); err != nil {
			return false, fmt.Errorf("read the networks of key %s: %w", k.Key, err)
		}
	}
	if lastAddress != "" {
		if k.LastAddress, err = netip.ParseAddr(lastAddress); err != nil {
			return false, fmt.Errorf("read where key %s was last used: %w", k.Key, err)
		}
	}
	return tx.genuine(code, (*codedKey)(k)), nil
}

// keys calls fn with the keys of a selection.
func (tx *Tx) keys(fn func(k *model.Key), where string, args ...any) error {
	if err := tx.askKeys(fn, where, args...); err != nil {
		return err
	}
	return tx.Await()
}

func (tx *Tx) askKeys(fn func(k *model.Key), where string, args ...any) error {
	return tx.Ask(`SELECT `+keyColumns+` FROM keys k WHERE `+OfStanding+`k.organization)) AND `+where, args, func(row Row) error {
		var k model.Key
		genuine, err := tx.scanKey(row, &k)
		if err == nil && genuine {
			fn(&k)
		}
		return err
	})
}

// checkKeys checks the codes of a batch of keys.
func (tx *Tx) checkKeys(after []any) (last []any, n int, err error) {
	err = tx.Query(`SELECT `+keyColumns+` FROM keys WHERE api_key > ? ORDER BY api_key LIMIT ? + 0`, after,
		func(row Row) error {
			var k model.Key
			_, err := tx.scanKey(row, &k)
			last, n = []any{k.Key}, n+1
			return err
		})
	return last, n, err
}

// InsertKey adds a key.
func (tx *Tx) InsertKey(k *model.Key) error {
	code, err := tx.code((*codedKey)(k))
	if err != nil {
		return err
	}
	return tx.Post(
		`INSERT INTO keys (`+keyColumns+
			`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		append(keyValues(k), k.IssuedBy, k.Noticed, k.Label, k.Device, Millis(k.LastUsed), addressColumn(k.LastAddress),
			code)...)
}

// changeKey changes what a key opens: of what its code covers, the columns below. One that does not exist stays away.
func (tx *Tx) changeKey(key string, change func(k *model.Key)) error {
	var changed []model.Key
	err := tx.keys(func(k *model.Key) { changed = append(changed, *k) }, `api_key = ? `+tx.dialect.Lock, key)
	for i := range changed {
		k := &changed[i]
		change(k)
		code, err := tx.code((*codedKey)(k))
		if err == nil {
			err = tx.NoteAccess(k.Account)
		}
		if err == nil {
			err = tx.Post(`UPDATE keys SET secret_hash = ?, previous_hash = ?, previous_until = ?, organization = ?, parent = ?,
				proof = ?, elevated_until = ?, elevated_with = ?, messages_per_day = ?, requests_per_second = ?, code = ?
				WHERE api_key = ?`,
				k.SecretHash, k.PreviousHash, Millis(k.PreviousUntil), k.Scope, k.Parent, string(k.Proof), Millis(k.Elevated),
				k.ElevatedWith, limitColumn(k.MessagesPerDay), limitColumn(k.RequestsPerSecond), code, key)
		}
		if err != nil {
			return err
		}
	}
	return err
}

// Key returns a key.
func (tx *Tx) Key(key string) (k model.Key, found bool, err error) {
	err = tx.keys(func(row *model.Key) { k, found = *row, true }, `api_key = ?`, key)
	return k, found, err
}

// Keys returns the keys of an account, the oldest first.
func (tx *Tx) Keys(account model.AccountID) (out []model.Key, err error) {
	err = tx.keys(func(k *model.Key) { out = append(out, *k) }, `account = ? ORDER BY created, api_key`, account)
	return out, err
}

// AskKeysNamed asks for those of the keys that exist, by their names.
func (tx *Tx) AskKeysNamed(names []string, out map[string]model.Key) error {
	return tx.askKeys(func(k *model.Key) { out[k.Key] = *k }, `api_key IN (?*)`, names)
}

// IdleSince are the times since when the keys of sign-ins that were not used have ended.
type IdleSince struct {
	Login, Session time.Time
}

// idleKeys is the condition of their rows, with the arguments of idle.
const idleKeys = `(login = 1 AND session = 0 AND created < ? AND last_used < ? ` +
	`OR session = 1 AND created < ? AND last_used < ?)`

func (i *IdleSince) arguments() []any {
	return []any{Millis(i.Login), Millis(i.Login), Millis(i.Session), Millis(i.Session)}
}

// CountKeys counts the keys of an account with a scope that have not ended.
func (tx *Tx) CountKeys(account model.AccountID, scope model.OrganizationID, now time.Time, idle IdleSince) (n int,
	err error) {
	_, err = tx.One(`SELECT COUNT(*) FROM keys WHERE account = ? AND organization = ? AND (expires = 0 OR expires > ?)
		AND NOT `+idleKeys, append([]any{account, scope, Millis(now)}, idle.arguments()...), &n)
	return n, err
}

// LoginKeys lists the keys of an account with a scope that a sign-in issued, on one device
// where that is named, the oldest first. No device has a session: many are described alike.
func (tx *Tx) LoginKeys(account model.AccountID, scope model.OrganizationID, device string) ([]string, error) {
	if device == "" {
		return tx.keyNames(`account = ? AND login = 1 AND organization = ? ORDER BY created, api_key`, account, scope)
	}
	return tx.keyNames(`account = ? AND login = 1 AND device = ? AND session = 0 AND organization = ?
		ORDER BY created, api_key`, account, device, scope)
}

// AllLoginKeys lists those of every scope.
func (tx *Tx) AllLoginKeys(account model.AccountID) ([]string, error) {
	return tx.keyNames(`account = ? AND login = 1 ORDER BY created, api_key`, account)
}

// KeysIssuedWith lists what an account issued with some of its keys, and elevated.
func (tx *Tx) KeysIssuedWith(account model.AccountID, keys []string) ([]string, error) {
	return tx.keyNames(`account = ? AND (parent IN (?*) OR elevated_with IN (?*)) ORDER BY api_key`, account, keys, keys)
}

func (tx *Tx) keyNames(where string, args ...any) ([]string, error) {
	return Column[string](tx, `SELECT api_key FROM keys WHERE `+where, args...)
}

// SetKeyParent says with which key another one ends; empty: with none.
func (tx *Tx) SetKeyParent(key, parent string) error {
	return tx.changeKey(key, func(k *model.Key) { k.Parent = parent })
}

// SetKeyScope gives keys a scope.
func (tx *Tx) SetKeyScope(keys []string, scope model.OrganizationID) error {
	for _, key := range keys {
		if err := tx.changeKey(key, func(k *model.Key) { k.Scope = scope }); err != nil {
			return err
		}
	}
	return nil
}

// LabelKey says what people call a key.
func (tx *Tx) LabelKey(key, label string) error {
	return tx.Post(`UPDATE keys SET label = ? WHERE api_key = ?`, label, key)
}

// DeleteKeys ends keys.
func (tx *Tx) DeleteKeys(keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	if err := tx.noteAccessByKeys(`api_key IN (?*)`, keys); err != nil {
		return err
	}
	if err := tx.EndMadeWith(keys); err != nil {
		return err
	}
	return tx.Post(`DELETE FROM keys WHERE api_key IN (?*)`, keys)
}

// EndMadeWith removes what ends with keys: what they push to, and the passkeys that their sessions made.
func (tx *Tx) EndMadeWith(keys []string) error {
	if err := tx.Post(`DELETE FROM push_subscriptions WHERE api_key IN (?*)`, keys); err != nil {
		return err
	}
	return tx.Post(`DELETE FROM passkeys WHERE parent IN (?*) AND parent <> ''`, keys)
}

// RotateKey gives a key a new secret; the one it had opens until graceEnd.
func (tx *Tx) RotateKey(key string, secretHash []byte, graceEnd time.Time) error {
	return tx.changeKey(key, func(k *model.Key) {
		k.SecretHash, k.PreviousHash, k.PreviousUntil = secretHash, k.SecretHash, graceEnd
	})
}

// ElevateKey makes a session count as administrative until a time, by a key where one is
// named, and gives it a new secret; the one it had opens until graceEnd.
func (tx *Tx) ElevateKey(key string, secretHash []byte, graceEnd, until time.Time, with string) error {
	return tx.changeKey(key, func(k *model.Key) {
		k.SecretHash, k.PreviousHash, k.PreviousUntil = secretHash, k.SecretHash, graceEnd
		k.Elevated, k.ElevatedWith = until, with
	})
}

// ProveKey notes by what the sign-in of a session was proven, and gives it a new secret, as ElevateKey does. It counts
// as administrative until a time, with a key where one is named; zero leaves it as it is.
func (tx *Tx) ProveKey(key string, by model.Proof, with string, secretHash []byte, graceEnd, until time.Time) error {
	return tx.changeKey(key, func(k *model.Key) {
		k.SecretHash, k.PreviousHash, k.PreviousUntil = secretHash, k.SecretHash, graceEnd
		k.Proof = by
		if !until.IsZero() {
			k.Elevated, k.ElevatedWith = until, with
		}
	})
}

// KeysProvenBy lists the keys of an account whose sign-ins had this proof.
func (tx *Tx) KeysProvenBy(account model.AccountID, by model.Proof) ([]string, error) {
	return tx.keyNames(`account = ? AND login = 1 AND proof = ? ORDER BY created, api_key`, account, string(by))
}

// LowerKey ends that.
func (tx *Tx) LowerKey(key string) error {
	return tx.changeKey(key, func(k *model.Key) { k.Elevated, k.ElevatedWith = time.Time{}, "" })
}

// LimitKeys gives other limits to the keys of an account that share a counter; nil is the
// configured one.
func (tx *Tx) LimitKeys(account model.AccountID, counter string, perDay, perSecond *int) error {
	names, err := tx.keyNames(`account = ? AND counter = ? ORDER BY api_key`, account, counter)
	if err != nil {
		return err
	}
	for _, key := range names {
		if err := tx.changeKey(key, func(k *model.Key) {
			k.MessagesPerDay, k.RequestsPerSecond = perDay, perSecond
		}); err != nil {
			return err
		}
	}
	return nil
}

// LimitsOf returns the limits of the keys of an account that share a counter; nil where they
// are the configured ones, or there is no such key.
func (tx *Tx) LimitsOf(account model.AccountID, counter string) (perDay, perSecond *int, err error) {
	err = tx.keys(func(k *model.Key) { perDay, perSecond = k.MessagesPerDay, k.RequestsPerSecond },
		`account = ? AND counter = ? ORDER BY created DESC LIMIT 1`, account, counter)
	return perDay, perSecond, err
}

// addressColumn is the stored form of an address; one that is not known is empty.
func addressColumn(address netip.Addr) string {
	if !address.IsValid() {
		return ""
	}
	return address.String()
}

// TouchKeys notes when keys were last used, and from where. A time never goes back.
func (tx *Tx) TouchKeys(used map[string]model.KeyUse) error {
	// In one order on every node, so that none waits for another in a circle.
	for _, key := range slices.Sorted(maps.Keys(used)) {
		use := used[key]
		if err := tx.Post(`UPDATE keys SET last_used = ?, last_address = ? WHERE api_key = ? AND last_used < ?`,
			Millis(use.At), addressColumn(use.From), key, Millis(use.At)); err != nil {
			return err
		}
	}
	return nil
}

// issuedByNone is the condition of keys that ended with the one that issued them, or elevated
// who did.
const issuedByNone = `parent <> '' AND NOT EXISTS (SELECT 1 FROM keys p WHERE p.api_key = keys.parent) ` +
	`OR elevated_with <> '' AND NOT EXISTS (SELECT 1 FROM keys p WHERE p.api_key = keys.elevated_with)`

// DeleteExpiredKeys removes keys that ended before then, or by not being used, with what was
// issued with them. Whoever reads with one that ended by itself knows when: only its account gets
// another number, since a server may know of a use which is not written yet.
func (tx *Tx) DeleteExpiredKeys(ended time.Time, idle IdleSince) error {
	const over = `(expires > 0 AND expires < ?) OR ` + idleKeys
	args := append([]any{Millis(ended)}, idle.arguments()...)
	owners, err := tx.ownersOfKeys(over, args...)
	if err != nil || len(owners) == 0 {
		return err
	}
	if err := tx.RaiseAccess(owners...); err != nil {
		return err
	}
	n, err := tx.Exec(`DELETE FROM keys WHERE `+over, args...)
	for err == nil && n > 0 {
		if err = tx.noteAccessByKeys(issuedByNone); err == nil {
			n, err = tx.Exec(`DELETE FROM keys WHERE ` + issuedByNone)
		}
	}
	if err != nil {
		return err
	}
	const keyless = `NOT EXISTS (SELECT 1 FROM keys k WHERE k.api_key = push_subscriptions.api_key)`
	if err := tx.Post(`DELETE FROM push_subscriptions WHERE ` + keyless); err != nil {
		return err
	}
	return tx.Post(`DELETE FROM passkeys WHERE parent <> ''
		AND NOT EXISTS (SELECT 1 FROM keys k WHERE k.api_key = passkeys.parent)`)
}

// KeysOfEach returns the keys of several accounts, of each in the order of their names.
func (tx *Tx) KeysOfEach(accounts []model.AccountID) (map[model.AccountID][]model.Key, error) {
	out := make(map[model.AccountID][]model.Key, len(accounts))
	err := tx.keys(func(k *model.Key) { out[k.Account] = append(out[k.Account], *k) },
		`account IN (?*) ORDER BY account, api_key`, accounts)
	return out, err
}
