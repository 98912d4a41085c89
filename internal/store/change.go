package store

import (
	"slices"

	"signet/internal/model"
)

// Change is what a transaction did to queues, and to people.
type Change struct {
	Queued    []Queued // in order
	Withdrawn bool     // something may have been taken out of a queue, but for what was acknowledged
	Beside    bool     // a command beside the server may have queued something before it

	People   []model.AccountID // of whose accounts and memberships (but for roles) something changed
	Everyone bool              // it may be anyone's
}

// empty reports whether there is nothing to tell.
func (c *Change) empty() bool {
	return !c.Withdrawn && len(c.Queued) == 0 && len(c.People) == 0 && !c.Everyone
}

// Queued is what was put into queues at the positions of one call of Position.
type Queued struct {
	Accounts []model.AccountID // whose queues may have something new
	Message  *model.Message    // which all of them have got, New, and nothing else; nil: it is not said what
}

// observer is who is told of changes.
type observer struct {
	see func(*Change)
	act func()
}

// Observe has see called for each change, once it is on disk: before Update returns,
// in the order of the commits, one after the other. act is called once or several times for
// a commit, when see has been called for all of its changes, and those who made them have
// their answers. There the observer does what no caller has to wait for. Neither may wait
// for anything. Observe reports false, and calls nobody, where others use the same database,
// so that nobody knows all changes. It comes before the first use of the store.
func (s *Store) Observe(see func(*Change), act func()) bool {
	if !s.engine.Dialect().Alone {
		return false
	}
	s.observers = append(s.observers, observer{see, act})
	s.act = s.letAct
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
		if !tx.change.empty() {
			tx.session.Committed(func(beside bool) {
				tx.change.Beside = beside
				s.show(tx.change)
			}, s.act)
		}
		return nil
	}
}

func (s *Store) show(c *Change) {
	for _, o := range s.observers {
		o.see(c)
	}
}

func (s *Store) letAct() {
	for _, o := range s.observers {
		o.act()
	}
}

// QueuedMessage says that these accounts, and no others, have got a message at the last
// positions that were taken. It is called at most once for each call of Position, and
// nobody changes the message from then on.
func (tx *Tx) QueuedMessage(readers []model.AccountID, m *model.Message) {
	if c := tx.change; c != nil {
		c.Queued[len(c.Queued)-1] = Queued{Accounts: readers, Message: m}
	}
}

// queued notes a call of Position. There may be nobody who wants to know.
func (c *Change) queued(accounts []model.AccountID) {
	if c != nil {
		c.Queued = append(c.Queued, Queued{Accounts: slices.Clone(accounts)})
	}
}

// NoteWithdrawn tells observers that something is taken out of queues.
func (tx *Tx) NoteWithdrawn() {
	if c := tx.change; c != nil {
		c.Withdrawn = true
	}
}

// NotePeople tells observers that something of these accounts or of their memberships
// changes, beside passwords and roles.
func (tx *Tx) NotePeople(accounts ...model.AccountID) {
	if c := tx.change; c != nil {
		c.People = append(c.People, accounts...)
	}
}

// NoteEveryone is NotePeople of more accounts than are known.
func (tx *Tx) NoteEveryone() {
	if c := tx.change; c != nil {
		c.Everyone = true
	}
}
