package service

import (
	"signet/internal/access"
	"signet/internal/cache"
	"signet/internal/model"
	"signet/internal/store"
)

// personMemory remembers people as searches show them: accounts, and those of their
// memberships that were looked at. Each row had its right code when it was read, and its
// addresses need not be parsed again.
//
// It forgets in the commit that changes somebody, before the caller is answered. So it can be
// relied on where the store tells of all changes, and elsewhere it remembers nobody. What a
// command changes beside a server is the guard's (ForgetAccess).
type personMemory struct {
	*cache.Cache[model.AccountID, *access.Target]
	told bool // of all changes
}

// rememberedPeople is how many people are remembered. Each takes about a kilobyte.
const rememberedPeople = 4000

// newPersonMemory comes before the first use of the store.
func newPersonMemory(kept *store.Store) personMemory {
	m := personMemory{Cache: cache.New[model.AccountID, *access.Target](rememberedPeople)}
	m.told = kept.Observe(m.see, func() {})
	return m
}

// see forgets whom a transaction has changed.
func (m personMemory) see(c *store.Change) {
	if c.Everyone {
		m.ForgetAll()
	} else if len(c.People) > 0 {
		m.Forget(c.People...)
	}
}

// reading is the memory for one transaction, and is made before that begins.
func (m personMemory) reading() *personReading { return &personReading{m, m.Version()} }

type personReading struct {
	personMemory
	version cache.Version
}

// in returns an account with its place in an organization, and with no other, if both are
// remembered.
func (r *personReading) in(organization model.OrganizationID, account model.AccountID) (t access.Target, known bool) {
	kept, known := r.Get(account)
	if !known {
		return t, false
	}
	for i := range kept.Memberships {
		if kept.Memberships[i].Organization == organization {
			return access.Target{Account: kept.Account, Memberships: kept.Memberships[i : i+1 : i+1]}, true
		}
	}
	return t, false
}

// learn remembers an account that was read in the transaction, with one of its places.
func (r *personReading) learn(account *model.Account, place model.Membership) {
	if !r.told {
		return
	}
	place.Roles = nil // whose changes are not told, and which no search shows
	kept := &access.Target{Account: *account, Memberships: []model.Membership{place}}
	if before, known := r.Get(account.ID); known {
		for _, other := range before.Memberships {
			if other.Organization != place.Organization {
				kept.Memberships = append(kept.Memberships, other)
			}
		}
	}
	r.Put(r.version, account.ID, kept, 1)
}
