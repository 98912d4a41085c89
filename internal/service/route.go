package service

import (
	"sync"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// routes remembers for a moment where accounts belong and what their organizations
// allow, so that those who write to the same people again and again do not ask the
// store each time. Nobody is refused because of it, and nothing is sent on its word
// alone: the transaction that sends asks whether both still belong, and whoever
// would be refused is looked at afresh.
type routes struct {
	mu            sync.RWMutex // guards all below
	accounts      map[model.AccountID]knownAccount
	organizations map[model.OrganizationID]knownOrganization
	version       uint64 // raised by every forget, so that no older reading is put back
}

type knownAccount struct {
	organizations []model.OrganizationID
	loaded        time.Time
}

type knownOrganization struct {
	model.Organization
	loaded time.Time
}

// routesSize bounds each of the two; past it, they start afresh.
const routesSize = 100_000

func newRoutes() *routes {
	r := &routes{}
	r.empty()
	return r
}

// of returns the organizations of an account.
func (r *routes) of(account model.AccountID, now time.Time) (organizations []model.OrganizationID, ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	k, ok := r.accounts[account]
	return k.organizations, ok && fresh(k.loaded, now)
}

func (r *routes) organization(id model.OrganizationID, now time.Time) (o model.Organization, ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	k, ok := r.organizations[id]
	return k.Organization, ok && fresh(k.loaded, now)
}

// fresh is as long as a key is remembered: another node's change is known after that.
func fresh(loaded, now time.Time) bool {
	age := now.Sub(loaded)
	return age >= 0 && age <= actorLife
}

func (r *routes) current() uint64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.version
}

// learn remembers what was read since the version was asked for.
func (r *routes) learn(account model.AccountID, organizations []model.OrganizationID, o *model.Organization, now time.Time, version uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.version != version {
		return
	}
	if len(r.accounts) >= routesSize || len(r.organizations) >= routesSize {
		r.empty()
	}
	r.accounts[account] = knownAccount{organizations, now}
	r.organizations[o.ID] = knownOrganization{*o, now}
}

// forget drops everything: administrators change little.
func (r *routes) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version++
	r.empty()
}

// empty gives back the memory of the maps, too.
func (r *routes) empty() {
	r.accounts, r.organizations = map[model.AccountID]knownAccount{}, map[model.OrganizationID]knownOrganization{}
}

// routeFromMemory finds recipient and organization of a message as route does, where
// it need not ask the store: the recipient is named by its token, and known.
func (s *Service) routeFromMemory(actor *model.Actor, p *posting, now time.Time) bool {
	address := s.address(p.recipient)
	if address.Kind != model.TokenAddress {
		return false
	}
	account := model.AccountID(address.Token)
	theirs, known := s.routes.of(account, now)
	if !known {
		return false
	}
	p.entity, p.theirs = address.Token, theirs
	if p.chooseOrganization(actor) != nil {
		return false
	}
	p.organization, known = s.routes.organization(p.organization.ID, now)
	return known
}

// routeFromStore reads what routeFromMemory had to know, and remembers it.
func (s *Service) routeFromStore(tx *store.Tx, actor *model.Actor, p *posting, now time.Time) error {
	version := s.routes.current()
	p.theirs = nil
	err := s.route(tx, actor, p, now)
	if err == nil && p.repeated == nil && p.group == nil {
		s.routes.learn(model.AccountID(p.entity), p.theirs, &p.organization, now, version)
	}
	return err
}

// chooseOrganization: the organization is the one that the fields name, else the one
// of the header, else of those that both share the one that the recipient has belonged
// to longest (contract, 5.1).
func (p *posting) chooseOrganization(actor *model.Actor) error {
	named := firstOf(p.sender, p.receiver, p.call)
	for _, o := range p.theirs {
		if actor.MemberOf(o) && (named == "" || named == o) {
			p.organization.ID = o
			return nil
		}
	}
	return model.Missing()
}
