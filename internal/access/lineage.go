package access

import (
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// MaxKeys is how many live keys an account has of each scope. A limit for all of them
// together would let one organization use up what another one needs.
const MaxKeys = 100

func tooManyKeys() *model.Error {
	return model.Invalidf("too_many_keys", "", "An account has at most %d keys; revoke one first.", MaxKeys)
}

// insertKey adds a key, if there is room for one more.
func (c *Control) insertKey(tx *store.Tx, k *model.Key) error {
	full, err := c.full(tx, k)
	if err == nil && full {
		err = tooManyKeys()
	}
	if err != nil {
		return err
	}
	return tx.InsertKey(k)
}

// scopeStands asks whether the organization that a key acts in is there: one that was
// deleted gets no more keys.
func scopeStands(tx *store.Tx, k *model.Key) error {
	if k.Scope == "" {
		return nil
	}
	_, found, err := tx.Organization(k.Scope)
	if err == nil && !found {
		err = model.Missing()
	}
	return err
}

// full reports whether the account of a key has as many of its scope as it may.
func (c *Control) full(tx *store.Tx, k *model.Key) (bool, error) {
	now := c.now()
	n, err := tx.CountKeys(k.Account, k.Scope, now, c.idleSince(now))
	return n >= MaxKeys, err
}

// idleSince are the times before which keys of sign-ins have ended that were not used since.
func (c *Control) idleSince(now time.Time) store.IdleSince {
	return store.IdleSince{Login: now.Add(-model.LoginIdle), Session: now.Add(-c.sessionIdle)}
}

// DeleteEndedKeys removes keys that have ended by themselves, with what was issued with them.
func (c *Control) DeleteEndedKeys(tx *store.Tx, now time.Time) error {
	return tx.DeleteExpiredKeys(now, c.idleSince(now))
}

// issuers are the keys that a key ends with: what issued it, or elevated who issued it, and what
// these end with. A session that was elevated is lowered when that key ends. Those that are not
// among the keys that are known are read.
func issuers(tx *store.Tx, k *model.Key, known map[string]model.Key) (all []model.Key, err error) {
	seen := map[string]bool{"": true, k.Key: true}
	for next := []*model.Key{k}; len(next) > 0; next = next[1:] {
		names := []string{next[0].Parent}
		if !next[0].Session {
			names = append(names, next[0].ElevatedWith)
		}
		for _, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			issuer, found := known[name]
			if !found {
				if issuer, found, err = tx.Key(name); err != nil {
					return nil, err
				}
			}
			if found {
				all, next = append(all, issuer), append(next, &issuer)
			}
		}
	}
	return all, nil
}

// descendants lists what was issued, or elevated, with these keys, with what these issued, and so on,
// but for one key and its own.
func descendants(tx *store.Tx, account model.AccountID, keys []string, but string) (all []string, err error) {
	for len(keys) > 0 {
		issued, err := tx.KeysIssuedWith(account, keys)
		if err != nil {
			return nil, err
		}
		keys = slices.DeleteFunc(issued, func(k string) bool { return k == but || slices.Contains(all, k) })
		all = append(all, keys...)
	}
	return all, nil
}

// endKeys ends keys of an account with their descendants, and returns all of these. One
// that is to stay stays, and belongs to what is left of those that it came from.
func endKeys(tx *store.Tx, account model.AccountID, keys []string, stays *model.Key) (ended []string, err error) {
	but := ""
	if stays != nil {
		but = stays.Key
	}
	issued, err := descendants(tx, account, keys, but)
	if err != nil {
		return nil, err
	}
	ended = append(slices.Clone(keys), issued...)
	if stays != nil && slices.Contains(ended, stays.ElevatedWith) {
		if err := tx.LowerKey(stays.Key); err != nil {
			return nil, err
		}
	}
	if stays != nil {
		parent := stays.Parent
		for slices.Contains(ended, parent) {
			k, _, err := tx.Key(parent)
			if err != nil {
				return nil, err
			}
			parent = k.Parent
		}
		if parent != stays.Parent {
			if err := tx.SetKeyParent(stays.Key, parent); err != nil {
				return nil, err
			}
		}
	}
	return ended, tx.DeleteKeys(ended)
}

// replaceLogin makes room for the key of a sign-in: it takes the place of its device's
// last one, and past the limit of the oldest. from is the key that signs in, which stays.
func (c *Control) replaceLogin(tx *store.Tx, k, from *model.Key) (ended []string, err error) {
	others := func(device string) ([]string, error) {
		logins, err := tx.LoginKeys(k.Account, k.Scope, device)
		return slices.DeleteFunc(logins, func(login string) bool { return from != nil && login == from.Key }), err
	}
	if k.Device != "" && !k.Session {
		same, err := others(k.Device)
		if err == nil {
			ended, err = endKeys(tx, k.Account, same, from)
		}
		if err != nil {
			return nil, err
		}
	}
	if full, err := c.full(tx, k); err != nil || !full {
		return ended, err
	}
	logins, err := others("")
	if err != nil {
		return nil, err
	}
	if len(logins) == 0 {
		return nil, tooManyKeys()
	}
	oldest, err := endKeys(tx, k.Account, logins[:1], from)
	return append(ended, oldest...), err
}
