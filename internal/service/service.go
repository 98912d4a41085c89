// Package service carries out what the interface offers: one file a verb or a
// noun, each a use case from its first check to the wake-up after the commit.
//
// It owns messages, groups, conversations and queues: who may do what with them (access.go),
// the meaning of a message's content, and the order of things inside a transaction. It does
// not know HTTP, JSON on the wire, or SQL, nor who belongs where (people).
package service

import (
	"log/slog"
	"time"

	"github.com/google/uuid"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/cache"
	"signet/internal/content"
	"signet/internal/custody"
	"signet/internal/disk"
	"signet/internal/fanout"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/tally"
)

// Limits are the figures of contract section 1; 0 is no limit.
type Limits struct {
	MessagesPerDay int
	MessageBytes   int
	GroupMembers   int
	MetadataKeys   int
	MetadataBytes  int64 // of an organization
	GroupsPerDay   int   // made with a regular key
}

// Options are what a service works with.
type Options struct {
	Access          *access.Control
	Store           *store.Store
	Vault           *content.Vault // nil: nothing that people wrote is read or written
	Hub             *live.Hub
	Clock           func() time.Time
	Time            *custody.Clock // by which is erased; nil: one that is believed
	Logger          *slog.Logger
	Room            *disk.Room // nil: there is room for everything
	Limits          Limits
	EventsRetention time.Duration // how long an unacknowledged event stays

	// Told is called in the transaction that queues a message with an account; of groups' messages Fanout is
	// asked. nil: nobody wants to know.
	Told func(tx *store.Tx, organization model.OrganizationID, message model.MessageID, accounts []model.AccountID) error

	Fanout    *fanout.Fanout // nil: one that does only what calls wait for
	Streams   access.Streams // nil: there are no streams
	Tally     *tally.Tally   // nil: nothing is counted for figures over time
	EraseSoon func()         // asks for the erasure of what a call gave up; nil: the next sweep erases it
}

// Service carries out the interface's use cases. It is safe for concurrent use.
type Service struct {
	store *store.Store
	vault *content.Vault
	hub   *live.Hub
	clock func() time.Time
	time  *custody.Clock
	log   *slog.Logger

	room       *disk.Room
	limits     Limits
	access     *access.Control
	retention  time.Duration
	recipients recipients
	messages   messageMemory
	counting   *counting
	persons    personMemory
	changed    *cache.Cache[string, *access.Target] // see changedAccounts

	counts Counts
	tally  *tally.Tally

	reads *audit.Reads

	told      func(*store.Tx, model.OrganizationID, model.MessageID, []model.AccountID) error
	fanout    *fanout.Fanout
	streams   access.Streams
	eraseSoon func()

	messageSearch messageSearchLimits
}

// New returns a service, before the first use of the store. The caller closes the store, the
// ring, the blobs and the hub.
func New(o Options) *Service {
	if o.Time == nil {
		o.Time = custody.NewClock(custody.ClockOptions{Store: o.Store, Now: o.Clock})
	}
	s := &Service{
		store: o.Store, vault: o.Vault, hub: o.Hub, clock: o.Clock, log: o.Logger, room: o.Room, limits: o.Limits,
		access: o.Access, retention: o.EventsRetention,
		recipients:    newRecipients(),
		messages:      newMessageMemory(),
		counting:      newCounting(),
		persons:       newPersonMemory(o.Store),
		messageSearch: usualSearchLimits,
		changed:       cache.New[string, *access.Target](changedAccounts),
		time:          o.Time,
		reads:         audit.NewReads(o.Store),
		told:          o.Told,
		fanout:        o.Fanout,
		tally:         o.Tally,
		streams:       o.Streams,
		eraseSoon:     o.EraseSoon,
	}
	s.counts.Escalated.Delay = newStepDelays()
	if s.fanout == nil {
		s.fanout = fanout.New(fanout.Options{Store: o.Store, Hub: o.Hub, Clock: o.Clock, Room: o.Room})
	}
	if s.streams == nil {
		s.streams = access.NoStreams{}
	}
	if s.eraseSoon == nil {
		s.eraseSoon = func() {}
	}
	o.Hub.OnForget(func(accounts ...model.AccountID) {
		s.access.Drop(accounts...)
		s.recipients.forget()
	})
	return s
}

// now is the time of a use case, as it is stored: to the millisecond, UTC.
func (s *Service) now() time.Time { return s.clock().UTC().Truncate(time.Millisecond) }

// newID makes the bytes of an identifier: a UUID of version 7, so that what is
// made later sorts later.
func newID() [16]byte { return uuid.Must(uuid.NewV7()) }

// Limits returns what the service works within.
func (s *Service) Limits() Limits { return s.limits }
