package overview

import (
	"context"
	"time"

	"signet/internal/health"
	"signet/internal/model"
)

// Installation knows how an installation does. What it tells was counted for the metrics, and
// no call has it counted more often than they do.
type Installation interface {
	Status(ctx context.Context) (Status, error)
}

// Status is how an installation does. What is in Server only the server that answers knows
// of itself; the rest is in the store, and the same on all servers.
type Status struct {
	Asked    time.Time
	Embedded bool // the store is
	Schema   int  // of the data
	Nodes    []Node
	Server   Server
	Storage  Storage
	Sweep    Waiting
	Pieces   Waiting // what calls left to be done in pieces
	Queues   *Queues // nil: not counted yet
	Backup   *Backup // nil: backups are made of the database, which does not tell
}

// Node is a server as those that share its store know it.
type Node struct {
	Name    string // its machine and process
	Version string
	Started time.Time
	Heard   time.Time // when it last said that it is there
	Alive   bool      // that was not long ago
	Self    bool      // it is the one that answers
}

// Queues are the queues of all accounts, as they were when they were counted.
type Queues struct {
	Counted  time.Time
	Accounts int       // with something queued
	Events   int       // queued, in all
	Old      int       // accounts whose oldest event was queued more than a day ago
	Long     int       // accounts with more than 1,000 events
	Oldest   time.Time // when the oldest event of all was queued; zero: there is none
}

// Server is what a server knows of itself.
type Server struct {
	Name, Version, Commit string
	Started               time.Time
	NotReady              error // why it is not; nil: it is ready
	Streams               int   // open
	Messages              Messages
	Transactions          Transactions
	Tasks                 []Task
	Parts                 []Part
	Keys                  int              // in the key ring
	Free                  map[string]int64 // bytes on the disks that it writes to, by what it keeps there
	CertificateEnds       time.Time        // zero: it has none
	Warnings              []health.Warning
}

// Messages are what became of messages at a server since its start.
type Messages struct{ Sent, Copies, Delivered, Read, Expired, Recalled int64 }

// Transactions are those that did not succeed at once, since a server's start.
type Transactions struct{ Retried, Busy, Unavailable int64 }

// Task is a part of the sweep or of housekeeping.
type Task struct {
	Name      string
	Succeeded time.Time // last; zero: not since the start
	Failures  int64     // since the start; each is tried again
	Late      bool      // it should have ended well since
}

// Part is something that a server works with.
type Part struct {
	Name    string // keyring, attachments or nats
	Up      bool
	Since   time.Time // of its outage; zero: none, or not known
	Refused int       // calls, in this outage
}

// Storage is how much room the data takes, in bytes; 0: not known.
type Storage struct {
	Database int64
	Log      int64 // the write-ahead log of the embedded store
}

// Waiting is work that is to be done.
type Waiting struct {
	Count  int
	Oldest time.Time // since when it waits; zero: nothing does
}

// Backup is what is known of backups of the embedded store.
type Backup struct {
	Succeeded time.Time // zero: never
	Bytes     int64
	Failed    time.Time // zero: never
}

// Status tells operators how the installation does.
func (c *Overview) Status(ctx context.Context, actor *model.Actor) (s Status, err error) {
	err = c.askAll(ctx, actor, model.ActionStatusRead, func() error {
		s, err = c.installation.Status(ctx)
		return err
	})
	return s, err
}
