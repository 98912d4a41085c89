// Package push tells browsers of new messages while no page of theirs is open (Web Push).
//
// It owns the subscriptions of accounts, and when, how often and how urgently one is told: not while its
// session has a stream open, not what is muted, once in five seconds where it can wait. What it sends says
// whether the message is important, and how many are unread: no name, no text, no token. Sending is work of
// the backlog, which the transaction of a message notes. The package does not know how a message came to be,
// nor how push services are reached (package egress) and spoken to (package webpush).
package push

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"signet/internal/access"
	"signet/internal/backlog"
	"signet/internal/egress"
	"signet/internal/meter"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/webpush"
)

// Streams are the event streams of all nodes.
type Streams interface {
	// Keys returns the keys with which accounts have streams open.
	Keys(tx *store.Tx, accounts []model.AccountID) (map[string]bool, error)
}

// Options are what a Pusher works with.
type Options struct {
	Store    *store.Store
	Access   *access.Control
	Streams  Streams
	Guard    *egress.Guard
	Identity *Identity
	Off      bool   // nothing is pushed, and nobody subscribes
	Contact  string // how a push service reaches whoever runs the server, as a URL; empty: it is not told
	Clock    func() time.Time
	Log      *slog.Logger
}

// Identity is by what push services and the store's own rows know an installation.
type Identity struct {
	key  *webpush.Key
	seal sealer
}

// NewIdentity returns the one that belongs to a secret of the installation: 32 bytes or more.
func NewIdentity(secret []byte) (*Identity, error) {
	key, err := webpush.DeriveKey(secret)
	if err != nil {
		return nil, err
	}
	seal, err := newSealer(secret)
	return &Identity{key, seal}, err
}

// Counts are what happened since the start.
type Counts struct {
	Pushed  atomic.Int64 // the push service took it
	Ended   atomic.Int64 // it said that the browser does not subscribe any more
	Failed  atomic.Int64 // it did not answer, or asked to wait: tried again
	Refused atomic.Int64 // it did not take it, or the settings do not allow to call it
}

// Pusher is safe for concurrent use.
type Pusher struct {
	Options
	Counts Counts
	Took   *meter.Histogram // from when a message was sent until the push service took it

	audience audience
	lanes    lanes

	mu      sync.Mutex           // guards refused
	refused map[string]time.Time // when it was last told of a host that refuses
}

const (
	// most is how many subscriptions an account has.
	most = 20
	// pace is how long a subscription rests after a push.
	pace = 5 * time.Second
	// grace is after how long it is looked whether a stream that was open has taken a message: of a phone whose
	// network is gone the server learns within 12 s.
	grace = 15 * time.Second
	// batch is how many accounts a job tells, and of how many pushes it waits for the end.
	batch = 64
	// lease is for how long no other server takes a job, which takes no longer than a call and what is stored
	// before and after it.
	lease = 2 * time.Minute
)

// New returns a Pusher. Its Kind is to be registered, and Run to be run.
func New(o Options) *Pusher {
	return &Pusher{Options: o, Took: meter.NewDurations(), lanes: lanes{hosts: map[string]*lane{}},
		audience: audience{owners: map[model.AccountID]bool{}}, refused: map[string]time.Time{}}
}

// Kind is what tells browsers of a message.
func (p *Pusher) Kind() *backlog.Kind {
	return &backlog.Kind{Number: store.PushMessage, Name: "push", Act: p.act, Lease: lease, Waits: true}
}

// PublicKey is what a browser subscribes with; off where nobody can.
func (p *Pusher) PublicKey() (key string, off bool) { return p.Identity.key.Public(), p.Off }

// now is a time as it is stored: to the millisecond, UTC.
func (p *Pusher) now() time.Time { return p.Clock().UTC().Truncate(time.Millisecond) }

// Load reads who has subscriptions, which Run does by itself: until then anybody may have some.
func (p *Pusher) Load(ctx context.Context) error { return p.audience.load(ctx, p.Store, p.Clock()) }

// Run keeps in mind who has subscriptions, until ctx ends.
func (p *Pusher) Run(ctx context.Context) {
	if !p.Off {
		p.audience.follow(ctx, p.Store, p.Clock, p.Log)
	}
}
