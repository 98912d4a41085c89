package seal

import (
	"context"
	"fmt"
	"maps"
	"time"
)

// Imported is what Import found in a copy of the ring.
type Imported struct {
	Added  int // keys that the ring did not have, and that something is sealed with
	Known  int // that it has
	Ended  int // that were destroyed, here or where the copy was made: they do not come back
	Unused int // that nothing is sealed with
}

// Import takes over from a copy of the same ring the keys that are missing and
// wanted. What this ring has destroyed stays destroyed, and so does what it lacks and the
// copy knows to be destroyed. from is the copy's master key; each key is wrapped anew with
// the ring's own. Import may run again.
func (r *Ring) Import(ctx context.Context, c *Contents, from Master, wanted func(Record) bool) (done Imported,
	err error) {
	theirs, err := from.load()
	if err != nil {
		return done, err
	}
	r.loading.Lock()
	defer r.loading.Unlock()
	now := r.clock()
	r.mu.RLock()
	ours := r.master
	r.mu.RUnlock()
	var after Contents
	err = r.storage.Rewrap(ctx, func(here *Contents) error {
		done = Imported{}
		if here.ID != c.ID {
			return &SetupError{fmt.Sprintf("the copy is of key ring %s, and the one at %s is %s", c.ID, r.storage, here.ID)}
		}
		have, named := map[KeyID]bool{}, map[Name]bool{}
		for _, record := range here.Records {
			have[record.ID], named[record.Name] = true, named[record.Name] || record.Retired.IsZero()
		}
		for _, record := range c.Records {
			_, gone := here.Gone[record.ID]
			switch {
			case have[record.ID]:
				done.Known++
				continue
			case gone:
				done.Ended++
				continue
			case !wanted(record):
				done.Unused++
				continue
			}
			secret, err := theirs.unwrap(c.ID, &record)
			if err != nil {
				return &SetupError{fmt.Sprintf("key %s of the copy does not open with the master key at %s: %v", record.ID, from,
					err)}
			}
			fresh, err := ours.wrap(&here.Header, record.ID, record.Name, secret)
			if err != nil {
				return err
			}
			if fresh.Retired = record.Retired; fresh.Retired.IsZero() && named[record.Name] {
				fresh.Retired = now.UTC().Truncate(time.Millisecond) // what comes is sealed with the one that is in use
			}
			here.Records = append(here.Records, fresh)
			named[record.Name] = true
			done.Added++
		}
		here.takeGone(c)
		after = *here
		return nil
	})
	if err != nil {
		return done, fmt.Errorf("take over keys: %w", err)
	}
	r.take(&after)
	return done, nil
}

// takeGone takes over what another copy of the ring knows to be destroyed, but for the keys that this ring holds:
// a server may seal with one of them at this moment. The servers destroy those that nothing needs.
func (c *Contents) takeGone(from *Contents) {
	all := maps.Clone(from.Gone)
	for _, r := range c.Records {
		delete(all, r.ID)
	}
	if len(all) == 0 {
		return
	}
	maps.Copy(all, c.Gone)
	c.Gone = all
}

// Has reports whether the ring holds a key, as far as it knows without looking again.
func (r *Ring) Has(id KeyID) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.keys[id] != nil
}

// Lacks reports whether the ring has never had a key: it neither holds it, nor remembers
// that it was destroyed.
func (r *Ring) Lacks(id KeyID) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.keys[id] == nil && !r.gone[id]
}

// Noting sets the function that is called with the identifier of each key before it is
// made; an error of it keeps the key from being made. Call Noting before the first use.
func (r *Ring) Noting(note func(context.Context, KeyID) error) { r.note = note }

// KeyOf returns the key that a text is sealed with; ok is false for one that is not
// sealed.
func KeyOf(sealed []byte) (id KeyID, ok bool) {
	if len(sealed) < prefixSize || sealed[0] != Form {
		return id, false
	}
	return KeyID(sealed[1:prefixSize]), true
}
