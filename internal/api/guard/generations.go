package guard

import "time"

// generations is a map of bounded size that forgets what was not used for long.
// New and used entries are in the young map; when that is full, or old enough, it
// becomes the old one and the entries of the former old one are gone. That needs
// no list of uses and no sweep. It is not safe for concurrent use.
type generations[V any] struct {
	most   int           // entries of a generation
	life   time.Duration // an entry outlives its last use by at least this; 0: no age
	young  map[uint64]V
	old    map[uint64]V
	turned time.Time
}

// get returns an entry and keeps it young.
func (g *generations[V]) get(key uint64, now time.Time) (V, bool) {
	g.age(now)
	if v, ok := g.young[key]; ok {
		return v, true
	}
	v, ok := g.old[key]
	if ok {
		g.put(key, v, now)
	}
	return v, ok
}

// put adds or replaces an entry.
func (g *generations[V]) put(key uint64, v V, now time.Time) {
	g.age(now)
	if g.young == nil {
		g.young = make(map[uint64]V)
	}
	g.young[key] = v
	if len(g.young) >= g.most {
		g.turn(now)
	}
}

func (g *generations[V]) remove(key uint64) {
	delete(g.young, key)
	delete(g.old, key)
}

// age drops what is past its life.
func (g *generations[V]) age(now time.Time) {
	if g.life == 0 {
		return
	}
	if g.turned.IsZero() {
		g.turned = now
	}
	switch passed := now.Sub(g.turned); {
	case passed >= 2*g.life:
		g.turn(now)
		g.old = nil
	case passed >= g.life:
		g.turn(now)
	}
}

func (g *generations[V]) turn(now time.Time) {
	g.old, g.young, g.turned = g.young, nil, now
}
