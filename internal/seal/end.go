package seal

import (
	"context"
	"fmt"
	"time"
)

// End destroys the keys of names under which nothing is left. left reports whether
// there is anything; End asks it again when nothing more can come. The names it
// returns are settled: their keys are destroyed, or still needed. The keys of the
// others may be in use, and the caller tries them again. now has to be right: a time
// that is ahead would destroy keys in use.
func (r *Ring) End(ctx context.Context, now time.Time, names []Name,
	left func(context.Context, Name) (bool, error)) (settled []Name, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	if r.storage.Shared() { // others may have made keys under these names
		if err := r.Refresh(ctx); err != nil {
			return nil, err
		}
	}
	keys := r.keysOf(names)
	var ending []Name
	for _, name := range names {
		needed := len(keys[name]) == 0
		if !needed {
			if needed, err = left(ctx, name); err != nil {
				return settled, err
			}
		}
		if needed {
			settled = append(settled, name)
		} else {
			ending = append(ending, name)
		}
	}
	if err := r.retire(ctx, now, ending, keys); err != nil {
		return settled, err
	}
	var over []KeyID
	var done []Name
	for _, name := range ending {
		if !r.quiet(now, keys[name]) {
			continue
		}
		needed, err := left(ctx, name)
		if err != nil {
			return settled, err
		}
		if !needed {
			over = append(over, keys[name]...)
		}
		done = append(done, name)
	}
	if err := r.destroy(ctx, over); err != nil {
		return settled, err
	}
	for _, name := range done {
		if !r.uses(name) { // a new key was made meanwhile, for something that is not there yet
			settled = append(settled, name)
		}
	}
	return settled, nil
}

// keysOf returns the identifiers of all keys of names.
func (r *Ring) keysOf(names []Name) map[Name][]KeyID {
	out := make(map[Name][]KeyID, len(names))
	for _, name := range names {
		out[name] = nil
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	for id, k := range r.keys {
		if ids, wanted := out[k.Name]; wanted {
			out[k.Name] = append(ids, id)
		}
	}
	return out
}

// uses reports whether a name has a key that is handed out.
func (r *Ring) uses(name Name) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.current[name] != nil
}

// retire keeps the keys of names from being handed out again.
func (r *Ring) retire(ctx context.Context, now time.Time, names []Name, keys map[Name][]KeyID) error {
	now = now.UTC().Truncate(time.Millisecond)
	var ids []KeyID
	r.mu.RLock()
	for _, name := range names {
		for _, id := range keys[name] {
			if k := r.keys[id]; k != nil && k.Retired.IsZero() {
				ids = append(ids, id)
			}
		}
	}
	r.mu.RUnlock()
	if len(ids) == 0 {
		return nil
	}
	if err := r.storage.Retire(ctx, ids, now); err != nil {
		return fmt.Errorf("retire keys: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		k := r.keys[id]
		if k == nil {
			continue
		}
		k.Retired = now
		if r.current[k.Name] == k {
			delete(r.current, k.Name)
		}
	}
	return nil
}

// quiet reports whether no server uses any of these retired keys any more.
func (r *Ring) quiet(now time.Time, ids []KeyID) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, id := range ids {
		k := r.keys[id]
		if k == nil {
			continue // another server destroyed it
		}
		if !k.users.none(now) || r.storage.Shared() && now.Sub(k.Retired) < grace {
			return false
		}
	}
	return true
}

// destroy removes keys from the storage and from memory.
func (r *Ring) destroy(ctx context.Context, ids []KeyID) error {
	if len(ids) == 0 {
		return nil
	}
	if r.guard != nil {
		if err := r.guard(ctx); err != nil {
			return fmt.Errorf("destroy keys: %w", err)
		}
	}
	if err := r.storage.Destroy(ctx, ids, r.clock()); err != nil {
		return fmt.Errorf("destroy keys: %w", err)
	}
	r.destroyed.Add(int64(len(ids)))
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		if k := r.keys[id]; k != nil && k.primitive != nil {
			r.opened--
		}
		delete(r.keys, id)
		r.gone[id] = true
	}
	return nil
}
