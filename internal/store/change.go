package store

import (
	"slices"

	"signet/internal/model"
)

// Change is what a transaction did to queues.
type Change struct {
	Queued    []Queued // in order
	Withdrawn bool     // something may have been taken out of a queue, but for what was acknowledged
}

// Queued is what one call of Position announced: from there on the queues of these
// accounts may have something new.
type Queued struct {
	Accounts []model.AccountID
	What     any // that was queued there, where Describe was told; else nil
}

// Observe has see called for each change, once it is on disk: before Update returns,
// in the order of the commits, one after the other. settled is called once after one or
// more of these, when their callers have been answered. Neither must wait for anything.
// It reports false, and calls nobody, where others use the same database, so that
// nobody knows all changes. It comes before the first use of the store.
func (s *Store) Observe(see func(*Change), settled func()) bool {
	if !s.engine.Dialect().Alone {
		return false
	}
	s.observers = append(s.observers, observer{see, settled})
	s.engine.Settled(s.settled)
	return true
}

// observed is fn, of whose changes the observers are told.
func (s *Store) observed(fn func(*Tx) error) func(*Tx) error {
	if len(s.observers) == 0 {
		return fn
	}
	return func(tx *Tx) error {
		tx.change = &Change{}
		if err := fn(tx); err != nil {
			return err
		}
		if tx.change.Withdrawn || len(tx.change.Queued) > 0 {
			tx.session.Committed(func() {
				for _, o := range s.observers {
					o.see(tx.change)
				}
			})
		}
		return nil
	}
}

// observer is told of changes.
type observer struct {
	see     func(*Change)
	settled func()
}

func (s *Store) settled() {
	for _, o := range s.observers {
		o.settled()
	}
}

// Describe says what is queued at the last positions that were taken, for observers
// that can do with it. It is called at most once for each call of Position.
func (tx *Tx) Describe(what any) {
	if c := tx.change; c != nil {
		c.Queued[len(c.Queued)-1].What = what
	}
}

// queued notes a call of Position. There may be nobody who wants to know.
func (c *Change) queued(accounts []model.AccountID) {
	if c != nil {
		c.Queued = append(c.Queued, Queued{Accounts: slices.Clone(accounts)})
	}
}

// withdrawn notes that something is taken out of queues.
func (c *Change) withdrawn() {
	if c != nil {
		c.Withdrawn = true
	}
}
