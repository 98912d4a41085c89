package identity

import (
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"signet/internal/access"
	"signet/internal/content"
	"signet/internal/live"
	"signet/internal/openid"
	"signet/internal/people"
	"signet/internal/store"
)

// Options are what sign-ins work with.
type Options struct {
	Store  *store.Store
	Access *access.Control
	People *people.People
	Vault  *content.Vault
	Hub    *live.Hub
	Clock  func() time.Time
	Log    *slog.Logger
	Client *http.Client           // calls issuers, as far as it is let out to them
	Check  func(url string) error // refuses an issuer that certainly will not be called, with a text for people
}

// Counts are what became of sign-ins on this server since it started.
type Counts struct {
	SignedIn    atomic.Int64
	Made        atomic.Int64 // of these: those for whom an account was made
	Refused     atomic.Int64 // the provider, or this server, refused
	Unreachable atomic.Int64 // the provider did not answer
	LoggedOut   atomic.Int64 // sessions that a provider ended
}

// Identities are the providers of all organizations, and the sign-ins with them. They are safe for concurrent use.
type Identities struct {
	Options
	Counts Counts
	party  *openid.Party
}

// New returns them. The caller closes the store and the hub.
func New(o Options) *Identities {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Identities{Options: o, party: openid.New(o.Client, o.Clock)}
}

// now is the time of a use case, as it is stored: to the millisecond, UTC.
func (s *Identities) now() time.Time { return s.Clock().UTC().Truncate(time.Millisecond) }
