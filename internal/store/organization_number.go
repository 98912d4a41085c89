package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"signet/internal/model"
)

// numbered is an organization, as an argument of a statement that names it by its
// number. One that has none, as there is no such organization, matches nothing.
type numbered model.OrganizationID

// numberedList is several of them, for a `?*`.
type numberedList []model.OrganizationID

// noNumber is the number of nobody.
const noNumber = int64(-1)

// errNotNumbered is the error of a transaction that met a number which the store does
// not know yet, or not any more. The store finds out and runs it again.
var errNotNumbered = errors.New("the number of an organization is not known")

// numbers are the organizations' numbers as far as the store knows them: all up to
// one, for they are given in the order of commits, without a gap.
type numbers struct {
	behind atomic.Bool // something was met that is not among them

	mu       sync.RWMutex
	token    []model.OrganizationID // by number
	argument map[model.OrganizationID]any
	learning sync.Mutex // is held by who adds to them
}

func newNumbers() *numbers {
	n := &numbers{}
	n.forget()
	return n
}

// forget begins anew, with what is known without asking.
func (n *numbers) forget() {
	n.mu.Lock()
	n.token, n.argument = nil, map[model.OrganizationID]any{}
	n.mu.Unlock()
	n.add(0, []model.OrganizationID{""})
}

// of returns the number, made an argument already.
func (n *numbers) of(id model.OrganizationID) (any, bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	number, known := n.argument[id]
	return number, known
}

func (n *numbers) named(number int64) (model.OrganizationID, bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if number < 0 || number >= int64(len(n.token)) {
		return "", false
	}
	return n.token[number], true
}

func (n *numbers) size() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return len(n.token)
}

// add adds the organizations from a number on, unless what was known has changed since.
func (n *numbers) add(from int, tokens []model.OrganizationID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.token) != from {
		return
	}
	for _, id := range tokens {
		n.argument[id] = int64(len(n.token))
		n.token = append(n.token, id)
	}
}

// arguments puts numbers in the place of organizations.
func (tx *Tx) arguments(query string, args []any) ([]any, error) {
	for i, arg := range args {
		var err error
		switch v := arg.(type) {
		case numbered:
			args[i], err = tx.number(model.OrganizationID(v))
			if err == nil && args[i] == any(noNumber) && strings.HasPrefix(query, "INSERT") {
				err = fmt.Errorf("%.80q is of no organization: %q", query, string(v))
			}
		case numberedList:
			list := make([]int64, len(v))
			for j, id := range v {
				number, err := tx.number(id)
				if err != nil {
					return nil, err
				}
				list[j] = number.(int64)
			}
			args[i] = list
		}
		if err != nil {
			return nil, err
		}
	}
	return args, nil
}

// number returns the number of an organization as an argument. What the transaction
// itself finds is not remembered: its organization may never come to be.
func (tx *Tx) number(id model.OrganizationID) (any, error) {
	if number, known := tx.numbers.of(id); known {
		return number, nil
	}
	number := noNumber
	found, err := tx.one(`SELECT number FROM organization_numbers WHERE organization = ?`, []any{id}, &number)
	if found {
		if other, known := tx.numbers.named(number); known {
			tx.numbers.forget()
			tx.numbers.behind.Store(true)
			return nil, fmt.Errorf("%w: %d is that of %s, and was that of %s: the database has lost what was on disk", errNotNumbered, number, id, other)
		}
		tx.numbers.behind.Store(true)
		if tx.found == nil {
			tx.found = map[int64]model.OrganizationID{}
		}
		tx.found[number] = id
	}
	return number, err
}

// organization returns the organization that a row names by its number.
func (tx *Tx) organization(number int64) (model.OrganizationID, error) {
	id, known := tx.numbers.named(number)
	if !known {
		id, known = tx.found[number]
	}
	if !known {
		tx.numbers.behind.Store(true)
		return "", errNotNumbered
	}
	return id, nil
}

// insertNumber gives a new organization the next number.
func (tx *Tx) insertNumber(id model.OrganizationID) error {
	// One after the other, so that numbers appear in their order.
	if err := tx.lock(`SELECT 1 FROM meta WHERE name = 'schema' ` + tx.dialect.Lock); err != nil {
		return err
	}
	return tx.post(`INSERT INTO organization_numbers (organization, number) SELECT ?, COALESCE(MAX(number), 0) + 1 FROM organization_numbers`, id)
}

// learn has the store know the numbers that there are by now, and reports whether a
// transaction that ended with err is to run again for that. It does nothing where all
// that was met was known.
func (s *Store) learn(ctx context.Context, updating bool, err error) (again bool, _ error) {
	unknown := errors.Is(err, errNotNumbered)
	if !unknown && !s.numbers.behind.Load() {
		return false, err
	}
	s.numbers.learning.Lock()
	defer s.numbers.learning.Unlock()
	if !s.numbers.behind.CompareAndSwap(true, false) { // another one has learned it meanwhile
		return unknown, err
	}
	var tokens []model.OrganizationID
	known := s.numbers.size()
	look := s.engine.View
	if updating { // it may have met what another one wrote that is not on disk yet: this one comes after that
		look = s.engine.Update
	}
	learned := look(ctx, func(session Session) error {
		tokens = nil
		return session.Query(`SELECT organization, number FROM organization_numbers WHERE number >= ? ORDER BY number`, []any{known}, func(row Row) error {
			var id model.OrganizationID
			var number int
			err := row.Scan(&id, &number)
			if err == nil && number != known+len(tokens) {
				err = fmt.Errorf("organization %s has the number %d, and %d was to come", id, number, known+len(tokens))
			}
			tokens = append(tokens, id)
			return err
		})
	})
	if learned != nil {
		s.numbers.behind.Store(true)
		if unknown {
			err = learned
		}
		return false, err // of an Update that is on disk, what is not known yet is met again
	}
	s.numbers.add(known, tokens)
	return unknown, err
}
