package offline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"signet/internal/access"
	"signet/internal/backlog"
	"signet/internal/fanout"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/store"
	"signet/internal/sweep"
)

// settleInterval is how often a command asks whether a server that runs has done what the
// command has begun.
const settleInterval = 100 * time.Millisecond

// cases are the use cases through which commands act on a store, as callers do.
type cases struct {
	store  *store.Store
	access *access.Control
	people *people.People
	work   *backlog.Worker
}

func casesOf(kept *store.Store) *cases {
	c := &cases{store: kept}
	log, hub := slog.Default(), live.NewHub(0)
	fans := fanout.New(fanout.Options{Store: kept, Hub: hub, Clock: time.Now})
	c.access = access.New(access.Options{Store: kept, Hub: hub, Clock: time.Now})
	c.people = people.New(people.Options{Store: kept, Access: c.access, Hub: hub, Fanout: fans, Clock: time.Now,
		Logger: log})
	eraser := &sweep.Eraser{Store: kept, Readers: nobody{}, Now: time.Now, EndAccount: c.people.EndAccount,
		Wipe: func() {}, Counts: new(sweep.Counts)}
	c.work = backlog.NewWorker(backlog.Options{Store: kept, Now: time.Now, Log: log})
	c.work.Register(append(eraser.Kinds(), fans.Kind())...)
	return c
}

// nobody reads where a command erases: servers find out by themselves.
type nobody struct{}

func (nobody) ForgetMessages(...model.MessageID)        {}
func (nobody) Wake(context.Context, ...model.AccountID) {}

// erased are the kinds of jobs that an erasure leaves, and those that come before them.
var erased = []store.JobKind{store.FanOut, store.EraseOrganization, store.EraseAccount, store.EraseNotes,
	store.EraseTraces}

// finish does what an erasure left to be done, and returns when nothing is left of it: servers
// that run may be at some of it.
func (c *cases) finish(ctx context.Context) error {
	for {
		if err := c.work.Settle(ctx, erased...); err != nil {
			return err
		}
		for _, kind := range c.work.Kinds() {
			if kind.Failed() > 0 {
				return fmt.Errorf("erasing the %s failed: a server tries again, and so does this command", kind.Name)
			}
		}
		left, err := store.Read(ctx, c.store, func(tx *store.Tx) (bool, error) {
			_, found, err := tx.NextDue(erased)
			return found, err
		})
		if err != nil || !left {
			return err
		}
		select {
		case <-time.After(settleInterval):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// erase erases something, and what is left of it in the files of a store that no server has.
func erase(ctx context.Context, dir, database string, do func(*cases) error) error {
	return maintained(ctx, dir, database, func(kept *store.Store, beside bool) error {
		c := casesOf(kept)
		err := do(c)
		if err == nil {
			err = c.finish(ctx)
		}
		if beside { // the files are the server's to write to
			return errors.Join(err, kept.NoteErasure(ctx))
		}
		return errors.Join(err, kept.Erase(ctx))
	})
}
