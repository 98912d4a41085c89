// Package people is the directory: organizations, who belongs to them and with which roles,
// accounts and what others see of them, and the operators of the installation.
//
// It owns what an account has to have, that what is asked for again under one Request-ID makes
// nobody twice, and who has to agree before somebody is a member. It does not know HTTP, how
// accounts prove who they are (access), nor what they do once they are there (service).
package people

import (
	"log/slog"
	"time"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/content"
	"signet/internal/fanout"
	"signet/internal/live"
	"signet/internal/store"
)

// Memory is what the server remembers for calls, and has to forget when the directory changes.
type Memory interface {
	// Forget drops all of it.
	Forget()
	// ForgetRecipients drops who may send to whom.
	ForgetRecipients()
}

// nothing is remembered where no server answers calls.
type nothing struct{}

func (nothing) Forget()           {}
func (nothing) ForgetRecipients() {}

// Options are what a directory works with.
type Options struct {
	Store  *store.Store
	Access *access.Control
	Vault  *content.Vault // seals notes, and what tells calls under one Request-ID apart; nil: on the command line
	Hub    *live.Hub
	Fanout *fanout.Fanout
	Clock  func() time.Time
	Logger *slog.Logger

	ApproveJoins bool // an account that another organization created has to agree

	Memory    Memory         // nil: nothing is remembered
	Streams   access.Streams // nil: there are no streams
	EraseSoon func()         // asks for the erasure of what a call gave up; nil: the next sweep erases it
}

// People is the directory. It is safe for concurrent use.
type People struct {
	store  *store.Store
	access *access.Control
	vault  *content.Vault
	hub    *live.Hub
	fanout *fanout.Fanout
	clock  func() time.Time
	log    *slog.Logger
	reads  *audit.Reads

	approveJoins bool

	memory    Memory
	streams   access.Streams
	eraseSoon func()
}

// New returns a directory. The caller closes the store and the hub.
func New(o Options) *People {
	p := &People{store: o.Store, access: o.Access, vault: o.Vault, hub: o.Hub, fanout: o.Fanout, clock: o.Clock,
		log: o.Logger, reads: audit.NewReads(o.Store), approveJoins: o.ApproveJoins, memory: o.Memory, streams: o.Streams,
		eraseSoon: o.EraseSoon}
	if p.vault == nil { // what the command line does to a group names nobody, so that no key is needed
		p.vault = &content.Vault{Store: o.Store}
	}
	if p.memory == nil {
		p.memory = nothing{}
	}
	if p.streams == nil {
		p.streams = access.NoStreams{}
	}
	if p.eraseSoon == nil {
		p.eraseSoon = func() {}
	}
	return p
}

// now is the time of a use case, as it is stored: to the millisecond, UTC.
func (p *People) now() time.Time { return p.clock().UTC().Truncate(time.Millisecond) }
