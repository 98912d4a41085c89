package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"signet/internal/blob"
	"signet/internal/config"
	"signet/internal/custody"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/seal/pgring"
	"signet/internal/service"
	"signet/internal/store"
)

// Misconfigured marks an error that trying again without changing the settings, or
// what they name, cannot mend.
type Misconfigured struct{ error }

// Unwrap returns the error.
func (m Misconfigured) Unwrap() error { return m.error }

// setupFault marks the errors of a key ring and its master key that do not fit.
func setupFault(err error) error {
	if errors.As(err, new(*seal.SetupError)) {
		return Misconfigured{err}
	}
	return err
}

// keyring opens the ring that the settings name, for a server or for a command
// beside one.
func keyring(ctx context.Context, where, dir string, server bool) (seal.Storage, error) {
	path, isFile := strings.CutPrefix(where, "file:")
	switch {
	case where == "":
		path = filepath.Join(dir, keyringFile)
	case !isFile:
		return pgring.Open(ctx, where)
	}
	if !server {
		return seal.OpenFileBeside(path), nil
	}
	return seal.OpenFile(path)
}

func master(where, dir string) (seal.Master, error) {
	if where == "" {
		return seal.MasterFile(filepath.Join(dir, masterFile)), nil
	}
	return seal.ParseMaster(where, os.Getenv)
}

// openRing opens the ring that a store is sealed with. It makes one for a store that
// has none yet.
func openRing(ctx context.Context, in surroundings, kept *store.Store, copied *ringCopy) (*seal.Ring, error) {
	expect, err := kept.Keyring(ctx)
	if err != nil {
		return nil, err
	}
	ring, err := openRingFor(ctx, in.cfg, in.dir, seal.Options{Expect: expect, Clock: in.clock, Log: in.log}, true, copied.wrap)
	if err != nil {
		return nil, err
	}
	if err := followRing(ctx, in, kept, ring); err != nil {
		return nil, errors.Join(err, ring.Close())
	}
	if err := compareRing(ctx, kept, ring); err != nil {
		return nil, errors.Join(ownershipFault(err), ring.Close())
	}
	if err := copied.begin(ctx); err != nil {
		return nil, errors.Join(setupFault(err), ring.Close())
	}
	settled, err := kept.SettleKeyring(ctx, ring.ID())
	if err == nil && settled != ring.ID() {
		err = Misconfigured{fmt.Errorf("another server has begun to seal what is stored with key ring %s: servers on one database share a key ring (setting keyring) and a master key", settled)}
	}
	if err != nil {
		return nil, errors.Join(err, ring.Close())
	}
	if expect == "" && in.cfg.Database != "" && !strings.HasPrefix(in.cfg.Keyring, "postgres") {
		in.log.Warn("the key ring is a file of this server: another server on the same database will not start before all share one (setting keyring)")
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

func openRingFor(ctx context.Context, cfg *config.Config, dir string, o seal.Options, server bool, wrap func(seal.Storage) seal.Storage) (_ *seal.Ring, err error) {
	if o.Master, err = master(cfg.MasterKey, dir); err != nil {
		return nil, setupFault(err)
	}
	open := func() (seal.Storage, error) { return keyring(ctx, cfg.Keyring, dir, server) }
	if server && strings.HasPrefix(cfg.Keyring, "postgres") {
		o.Storage, err = await(ctx, o.Log, "the database of the key ring", open)
	} else {
		o.Storage, err = open()
	}
	if err != nil {
		return nil, setupFault(err)
	}
	if wrap != nil {
		o.Storage = wrap(o.Storage)
	}
	ring, err := seal.Open(ctx, o)
	return ring, setupFault(err)
}

// openRingBeside opens the ring for a command; expect is empty for whichever there is.
func openRingBeside(ctx context.Context, cfg *config.Config, expect string) (*seal.Ring, error) {
	return openRingFor(ctx, cfg, cfg.Data, seal.Options{Expect: expect, Existing: true, Clock: time.Now, Log: slog.New(slog.DiscardHandler)}, false, nil)
}

// NewMasterKey makes a master key, in the form in which variables hold it.
func NewMasterKey() ([]byte, error) { return seal.NewMasterKey() }

// RotateKeys wraps the key ring by a new version of the master key, while servers use
// it or not. With prepare it only adds the version to the master key's file, for
// servers that share the ring. It returns what to tell.
func RotateKeys(ctx context.Context, cfg *config.Config, prepare bool) (told string, err error) {
	if prepare {
		from, err := master(cfg.MasterKey, cfg.Data)
		if err != nil {
			return "", setupFault(err)
		}
		version, err := seal.PrepareMaster(from)
		if err != nil {
			return "", setupFault(err)
		}
		return fmt.Sprintf("The master key at %s has version %d now, which nothing uses yet. Copy it to every server, then run \"signet keys rotate\".", from, version), nil
	}
	ring, err := openRingBeside(ctx, cfg, "")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, ring.Close()) }()
	if err := ownRing(ctx, cfg, ring); err != nil {
		return "", err
	}
	var done seal.Rotation
	err = audited(ctx, cfg.Data, cfg.Database, model.ActionRingRotate, func() (err error) {
		done, err = ring.Rotate(ctx)
		return err
	})
	if err != nil {
		return "", setupFault(err)
	}
	return fmt.Sprintf("The key ring is wrapped by version %d of the master key: %d keys. Copy both anew; older copies of the key ring need older copies of the master key.", done.Version, done.Keys), nil
}

// ExportKeys copies what the key ring holds to a file, or to a database of its own,
// in place of an older copy. It returns how many keys these are.
func ExportKeys(ctx context.Context, cfg *config.Config, target string) (n int, err error) {
	ring, err := openRingBeside(ctx, cfg, "")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, ring.Close()) }()
	if !strings.HasPrefix(target, "postgres://") && !strings.HasPrefix(target, "postgresql://") && !strings.HasPrefix(target, "file:") {
		target = "file:" + target
	}
	to, err := keyring(ctx, target, "", false)
	if err != nil {
		return 0, setupFault(err)
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	err = audited(ctx, cfg.Data, cfg.Database, model.ActionRingExport, func() (err error) {
		n, err = ring.Export(ctx, to)
		return err
	})
	return n, setupFault(err)
}

// ImportKeys takes over the keys that are missing from a copy of the key ring, while
// servers use it or not: those that something in the store is sealed with. from is the
// master key of the copy, as in the setting; empty: the same.
func ImportKeys(ctx context.Context, cfg *config.Config, source, from string) (done seal.Imported, err error) {
	theirs, err := master(cmp.Or(from, cfg.MasterKey), cfg.Data)
	if err != nil {
		return done, setupFault(err)
	}
	if !strings.HasPrefix(source, "postgres://") && !strings.HasPrefix(source, "postgresql://") && !strings.HasPrefix(source, "file:") {
		source = "file:" + source
	}
	copied, err := keyring(ctx, source, "", false)
	if err != nil {
		return done, setupFault(err)
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	contents, _, err := copied.Load(ctx, true)
	if err == nil && contents == nil {
		err = Misconfigured{fmt.Errorf("there is no key ring at %s", copied)}
	}
	if err != nil {
		return done, setupFault(err)
	}
	err = inspect(ctx, cfg.Data, cfg.Database, func(kept *store.Store) (err error) {
		expect, err := kept.Keyring(ctx)
		if err != nil {
			return err
		}
		ring, err := openRingBeside(ctx, cfg, expect)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, ring.Close()) }()
		if _, err := custody.Check(ctx, kept, custody.RingAt(ring.Where()), ring); err != nil {
			return ownershipFault(err)
		}
		needed := map[seal.KeyID]bool{}
		now := time.Now()
		err = custody.KeysInUse(ctx, kept, now, func(id seal.KeyID, _ func(*custody.Missing) *int) { needed[id] = true })
		if err != nil {
			return err
		}
		done, err = ring.Import(ctx, contents, theirs, func(r seal.Record) bool {
			end, ends := seal.Ends(r.Name.Period)
			return needed[r.ID] || r.Name.Scope == "" && (!ends || now.Before(end)) // of Request-IDs
		})
		return err
	})
	if err != nil {
		return done, setupFault(err)
	}
	return done, audited(ctx, cfg.Data, cfg.Database, model.ActionRingImport, func() error { return nil })
}

// VerifyKeys opens everything that is sealed, in the store and the blobs of a data
// directory or database, whether or not a server uses them. report gets a line for
// each thing that does not open. With whole, attachments are read to their end.
func VerifyKeys(ctx context.Context, cfg *config.Config, whole bool, report func(line string)) (v service.Verified, err error) {
	err = inspect(ctx, cfg.Data, cfg.Database, func(kept *store.Store) (err error) {
		expect, err := kept.Keyring(ctx)
		if err != nil {
			return err
		}
		if expect == "" {
			return Misconfigured{errors.New("nothing is sealed in this store yet: start a server on it first")}
		}
		ring, err := openRingBeside(ctx, cfg, expect)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, ring.Close()) }()
		blobs, err := blob.OpenExisting(blobsLocation(cfg.Data, cfg.Blobs))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, blobs.Close()) }()
		v, err = service.Verify(ctx, kept, ring, blobs, time.Now().UTC(), whole, report)
		return err
	})
	return v, err
}
