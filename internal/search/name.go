package search

import (
	"slices"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/searchindex"
)

// OthersNamed reports whether another account of one of the organizations, disabled or not, has a
// display name that a reader takes for this one: case, accents and what shows nothing make no
// difference. Until the transaction ends, others who ask the same of this name wait: so of two
// accounts which give themselves a name, after asking here, one gets it.
//
// It is one look into the index by which searches are in order. Only of names that are longer
// than what the index keeps are the accounts read.
func OthersNamed(tx *store.Tx, name string, account model.AccountID, organizations []model.OrganizationID) (bool,
	error) {
	key := keyOf(name)
	whole := key == alike(name)
	for _, organization := range slices.Sorted(slices.Values(organizations)) { // all wait in one order
		if err := searchindex.ClaimName(tx, organization, key); err != nil {
			return false, err
		}
		for after := (model.EntityID{}); ; {
			page, err := searchindex.Named(tx, organization, key, after, namesakes)
			if err != nil {
				return false, err
			}
			page = slices.DeleteFunc(page, func(id model.EntityID) bool { return id == model.EntityID(account) })
			if len(page) == 0 {
				break
			}
			if whole {
				return true, nil
			}
			same, err := anyNamed(tx, page, alike(name))
			if err != nil || same {
				return same, err
			}
			after = page[len(page)-1]
		}
	}
	return false, nil
}

// namesakes is how many accounts are read at a time whose long names begin alike.
const namesakes = 100

// anyNamed reports whether one of the accounts has a display name that is like this one.
func anyNamed(tx *store.Tx, ids []model.EntityID, like string) (bool, error) {
	accounts := make([]model.AccountID, len(ids))
	for i, id := range ids {
		accounts[i] = model.AccountID(id)
	}
	found, err := tx.Accounts(accounts)
	return slices.ContainsFunc(found, func(a model.Account) bool { return alike(a.DisplayName) == like }), err
}
