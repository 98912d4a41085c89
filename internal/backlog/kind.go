// Package backlog is the one room for work in the background: what is begun in a transaction
// and done after it, not before it is due, once, by one of many servers.
//
// Whoever has something to do after a transaction, notes a job in it (store.Tx.NoteJob). From
// the commit on it is done, whatever happens to the server that noted it: any server on the
// store finds it. The package owns when and in which order jobs are done, and that no two
// servers do one at a time; what a job does, its kind knows.
package backlog

import (
	"context"
	"sync/atomic"
	"time"

	"signet/internal/store"
)

// Kind is a kind of work. It has one of Step and Act.
type Kind struct {
	Number store.JobKind // is stored
	Name   string        // in metrics, the log and warnings

	// Step does the next of a job in the transaction in which it is taken: as little as holds up
	// nobody, about Rows rows. It may run again, like all that the store runs in a transaction;
	// what it says of the job, and its effects, come into being together, or not at all. What it
	// needs from outside of the store it has got beforehand (Unready).
	Step func(tx *store.Tx, j *store.Job) (Next, error)

	// Act does the next of a job in transactions of its own, or outside of the store. No other
	// server takes the job for the time of Lease; where this one is killed meanwhile, another one
	// repeats the work after it. ctx ends a little before the lease; what takes longer asks Turn,
	// or rests, between its transactions.
	Act   func(ctx context.Context, j *store.Job) (Next, error)
	Lease time.Duration
	// Writes says that an Act writes very much into the store: of all of these one job acts at a
	// time on a server, so that calls wait for one transaction of theirs.
	Writes bool

	// Waits says that an Act mostly waits for others than the store, as for a push service: many of the kind act at
	// a time on a server, and they hold up no other kind.
	Waits bool

	// Merges says that a step does what all jobs of a subject are about: of those that are due together
	// one is done, and the others are forgotten. Else a subject of which very much is noted would have
	// everybody wait who is noted later.
	Merges bool

	// Erases says that it destroys something because its time has come: it waits while the
	// clock is in doubt.
	Erases bool

	done, failed atomic.Int64
}

// Done returns how often a job of the kind was done, or a part of it, by this server.
func (k *Kind) Done() int64 { return k.done.Load() }

// Failed returns how often a job of the kind failed on this server.
func (k *Kind) Failed() int64 { return k.failed.Load() }

// Next says what becomes of a job after a step.
type Next struct {
	Done func() // is called once the step is on disk; nil: nothing
	Rows int    // were written, about: with few, other jobs are done in the same transaction

	over bool
	at   time.Time
}

// Unready is the error of a Step that lacks something which a transaction must not wait for, such as
// a key. The transaction ends without effect, get is called outside of it, and the step is done again.
func Unready(get func(context.Context) error) error { return &unready{get} }

type unready struct{ get func(context.Context) error }

func (*unready) Error() string {
	return "a step lacks something that it gets outside of its transaction"
}

// Over says that nothing is left to do.
func Over() Next { return Next{over: true} }

// Again says that there may be more to do: after other jobs that are due.
func Again() Next { return Next{} }

// At says when the job is due next.
func At(due time.Time) Next { return Next{at: due} }
