package access

import (
	"slices"

	"signet/internal/model"
)

// Owned are keys of an account, which is found with all of its memberships.
type Owned struct {
	Target
	Keys []model.Key
}

// SeenKeys are those of an account's keys that the actor sees, which may be none.
func (c *Control) SeenKeys(actor *model.Actor, o *Owned) []model.Key {
	r, err := reachOf(actor, &o.Account, o.Memberships)
	if err != nil {
		return nil
	}
	return c.seen(&r, o.Keys)
}

// seen returns the keys that are seen, with when and from where they were last used. Of those that are
// not managed there is what tells that they exist, and who issued them.
func (c *Control) seen(r *reach, keys []model.Key) []model.Key {
	keys = slices.DeleteFunc(keys, func(k model.Key) bool { return !r.sees(&k) })
	c.noteUses(keys)
	for i := range keys {
		if k := &keys[i]; !r.manages(k) {
			*k = model.Key{Key: k.Key, Account: k.Account, Kind: k.Kind, IssuedBy: k.IssuedBy, Created: k.Created}
		}
	}
	return keys
}

// LiveKeys returns the keys that open something now, with when they were last used.
func (c *Control) LiveKeys(keys []model.Key) []model.Key {
	c.noteUses(keys)
	now := c.now()
	return slices.DeleteFunc(keys, func(k model.Key) bool { return !k.LiveAt(now) })
}

// noteUses gives keys their last use on this node, where that is not written yet.
func (c *Control) noteUses(keys []model.Key) {
	c.usedMu.Lock()
	defer c.usedMu.Unlock()
	for i := range keys {
		if use, ok := c.used[keys[i].Key]; ok {
			keys[i].LastUsed, keys[i].LastAddress = use.At, use.From
		}
	}
}
