package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"signet/internal/custody"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

// openRing opens the ring that a store is sealed with. It makes one for a store that
// has none yet.
func openRing(ctx context.Context, in surroundings, engine store.Engine, kept *store.Store,
	copied *ringCopy) (*seal.Ring, error) {
	expect, err := kept.Keyring(ctx)
	if err != nil {
		return nil, err
	}
	o := seal.Options{Expect: expect, Clock: in.clock, Log: in.log}
	ring, err := home.OpenRing(ctx, in.cfg, in.dir, o,
		func() (seal.Storage, error) { return openKeyring(ctx, in, engine, copied) })
	if err != nil {
		return nil, err
	}
	if err := errors.Join(followRing(ctx, in, kept, ring), followRingCopy(ctx, in, kept)); err != nil {
		return nil, errors.Join(err, ring.Close())
	}
	if err := compareRing(ctx, kept, ring); err != nil {
		return nil, errors.Join(home.OwnershipFault(err), ring.Close())
	}
	if err := copied.begin(ctx); err != nil {
		return nil, errors.Join(home.SetupFault(err), ring.Close())
	}
	settled, err := kept.SettleKeyring(ctx, ring.ID())
	if err == nil && settled != ring.ID() {
		err = home.Misconfigured{Err: fmt.Errorf("another server has begun to seal what is stored with key ring %s: "+
			"servers on one database share a key ring (setting keyring) and a master key", settled)}
	}
	if err != nil {
		return nil, errors.Join(err, ring.Close())
	}
	if expect == "" && in.cfg.Database != "" && !strings.HasPrefix(in.cfg.Keyring, "postgres") {
		in.log.Warn("the key ring is a file of this server: another server on the same database will not start before all " +
			"share one (setting keyring)")
	}
	return ring, nil
}

// compareRing refuses a ring that is another installation's, and notes it where the store
// has sealed with keys that this one never had: an older copy was put back.
func compareRing(ctx context.Context, kept *store.Store, ring *seal.Ring) error {
	fit, err := custody.Check(ctx, kept, custody.RingAt(ring.Where()), ring)
	if err != nil {
		return err
	}
	newest, err := kept.NewestKey(ctx)
	if err != nil {
		return err
	}
	older := fit == model.FitsOlder
	if newest != "" {
		id, err := seal.ParseKeyID(newest)
		if err != nil {
			return err
		}
		older = older || ring.Lacks(id)
	}
	ring.Noting(func(ctx context.Context, id seal.KeyID) error { return kept.NoteNewestKey(ctx, id.String()) })
	if !older {
		return nil
	}
	return kept.NoteKeysMissing(ctx, true)
}

// openKeyring opens where the ring is kept, and the copy with it. It waits for a database
// that is away.
func openKeyring(ctx context.Context, in surroundings, engine store.Engine,
	copied *ringCopy) (storage seal.Storage, err error) {
	open := func() (seal.Storage, error) { return home.Keyring(ctx, in.cfg.Keyring, in.dir, true) }
	if strings.HasPrefix(in.cfg.Keyring, "postgres") {
		storage, err = await(ctx, in, "the database of the key ring", open)
	} else {
		storage, err = open()
	}
	if err != nil {
		return nil, err
	}
	warnOfOneCluster(ctx, in, engine, storage)
	return copied.wrap(storage), nil
}

// warnOfOneCluster tells of a key ring that lies where the database does, under whatever
// name: who takes a base backup, or the disk of a replica, then has both.
func warnOfOneCluster(ctx context.Context, in surroundings, parts ...any) {
	var found []string
	for _, part := range parts {
		if p, ok := part.(interface {
			Cluster(context.Context) (string, error)
		}); ok {
			id, err := p.Cluster(ctx)
			if err != nil {
				in.log.Debug("whether the key ring is on the database's server is not known", "error", err)
				return
			}
			found = append(found, id)
		}
	}
	if len(found) == 2 && found[0] == found[1] {
		in.log.Warn("the key ring is on the PostgreSQL server of the database, so that base backups and replicas hold " +
			"the keys of what they hold: move it to another server with \"signet keys export\", and change the setting keyring")
	}
}
