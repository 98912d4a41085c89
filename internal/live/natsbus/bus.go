// Package natsbus carries what the hubs of several nodes say to each other over
// NATS core: the bus of package live.
//
// It owns the connection, the subjects and the form of what travels. It knows nothing
// of queues or streams. A message that it loses does no harm: readers look at their
// queue from time to time.
//
// # Subjects
//
//	signet.<installation>.all                        for all nodes
//	signet.<installation>.account.<hex>              for nodes with readers of the account
//	signet.<installation>.account.<hex>.<feature>    for those with a stream of it that asked for the feature
//
// The installation is derived from the store's own secret and epoch, so that two
// installations on one NATS never meet. A node subscribes for the accounts that have
// readers on it; for the others NATS sends it nothing.
//
// # Messages
//
// Each is sealed (package envelope), bound to its subject: others on the same NATS
// cannot wake, end or show anything. The secret behind that is in the database and in every
// copy of it, unlike the key ring's keys. So a message names things and says nothing of
// them: no text of people's, and no name.
//
// # Waiting
//
// nats.go may wait while it writes, connects or subscribes. One goroutine does all of
// this (worker), so that no request ever waits for it: notices wait in a bounded
// queue, which drops what does not fit, and the accounts to listen for in a set.
package natsbus

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"signet/internal/live"
	"signet/internal/live/envelope"
	"signet/internal/live/link"
	"signet/internal/model"
)

const (
	// outgoing and incoming are how many notices wait for the network, and for the
	// hub. They are many only when one of the two hangs.
	outgoing = 4096
	incoming = 16384

	// forgetBatch is how many accounts one notice names, so that it is far smaller
	// than NATS lets a message be (1 MiB).
	forgetBatch = 4096
)

// Options are what a bus is made with.
type Options struct {
	URL string // of the servers, as nats://user:password@host:4222, comma-separated
	// file to sign in with: creds:PATH, nkey:PATH, token:PATH, or password:PATH for the user in URL; empty: what URL says
	Login  string
	CA     string // file with the authorities (PEM) that servers are certified by; empty: the machine's
	Secret []byte // the installation's own, the same on all nodes
	Epoch  string // of the store
	Log    *slog.Logger

	Certificate, Key string // files (PEM) with which the node shows who it is; empty: none
}

// Bus is a node's connection to the others. It is safe for concurrent use.
type Bus struct {
	hub      *live.Hub
	log      *slog.Logger
	subjects subjects
	envelope *envelope.Envelope
	conn     *nats.Conn
	link     *link.Link

	out     chan letter
	in      chan *nats.Msg
	life    context.Context // until Close
	end     context.CancelFunc
	closing sync.Once
	running sync.WaitGroup

	interest interest
	fresh    fresh
}

var _ live.Bus = (*Bus)(nil)

// letter is a message to send: to those who read for the accounts, with the feature if
// there is one, or, without accounts, to all nodes.
type letter struct {
	accounts []model.AccountID
	feature  string
	text     []byte
	notice   live.Notice // that it says, whole or in part
}

// Stats returns the bus's counters.
func (b *Bus) Stats() link.Stats { return b.link.Stats() }

// Connected reports whether NATS is there.
func (b *Bus) Connected() bool { return b.link.Up() }

// Barred returns nil: NATS that is away is only a matter of time.
func (b *Bus) Barred() error { return b.link.Barred() }

// Publish tells the other nodes. It drops the notice while NATS is away, or does not
// keep up.
func (b *Bus) Publish(n live.Notice) {
	accounts := n.Accounts
	if n.Kind == live.NoticeForget {
		for some := range slices.Chunk(accounts, forgetBatch) {
			n.Accounts = some
			b.post(nil, n)
		}
		return
	}
	n.Accounts = nil // the subject names it
	b.post(slices.Clone(accounts), n)
}

func (b *Bus) post(accounts []model.AccountID, n live.Notice) {
	drop := func() {
		b.link.Dropped.Add(uint64(max(len(accounts), 1)))
		n.Sent(true)
	}
	if !b.Connected() {
		drop()
		return
	}
	text, err := json.Marshal(n)
	if err != nil {
		b.log.Error("a notice for other nodes cannot be written", "kind", n.Kind, "error", err)
		n.Sent(true)
		return
	}
	l := letter{accounts: accounts, text: text, notice: n}
	if n.Signal != nil {
		l.feature = n.Signal.Feature
	}
	select {
	case b.out <- l:
	default:
		drop()
	}
}

// work sends, and subscribes, until the bus is closed; then it sends what is left.
func (b *Bus) work() {
	for {
		select {
		case l := <-b.out:
			b.send(l)
		case <-b.interest.changed:
			b.settle()
		case <-b.life.Done():
			for {
				select {
				case l := <-b.out:
					b.send(l)
				default:
					return
				}
			}
		}
	}
}

func (b *Bus) send(l letter) {
	dropped := false
	if len(l.accounts) == 0 {
		dropped = !b.sendTo(b.subjects.all, l.text)
	}
	for _, account := range l.accounts {
		dropped = !b.sendTo(b.subjects.of(live.Topic{Account: account, Feature: l.feature}), l.text) || dropped
	}
	l.notice.Sent(dropped)
}

func (b *Bus) sendTo(subject string, text []byte) (sent bool) {
	b.link.Published.Add(1) // before another node can have received it
	err := b.conn.Publish(subject, b.envelope.Seal(subject, text))
	if err != nil {
		b.link.Dropped.Add(1)
		b.log.Debug("a notice for other nodes is not sent", "error", err)
	}
	return err == nil
}

// listen takes in what other nodes say, until the bus is closed.
func (b *Bus) listen() {
	for {
		select {
		case m := <-b.in:
			b.take(m)
		case <-b.life.Done():
			return
		}
	}
}

func (b *Bus) take(m *nats.Msg) {
	b.link.Received.Add(1)
	text, err := b.envelope.Open(m.Subject, m.Data)
	var n live.Notice
	if err == nil {
		err = json.Unmarshal(text, &n)
	}
	if err != nil {
		b.link.Dropped.Add(1)
		b.link.Complain("a message on the bus is none of this installation's nodes", err)
		return
	}
	if account, ok := b.subjects.account(m.Subject); ok {
		n.Accounts = []model.AccountID{account}
	}
	b.hub.Hear(n)
}

// subjects are the names that the installation's messages travel under.
type subjects struct{ all, accounts string }

func newSubjects(installation string) subjects {
	return subjects{"signet." + installation + ".all", "signet." + installation + ".account."}
}

func (s *subjects) of(topic live.Topic) string {
	subject := s.accounts + hex.EncodeToString(topic.Account[:])
	if topic.Feature != "" {
		subject += "." + topic.Feature
	}
	return subject
}

func (s *subjects) account(subject string) (id model.AccountID, ok bool) {
	name, ok := strings.CutPrefix(subject, s.accounts)
	name, _, _ = strings.Cut(name, ".")
	if !ok || hex.DecodedLen(len(name)) != len(id) {
		return id, false
	}
	_, err := hex.Decode(id[:], []byte(name))
	return id, err == nil
}
