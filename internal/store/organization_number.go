package store

import (
	"fmt"
	"slices"
	"sync"

	"signet/internal/model"
)

// An organization has a number, which stands for its token of 24 bytes in what there are
// many rows of. It keeps its number for good, and nobody else ever gets it: what is left
// of a deleted one is never another one's. 0 stands for none, and has no row.

// noNumber is the number of nobody.
const noNumber = int64(-1)

// numbers are the organizations' numbers as far as the store knows them.
type numbers struct {
	mu       sync.RWMutex
	token    map[int64]model.OrganizationID
	argument map[model.OrganizationID]any // the number, made an argument already
}

func newNumbers() *numbers {
	n := &numbers{}
	n.forget()
	return n
}

// forget begins anew, with what is known without asking.
func (n *numbers) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.token = map[int64]model.OrganizationID{0: "", ofAccess: ""}
	n.argument = map[model.OrganizationID]any{"": int64(0)}
}

func (n *numbers) of(id model.OrganizationID) (number any, known bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	number, known = n.argument[id]
	return number, known
}

func (n *numbers) named(number int64) (id model.OrganizationID, known bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	id, known = n.token[number]
	return id, known
}

// learn remembers what a transaction found that has taken effect.
func (n *numbers) learn(found map[int64]model.OrganizationID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for number, id := range found {
		n.token[number], n.argument[id] = id, number
	}
}

// Numbered is an organization as an argument of a statement that names it by its
// number. One that has none, as there is no such organization, matches nothing. Where the
// number cannot be read, the statement fails, and all that follow.
func (tx *Tx) Numbered(id model.OrganizationID) any {
	number, err := tx.number(id)
	if err != nil {
		tx.fault = err
	}
	return number
}

// Existing is Numbered for a row that is stored: an organization that has no number is
// refused.
func (tx *Tx) Existing(id model.OrganizationID) any {
	number := tx.Numbered(id)
	if number == any(noNumber) && tx.fault == nil {
		tx.fault = fmt.Errorf("there is no organization %q", id)
	}
	return number
}

// numberedList is numbered for a `?*`.
func (tx *Tx) numberedList(ids []model.OrganizationID) []int64 {
	list := make([]int64, len(ids))
	for i, id := range ids {
		list[i], _ = tx.Numbered(id).(int64)
	}
	return list
}

// number returns the number of an organization as an argument.
func (tx *Tx) number(id model.OrganizationID) (any, error) {
	if number, known := tx.numbers.of(id); known {
		return number, nil
	}
	number := noNumber
	found, err := tx.One(`SELECT number FROM organization_numbers WHERE organization = ?`, []any{id}, &number)
	if found {
		if _, taken := tx.numbers.named(number); taken { // by another one: the database has lost what was on disk
			tx.numbers.forget()
		}
		tx.find(number, id)
	}
	return number, err
}

// find keeps what the transaction found. It is not remembered beyond that until the
// transaction has taken effect: the organization may be its own, and never come to be.
func (tx *Tx) find(number int64, id model.OrganizationID) {
	if tx.found == nil {
		tx.found = map[int64]model.OrganizationID{}
	}
	tx.found[number] = id
}

// NameOrganizations gives rows that were read the organizations that they named by these
// numbers. It reads those that are not known.
func (tx *Tx) NameOrganizations(numbers []int64, organization func(row int) *model.OrganizationID) error {
	var unknown []int64
	for i, number := range numbers {
		id, known := tx.organization(number)
		if !known && !slices.Contains(unknown, number) {
			unknown = append(unknown, number)
		}
		*organization(i) = id
	}
	if len(unknown) == 0 {
		return nil
	}
	err := tx.Query(`SELECT number, organization FROM organization_numbers WHERE number IN (?*)`, []any{unknown},
		func(row Row) error {
			var number int64
			var id model.OrganizationID
			err := row.Scan(&number, &id)
			tx.find(number, id)
			return err
		})
	if err != nil {
		return err
	}
	for i, number := range numbers {
		id, known := tx.organization(number)
		if !known {
			return fmt.Errorf("a row is of the organization %d, and none has that number", number)
		}
		*organization(i) = id
	}
	return nil
}

func (tx *Tx) organization(number int64) (id model.OrganizationID, known bool) {
	if id, known = tx.numbers.named(number); !known {
		id, known = tx.found[number]
	}
	return id, known
}

// insertNumber gives a new organization the next number.
func (tx *Tx) insertNumber(id model.OrganizationID) error {
	// One after the other, so that numbers appear in their order.
	if err := tx.lock(`SELECT 1 FROM meta WHERE name = 'schema' ` + tx.dialect.Lock); err != nil {
		return err
	}
	return tx.Post(
		`INSERT INTO organization_numbers (organization, number) SELECT ?, COALESCE(MAX(number), 0) + 1
			FROM organization_numbers`, id)
}
