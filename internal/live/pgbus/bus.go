// Package pgbus carries what the hubs of several nodes say to each other through the
// notifications of the database that they share (LISTEN and NOTIFY of PostgreSQL): the bus of
// package live where there is no NATS.
//
// It owns two connections to the database, the channel, and the form of letters. It
// knows nothing of queues or streams, nor of the store's tables. A notification that it loses
// does no harm: readers look at their queue from time to time.
//
// # The channel
//
// There is one for all nodes, signet_<installation>, named after the store's own secret and
// epoch, so that two installations in one database never meet. Channels by account, as the
// subjects on NATS are, would gain nothing: PostgreSQL wakes every connection of the database
// that listens to anything, and those are as many as there are nodes. So each node hears all, and
// its hub passes on what it has readers for.
//
// # Notifications
//
// Every role that may connect may listen and notify. So each letter is sealed (package
// envelope), bound to the channel, and written in base64; it has to stay below 8,000 bytes.
// What waits is said in one transaction, and the next one begins some milliseconds later: many
// notices share its cost. It comes after the transaction that they are about, never inside:
// a transaction that notifies holds a lock on the whole database until it has ended, and all
// commits would stand in line. Here it waits for no disk (synchronous_commit is off for it).
//
// A node that nobody answers when it connects, or that has heard no other for some heartbeats, says
// nothing but its own: with one server, a notification for each commit would be a third of what a send
// costs. The first that it hears of another one ends that: it has its readers look at their queues, and
// says a heartbeat at once, by which the other one learns of it and does the same. What is lost because a
// node stood still meanwhile is found when readers look.
//
// # Whether notifications come
//
// A pooler that hands out connections by the transaction takes LISTEN and passes nothing on, and
// nothing tells it from one that does. So the node says a heartbeat to itself, first of all and
// then every few seconds: it is connected while these come back. That also finds a standby in
// the place of the primary, a database that only looks like PostgreSQL, and a connection whose
// other end is gone.
package pgbus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"signet/internal/live"
	"signet/internal/live/envelope"
	"signet/internal/live/link"
	"signet/internal/meter"
)

// outgoing is how many notices wait for the database. They are many only when it hangs.
const outgoing = 4096

// Options are what a bus is made with.
type Options struct {
	URL    string // of the database, as the store is opened with
	Secret []byte // the installation's own, the same on all nodes
	Epoch  string // of the store
	Log    *slog.Logger
}

// pace is how long the bus waits for what. Tests make it quicker.
type pace struct {
	beat     time.Duration // between a heartbeat that came back and the next one
	patience time.Duration // until a heartbeat is back, or the database has taken what is said
	retry    time.Duration // between two tries; it varies by as much again
	barred   time.Duration // the same once tries have been refused
	gap      time.Duration // between two transactions that say something
	alone    time.Duration // until nothing is said, once another node is heard no more
}

var ownPace = pace{beat: 5 * time.Second, patience: 2 * time.Second, retry: 250 * time.Millisecond,
	barred: time.Minute, gap: 5 * time.Millisecond, alone: 12 * time.Second}

// Bus is a node's way to the others. It is safe for concurrent use.
type Bus struct {
	hub      *live.Hub
	log      *slog.Logger
	channel  string
	config   *pgconn.Config
	envelope *envelope.Envelope
	link     *link.Link
	latency  *meter.Histogram
	pace     pace
	others   *company

	out     chan live.Notice
	life    context.Context // until Close
	end     context.CancelFunc
	closing sync.Once
	running sync.WaitGroup
}

var _ live.Bus = (*Bus)(nil)

// Open connects a hub to those of other nodes. It does not wait for the database: while that
// is away, it is tried again, and notices are dropped. An error is about the options.
func Open(hub *live.Hub, o Options) (*Bus, error) { return open(hub, o, ownPace) }

func open(hub *live.Hub, o Options, pace pace) (*Bus, error) {
	name, err := envelope.Installation(o.Secret, o.Epoch)
	if err != nil {
		return nil, fmt.Errorf("open bus: %w", err)
	}
	sealing, err := envelope.New(o.Secret, o.Epoch)
	if err != nil {
		return nil, fmt.Errorf("open bus: %w", err)
	}
	config, err := configure(o.URL)
	if err != nil {
		return nil, fmt.Errorf("open bus: %w", err)
	}
	b := &Bus{
		hub: hub, log: o.Log, channel: "signet_" + name, config: config, envelope: sealing, pace: pace,
		// That the database is away is told by who cannot go on without it.
		link: link.New(o.Log, link.Levels{Away: slog.LevelDebug, Back: slog.LevelDebug}), latency: newLatency(),
		out: make(chan live.Notice, outgoing), others: &company{began: time.Now()},
	}
	b.life, b.end = context.WithCancel(context.Background())
	b.running.Go(b.run)
	return b, nil
}

// newLatency has bounds around what a person notices.
func newLatency() *meter.Histogram {
	var bounds []int64
	for _, ms := range []time.Duration{1, 2, 5, 10, 25, 50, 100, 250, 500, 1000} {
		bounds = append(bounds, int64(ms*time.Millisecond))
	}
	return meter.NewHistogram(bounds...)
}

// Publish tells the other nodes, where there are any. It drops the notice while the bus is away, or
// does not keep up.
func (b *Bus) Publish(n live.Notice) {
	if b.Connected() {
		if b.others.alone() {
			return
		}
		n.Accounts = slices.Clone(n.Accounts) // what waits is nobody else's
		select {
		case b.out <- n:
			return
		default: // the database does not keep up
		}
	}
	n.Sent(true)
	b.link.Dropped.Add(1)
}

// Listen does nothing: every node hears all that is said.
func (b *Bus) Listen(live.Topic) {}

// Ignore does nothing either.
func (b *Bus) Ignore(live.Topic) {}

// Connected reports whether this node's heartbeats come back to it.
func (b *Bus) Connected() bool { return b.link.Up() }

// Barred says why no notifications come: the database refuses them, or something before it
// takes LISTEN and passes nothing on.
func (b *Bus) Barred() error { return b.link.Barred() }

// Stats returns the bus's counters.
func (b *Bus) Stats() link.Stats { return b.link.Stats() }

// Latency returns how long heartbeats took through the database and back.
func (b *Bus) Latency() *meter.Histogram { return b.latency }

// Close says what waits, ends the connections, and waits for what the bus runs. It may be
// called twice.
func (b *Bus) Close() error {
	b.closing.Do(func() {
		b.link.Leave()
		b.end()
		b.running.Wait()
	})
	return nil
}

// tries is how many in a row are refused until the bus says that it is barred.
const tries = 3

var errUnheard = errors.New("PostgreSQL's notifications do not arrive: a pooler that hands out connections by the " +
	"transaction does not pass them on; use one that keeps a connection for each session, or set nats")

// run connects, and connects again, until the bus is closed.
func (b *Bus) run() {
	refusals := 0
	for b.life.Err() == nil {
		carried, err := newSession(b).run()
		wait := b.pace.retry + jitter(b.pace.retry)
		if carried || !refused(err) {
			refusals = 0
			b.link.Lose(err)
		} else if refusals++; refusals >= tries {
			b.link.Bar(err)
			wait = b.pace.barred
		}
		select {
		case <-time.After(wait):
		case <-b.life.Done():
		}
	}
}

// refused reports whether a session ended because of how things are set up, and not because
// the database was away or not the primary.
func refused(err error) bool {
	if errors.Is(err, errUnheard) {
		return true
	}
	answer, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || len(answer.Code) < 2 {
		return false
	}
	switch answer.Code[:2] {
	case "25", "57": // it only lets read, as a standby does; it starts or stops
		return false
	case "08", "58": // what a pooler says of a server that it cannot reach
		return false
	}
	return true
}
