package seal

import "time"

// Figures are what there is to say of a ring without its keys.
type Figures struct {
	Up        bool      // the storage answered when it was last asked
	Checked   time.Time // when the ring was last known to be what the storage holds
	Keys      int       // in the ring
	Retired   int       // of these, those with which nothing new is sealed
	Destroyed int64     // by this process, since it opened the ring
}

// Figures returns them.
func (r *Ring) Figures() Figures {
	r.mu.RLock()
	defer r.mu.RUnlock()
	f := Figures{Up: !r.away.Load(), Checked: r.loaded, Keys: len(r.keys), Destroyed: r.destroyed.Load()}
	for _, k := range r.keys {
		if !k.Retired.IsZero() {
			f.Retired++
		}
	}
	return f
}
