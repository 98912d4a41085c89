package service

import (
	"time"

	"signet/internal/cache"
	"signet/internal/model"
)

// recipients remembers for a moment where accounts belong and what their organizations
// allow, so that people who write to the same others again and again do not ask the
// store each time. It refuses no send, and nothing is sent on its word
// alone: the transaction that sends asks whether something has changed since, or
// whether both still belong, and what would be refused is looked at afresh.
type recipients struct {
	accounts      *cache.Cache[model.AccountID, cache.Recent[places]]
	organizations *cache.Cache[model.OrganizationID, cache.Recent[model.Organization]]
}

// places are where an account belongs, with the number of its access (store.AccessVersion).
type places struct {
	organizations []model.OrganizationID
	access        int64
}

// recipientsSize bounds how many accounts, and how many organizations, are remembered.
const recipientsSize = 100_000

func newRecipients() recipients {
	return recipients{
		accounts:      cache.New[model.AccountID, cache.Recent[places]](recipientsSize),
		organizations: cache.New[model.OrganizationID, cache.Recent[model.Organization]](recipientsSize),
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
	found := places{organizations: to.theirs, access: to.read.Number}
	r.accounts.Put(r.accountsAt, account, cache.Recent[places]{Value: found, At: now}, 1)
	r.organizations.Put(r.organizationsAt, o.ID, cache.Recent[model.Organization]{Value: o, At: now}, 1)
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
	address := s.access.Address(d.recipient)
	if address.Kind != model.TokenAddress {
		return nil
	}
	theirs, known := s.recipients.accounts.Get(model.AccountID(address.Token))
	if !known || !theirs.Fresh(now) {
		return nil
	}
	id, err := d.chooseOrganization(actor, theirs.Value.organizations)
	if err != nil {
		return nil
	}
	o, known := s.recipients.organizations.Get(id)
	if !known || !o.Fresh(now) {
		return nil
	}
	return &destination{entity: address.Token, organization: o.Value, theirs: theirs.Value.organizations,
		read: model.AccessRead{Number: theirs.Value.access, At: theirs.At}}
}
