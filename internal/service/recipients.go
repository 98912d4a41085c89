package service

import (
	"time"

	"signet/internal/cache"
	"signet/internal/model"
)

// recentlyRead is a value that was read of the store at a time.
type recentlyRead[V any] struct {
	value V
	at    time.Time
}

// fresh says for how long it may be relied on. The node on which something about it
// changes forgets it at once, and so do the others when they are told; the life bounds
// how long a change stays unknown to one that is not (contract, section 1: 1 s).
func (r recentlyRead[V]) fresh(now time.Time) bool {
	age := now.Sub(r.at)
	return age >= 0 && age <= 900*time.Millisecond
}

// recipients remembers for a moment where accounts belong and what their organizations
// allow, so that people who write to the same others again and again do not ask the
// store each time. It refuses no send, and nothing is sent on its word
// alone: the transaction that sends asks whether both still belong, and what would be
// refused is looked at afresh.
type recipients struct {
	accounts      *cache.Cache[model.AccountID, recentlyRead[[]model.OrganizationID]]
	organizations *cache.Cache[model.OrganizationID, recentlyRead[model.Organization]]
}

// recipientsSize bounds how many accounts, and how many organizations, are remembered.
const recipientsSize = 100_000

func newRecipients() recipients {
	return recipients{
		accounts:      cache.New[model.AccountID, recentlyRead[[]model.OrganizationID]](recipientsSize),
		organizations: cache.New[model.OrganizationID, recentlyRead[model.Organization]](recipientsSize),
	}
}

// reading is made before the store is read, and remembers what was found.
func (r recipients) reading() recipientReading {
	return recipientReading{r, r.accounts.Version(), r.organizations.Version()}
}

type recipientReading struct {
	recipients
	accountsAt, organizationsAt cache.Version
}

func (r recipientReading) learn(to *destination, now time.Time) {
	account, o := model.AccountID(to.entity), to.organization
	r.accounts.Put(r.accountsAt, account, recentlyRead[[]model.OrganizationID]{to.theirs, now}, 1)
	r.organizations.Put(r.organizationsAt, o.ID, recentlyRead[model.Organization]{o, now}, 1)
}

// forget drops everything: administrators change little.
func (r recipients) forget() {
	r.accounts.ForgetAll()
	r.organizations.ForgetAll()
}

// remembered finds the destination of a message as findDestination does, where it need
// not ask the store: the recipient is an account that is named by its token, and known.
// It is nil where it would have to ask, or to refuse.
func (s *Service) remembered(actor *model.Actor, d *draft, now time.Time) *destination {
	address := s.address(d.recipient)
	if address.Kind != model.TokenAddress {
		return nil
	}
	theirs, known := s.recipients.accounts.Get(model.AccountID(address.Token))
	if !known || !theirs.fresh(now) {
		return nil
	}
	id, err := d.chooseOrganization(actor, theirs.value)
	if err != nil {
		return nil
	}
	o, known := s.recipients.organizations.Get(id)
	if !known || !o.fresh(now) {
		return nil
	}
	return &destination{entity: address.Token, organization: o.value, theirs: theirs.value}
}
