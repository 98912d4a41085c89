package app

import (
	"context"
	"errors"
	"fmt"

	"signet/internal/audit"
	"signet/internal/content"
	"signet/internal/custody"
	"signet/internal/disk"
	"signet/internal/home"
	"signet/internal/push"
	"signet/internal/seal"
	"signet/internal/store"
	"signet/internal/store/postgres"
	"signet/internal/store/sqlite"
	"signet/internal/succession"
	"signet/internal/transfer"
)

// data is where everything is kept, open and known to be this installation's.
type data struct {
	engine    store.Engine
	ready     func(context.Context) error // whether a request would find the engine
	room      *disk.Room
	kept      *store.Store
	pair      *pair
	ring      *seal.Ring
	ringCopy  *ringCopy
	forgeries *custody.ForgeryWatch
	blobs     *files
	keeper    *custody.Keeper
	auditKey  *audit.Key
	pushes    *push.Identity
}

// openData opens the store, then what the store says it is sealed with, then the files that it
// names. What is open is taken, whether or not the rest opens too.
func openData(ctx context.Context, in surroundings, taken *undo) (*data, error) {
	d := new(data)
	for _, open := range [...]func(context.Context, surroundings, *undo) error{
		d.openStore, d.openPair, d.openKeys, d.openFiles, d.openAuditKey,
	} {
		if d.pair != nil {
			in.promoting = d.pair.promoting
		}
		if err := open(ctx, in, taken); err != nil {
			return nil, err
		}
	}
	if in.promoting { // all that it marks is marked
		return d, succession.Finish(in.dir)
	}
	return d, nil
}

// openStore opens the engine that the settings name, and what it stores, in today's form.
func (d *data) openStore(ctx context.Context, in surroundings, taken *undo) (err error) {
	disk.Prepare(in.dir)
	if d.engine, d.ready, err = openEngine(ctx, in); err != nil {
		return err
	}
	if d.room, err = openRoom(in); err != nil {
		return errors.Join(err, d.engine.Close())
	}
	*taken = append(*taken, d.room.Close, d.engine.Close) // the store's files are smaller by then
	if err := upgrade(ctx, in, d.engine, store.Today()); err != nil {
		return err
	}
	if d.kept, err = store.Open(ctx, d.engine, store.NewEpoch); err != nil {
		return err
	}
	d.kept.LimitQueues(in.cfg.Events.QueueMax)
	return nil
}

// openEngine opens the engine that the settings name. ready tells whether a request
// would find it.
func openEngine(ctx context.Context, in surroundings) (engine store.Engine, ready func(context.Context) error,
	err error) {
	if in.cfg.Database == "" {
		// The server that hands over, or this one before, may have been told since RoleOf has looked.
		if err := succession.Fenced(in.dir); err != nil {
			return nil, nil, home.Misconfigured{Err: err}
		}
		if err := succession.Complete(in.dir); err != nil {
			return nil, nil, err
		}
		if unfinished := transfer.Unfinished(home.Database(in.dir)); home.Exists(unfinished) {
			return nil, nil, fmt.Errorf("a restore into this directory was not finished (there is %s): run it again", unfinished)
		}
		engine, err = sqlite.Open(home.Database(in.dir),
			sqlite.Options{Clock: in.clock, Log: in.log, CacheBytes: in.cfg.CacheBytes})
		return engine, func(ctx context.Context) error {
			return engine.View(ctx, func(store.Session) error { return nil })
		}, err
	}
	shared, err := await(ctx, in, "the database", func() (*postgres.Engine, error) {
		return postgres.Open(ctx, in.cfg.Database, postgres.Options{Clock: in.clock, Log: in.log})
	})
	return shared, func(ctx context.Context) error {
		offset, err := shared.ClockOffset(ctx)
		if err == nil && offset.Abs() > custody.MaxClockOffset {
			err = custody.ClockOffsetFault(offset)
		}
		return err
	}, err
}

// openKeys opens the key ring, and sees to it that what is stored was sealed with its keys.
func (d *data) openKeys(ctx context.Context, in surroundings, taken *undo) (err error) {
	if d.ringCopy, err = newRingCopy(in); err != nil {
		return err
	}
	if d.ring, err = openRing(ctx, in, d.engine, d.kept, d.ringCopy); err != nil {
		return err
	}
	*taken = append(*taken, d.ring.Close)
	d.forgeries = custody.NewForgeryWatch(d.kept, in.clock, in.log, in.warnings)
	if err := home.SetupFault(content.Authenticate(ctx, d.kept, d.ring, d.forgeries.Refuse)); err != nil {
		return err
	}
	secret, err := content.Secret(ctx, d.kept, d.ring, "signet push")
	if err == nil {
		d.pushes, err = push.NewIdentity(secret)
	}
	return err
}

// openFiles opens where attachments and avatars are kept, and takes a turn with all that is open.
func (d *data) openFiles(ctx context.Context, in surroundings, taken *undo) (err error) {
	if d.blobs, err = openBlobs(ctx, in, d.kept, d.pair); err != nil {
		return err
	}
	*taken = append(*taken, d.blobs.Close)
	if d.keeper, err = takeCustody(ctx, in, d.kept, d.ring, d.blobs); err != nil {
		return err
	}
	return warnOfOwnBlobs(ctx, in, d.kept)
}

func (d *data) openAuditKey(ctx context.Context, in surroundings, _ *undo) (err error) {
	d.auditKey, err = openAuditKey(ctx, in, d.kept)
	return err
}
