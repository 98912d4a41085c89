// Package access knows who is meant and who calls: the accounts that addresses name, keys
// and their secrets, passwords and sign-ins, who manages them, and whom they refused.
//
// It owns what an actor is: everything else asks the actor that it makes where that
// belongs. It does not know what actors do with it, which the use cases decide.
package access

import (
	"cmp"
	"context"
	"sync"
	"time"

	"golang.org/x/crypto/argon2"

	"signet/internal/audit"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/tally"
)

// Streams are the event streams of all nodes.
type Streams interface {
	// End ends the streams of an account, or those of one of its keys or of its keys of a
	// scope, and returns how many these were.
	End(ctx context.Context, account model.AccountID, key string, scope model.OrganizationID) (int, error)

	// Readers returns whose streams are open, in no particular order.
	Readers(ctx context.Context) ([]model.AccountID, error)

	// Recheck asks soon whether those who read still may.
	Recheck()
}

// NoStreams stand where nobody reads.
type NoStreams struct{}

func (NoStreams) End(context.Context, model.AccountID, string, model.OrganizationID) (int, error) {
	return 0, nil
}
func (NoStreams) Readers(context.Context) ([]model.AccountID, error) { return nil, nil }

func (NoStreams) Recheck() {}

// Options are what a Control works with.
type Options struct {
	Store         *store.Store
	Hub           *live.Hub
	Clock         func() time.Time
	Streams       Streams       // nil: there are none
	DefaultRegion string        // of phone numbers without a country code, as in ISO 3166
	Derive        Derivation    // of password hashes; nil: argon2.IDKey
	SessionIdle   time.Duration // for which a session may stay unused; 0: model.SessionIdle
	Audit         *audit.Log    // of refusals; nil: one that signs nothing
	Tally         *tally.Tally  // of who calls; nil: nobody is counted
}

// Control is safe for concurrent use.
type Control struct {
	store     *store.Store
	hub       *live.Hub
	clock     func() time.Time
	streams   Streams
	region    string
	audit     *audit.Log
	reads     *audit.Reads
	actors    actorCache
	passwords *hashing
	derive    Derivation

	sessionIdle time.Duration
	tally       *tally.Tally

	usedMu sync.Mutex // guards used
	used   map[string]model.KeyUse
}

// New returns a Control. The caller closes the store and the hub.
func New(o Options) *Control {
	if o.Streams == nil {
		o.Streams = NoStreams{}
	}
	if o.Audit == nil {
		o.Audit = audit.NewLog(audit.Options{Store: o.Store, Clock: o.Clock})
	}
	if o.Derive == nil {
		o.Derive = argon2.IDKey
	}
	return &Control{
		store: o.Store, hub: o.Hub, clock: o.Clock, streams: o.Streams, region: o.DefaultRegion,
		audit:     o.Audit,
		reads:     audit.NewReads(o.Store),
		actors:    newActorCache(),
		passwords: newHashing(),
		derive:    o.Derive,

		sessionIdle: cmp.Or(o.SessionIdle, model.SessionIdle),
		tally:       o.Tally,

		used: map[string]model.KeyUse{},
	}
}

// now is the time of a use case, as it is stored: to the millisecond, UTC.
func (c *Control) now() time.Time { return c.clock().UTC().Truncate(time.Millisecond) }

// Act carries out an administrative act, with its line of the audit log.
func (c *Control) Act(ctx context.Context, actor *model.Actor, action model.AuditAction,
	fn func(tx *store.Tx, line *model.AuditEntry) error) error {
	return audit.Act(ctx, c.store, c.now(), actor, action, fn)
}

// Forget drops what is remembered of these accounts' keys, on all nodes.
func (c *Control) Forget(accounts ...model.AccountID) {
	c.Drop(accounts...)
	c.hub.Forget(accounts...)
}

// Drop drops what this node remembers of these accounts' keys.
func (c *Control) Drop(accounts ...model.AccountID) { c.actors.drop(accounts...) }

// DropAll drops all that is remembered of keys.
func (c *Control) DropAll() { c.actors.ForgetAll() }

// Age forgets what was remembered before the last call: each sweep calls it.
func (c *Control) Age() { c.actors.Age() }
