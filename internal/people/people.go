// Package people makes accounts, one in a call or many.
//
// It owns what an account has to have, and that what is asked for again under one
// Request-ID makes nobody twice. It does not know HTTP, nor what accounts do once they are
// there (service, access).
package people

import (
	"time"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/content"
	"signet/internal/store"
)

// Options are what accounts are made with.
type Options struct {
	Store  *store.Store
	Access *access.Control
	Vault  *content.Vault // seals what tells calls under one Request-ID apart; nil: no call has one
	Clock  func() time.Time
}

// People makes accounts. It is safe for concurrent use.
type People struct {
	store  *store.Store
	access *access.Control
	vault  *content.Vault
	clock  func() time.Time
	reads  *audit.Reads
}

// New returns what makes accounts. The caller closes the store.
func New(o Options) *People {
	return &People{store: o.Store, access: o.Access, vault: o.Vault, clock: o.Clock, reads: audit.NewReads(o.Store)}
}

// now is the time of a use case, as it is stored: to the millisecond, UTC.
func (p *People) now() time.Time { return p.clock().UTC().Truncate(time.Millisecond) }
