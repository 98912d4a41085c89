package seal

import (
	"context"
	"errors"
	"fmt"
)

// PrepareMaster adds a version to the file of a master key, as the one that the next
// Rotate goes over to, and returns its number. Nothing uses it before that. Servers
// that share a ring get the file in between.
func PrepareMaster(master Master) (uint32, error) {
	keys, err := master.load()
	if err == nil {
		keys, err = master.prepare(keys)
	}
	if errors.Is(err, ErrNoMaster) {
		err = &SetupError{fmt.Sprintf("there is no master key at %s", master)}
	}
	if err != nil {
		return 0, err
	}
	return keys.primary, nil
}

// Rotation is what Rotate did.
type Rotation struct {
	Version uint32 // of the master key, that wraps the ring now
	Keys    int    // wrapped anew
}

// Rotate wraps all keys of the ring by the primary version of the master key; where
// the ring is that far already, by a new one, which it makes. Nothing that is sealed
// changes, and servers go on meanwhile. Afterwards the older versions are removed
// from the file, since nothing needs them but older copies of the ring.
//
// A ring that several servers share takes a version that all of them have: one that
// was prepared, or one of the variable that their master key is in.
func (r *Ring) Rotate(ctx context.Context) (Rotation, error) {
	r.loading.Lock()
	defer r.loading.Unlock()
	keys, err := r.source.load()
	if err != nil {
		return Rotation{}, err
	}
	r.mu.RLock()
	header := r.header
	r.mu.RUnlock()
	if keys.primary == header.Master {
		if r.storage.Shared() {
			return Rotation{}, &SetupError{fmt.Sprintf("servers share this key ring, and all of them need the new version of "+
				"the master key first: run \"signet keys rotate --prepare\", copy %s to each of them, and run this again",
				r.source)}
		}
		if keys, err = r.source.prepare(keys); err != nil {
			return Rotation{}, err
		}
	}
	done := Rotation{Version: keys.primary}
	var contents Contents
	err = r.storage.Rewrap(ctx, func(c *Contents) error {
		done.Keys = 0
		if !keys.fits(&c.Header) {
			return &SetupError{fmt.Sprintf("the master key at %s does not hold version %d, which the key ring is wrapped by",
				r.source, c.Master)}
		}
		next, err := keys.header(c.ID)
		if err != nil {
			return err
		}
		for i := range c.Records {
			old := &c.Records[i]
			if old.Master == next.Master {
				continue
			}
			secret, err := keys.unwrap(c.ID, old)
			if err != nil {
				return err
			}
			fresh, err := keys.wrap(&next, old.ID, old.Name, secret)
			if err != nil {
				return err
			}
			old.Master, old.Wrapped = fresh.Master, fresh.Wrapped
			done.Keys++
		}
		c.Header = next
		contents = *c
		return nil
	})
	if err != nil {
		return Rotation{}, fmt.Errorf("wrap the key ring anew: %w", err)
	}
	r.mu.Lock()
	r.master = keys
	r.mu.Unlock()
	r.take(&contents)
	return done, r.source.drop(keys, done.Version)
}

// Export copies the keys that are alive, and none that was destroyed, to another
// storage, in place of an older copy. It returns their number.
func (r *Ring) Export(ctx context.Context, to Storage) (int, error) {
	contents, _, err := r.storage.Load(ctx, true)
	if err != nil {
		return 0, err
	}
	if contents == nil {
		return 0, &SetupError{fmt.Sprintf("there is no key ring at %s", r.storage)}
	}
	return len(contents.Records), to.Replace(ctx, contents)
}
