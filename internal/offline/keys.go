package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"signet/internal/config"
	"signet/internal/content"
	"signet/internal/custody"
	"signet/internal/durable"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
	"signet/internal/succession"
)

// openExisting opens a ring that is there; expect is empty for whichever that is. As a
// server, it keeps others from a ring in a file.
func openExisting(ctx context.Context, cfg *config.Config, expect string, server bool) (*seal.Ring, error) {
	o := seal.Options{Expect: expect, Existing: true, Clock: time.Now, Log: slog.New(slog.DiscardHandler)}
	return home.OpenRing(ctx, cfg, cfg.Data, o, func() (seal.Storage, error) {
		return home.Keyring(ctx, cfg.Keyring, cfg.Data, server)
	})
}

// withRing opens the ring that a store is sealed with, while servers use it or not.
func withRing(ctx context.Context, cfg *config.Config, kept *store.Store, use func(*seal.Ring) error) (err error) {
	expect, err := kept.Keyring(ctx)
	if err != nil {
		return err
	}
	ring, err := openExisting(ctx, cfg, expect, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ring.Close()) }()
	return use(ring)
}

// changeAccess changes rows that give access, such as keys and accounts. These carry codes
// under a key of the key ring, which it therefore opens.
func changeAccess(ctx context.Context, cfg *config.Config, change func(*store.Store) error) error {
	return Change(ctx, cfg.Data, cfg.Database, func(kept *store.Store) error { return withCodes(ctx, cfg, kept, change) })
}

// withCodes makes a store check and write the codes of rows.
func withCodes(ctx context.Context, cfg *config.Config, kept *store.Store, use func(*store.Store) error) error {
	return withRing(ctx, cfg, kept, func(ring *seal.Ring) error {
		err := content.AuthenticateExisting(ctx, kept, ring, func(store.Forgery) {})
		if err != nil {
			return home.SetupFault(err)
		}
		return use(kept)
	})
}

// openCopy opens a copy of a key ring: a file, or a database of its own.
func openCopy(ctx context.Context, where string) (seal.Storage, error) {
	if !strings.HasPrefix(where, "postgres://") && !strings.HasPrefix(where, "postgresql://") &&
		!strings.HasPrefix(where, "file:") {
		where = "file:" + where
	}
	copied, err := home.Keyring(ctx, where, "", false)
	return copied, home.SetupFault(err)
}

// NewMasterKey makes a master key, in the form in which variables hold it.
func NewMasterKey() ([]byte, error) { return seal.NewMasterKey() }

// WriteMasterKey writes a master key to a new file, readable for its owner only.
func WriteMasterKey(path string, text []byte) error {
	err := durable.PutNew(path, text)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s is there already, and may be a key that something is sealed with: name another file", path)
	}
	return err
}

// wantFirst refuses to change the key ring of a data directory that is a standby's, or from which another
// server took over: the ring there becomes what the first's is.
func wantFirst(cfg *config.Config) error {
	if cfg.Database != "" {
		return nil
	}
	return succession.WantFirst(cfg.Data)
}

// RotateKeys wraps the key ring by a new version of the master key, while servers use
// it or not. With prepare it only adds the version to the master key's file, for
// servers that share the ring. It returns what to tell.
func RotateKeys(ctx context.Context, cfg *config.Config, prepare bool) (told string, err error) {
	if err := wantFirst(cfg); err != nil {
		return "", err
	}
	if prepare {
		from, err := home.Master(cfg.MasterKey, cfg.Data)
		if err != nil {
			return "", home.SetupFault(err)
		}
		version, err := seal.PrepareMaster(from)
		if err != nil {
			return "", home.SetupFault(err)
		}
		return fmt.Sprintf("The master key at %s has version %d now, which nothing uses yet. Copy it to every server, then "+
			"run \"signet keys rotate\".", from, version), nil
	}
	ring, err := openExisting(ctx, cfg, "", false)
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
		return "", home.SetupFault(err)
	}
	return fmt.Sprintf("The key ring is wrapped by version %d of the master key: %d keys. Copy both anew; older copies "+
		"of the key ring need older copies of the master key.", done.Version, done.Keys), nil
}

// ExportKeys copies what the key ring holds to a file, or to a database of its own,
// in place of an older copy. It returns how many keys these are.
func ExportKeys(ctx context.Context, cfg *config.Config, target string) (n int, err error) {
	ring, err := openExisting(ctx, cfg, "", false)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, ring.Close()) }()
	to, err := openCopy(ctx, target)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	err = audited(ctx, cfg.Data, cfg.Database, model.ActionRingExport, func() (err error) {
		n, err = ring.Export(ctx, to)
		return err
	})
	return n, home.SetupFault(err)
}

// ImportKeys takes over the keys that are missing from a copy of the key ring, while
// servers use it or not: those that something in the store is sealed with. from is the
// master key of the copy, as in the setting; empty: the same.
func ImportKeys(ctx context.Context, cfg *config.Config, source, from string) (done seal.Imported, err error) {
	if err := wantFirst(cfg); err != nil {
		return done, err
	}
	theirs, err := home.Master(cmp.Or(from, cfg.MasterKey), cfg.Data)
	if err != nil {
		return done, home.SetupFault(err)
	}
	copied, err := openCopy(ctx, source)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	contents, _, err := copied.Load(ctx, true)
	if err == nil && contents == nil {
		err = home.Misconfigured{Err: fmt.Errorf("there is no key ring at %s", copied)}
	}
	if err != nil {
		return done, home.SetupFault(err)
	}
	err = Inspect(ctx, cfg.Data, cfg.Database, func(kept *store.Store) error {
		return withRing(ctx, cfg, kept, func(ring *seal.Ring) (err error) {
			done, err = importNeeded(ctx, kept, ring, contents, theirs)
			return err
		})
	})
	if err != nil {
		return done, home.SetupFault(err)
	}
	return done, audited(ctx, cfg.Data, cfg.Database, model.ActionRingImport, func() error { return nil })
}

// importNeeded takes over the keys that something in the store is sealed with.
func importNeeded(
	ctx context.Context, kept *store.Store, ring *seal.Ring, contents *seal.Contents, theirs seal.Master,
) (done seal.Imported, err error) {
	if _, err := custody.Check(ctx, kept, custody.RingAt(ring.Where()), ring); err != nil {
		return done, home.OwnershipFault(err)
	}
	same, err := sameHistory(ctx, kept, &contents.Owner)
	if err != nil {
		return done, err
	}
	if !same { // what nothing in that store needed may be needed in this one
		contents.Gone = nil
	}
	needed := map[seal.KeyID]bool{}
	now := time.Now()
	err = custody.KeysInUse(ctx, kept, now, func(id seal.KeyID, _ func(*custody.Missing) *int) { needed[id] = true })
	if err != nil {
		return done, err
	}
	return ring.Import(ctx, contents, theirs, func(r seal.Record) bool {
		end, ends := seal.Ends(r.Name.Period)
		return needed[r.ID] || r.Name.Scope == "" && (!ends || now.Before(end)) // of Request-IDs
	})
}

// sameHistory reports whether an owner is a store as it is, or as it was before it was set back.
func sameHistory(ctx context.Context, kept *store.Store, owner *model.Mark) (bool, error) {
	now, err := kept.Identity(ctx)
	switch {
	case err != nil || owner.Installation != now.Installation:
		return false, err
	case owner.Epoch == now.Epoch:
		return true, nil
	}
	return kept.HadEpoch(ctx, owner.Epoch)
}

// VerifyKeys opens everything that is sealed, in the store and the blobs of a data
// directory or database, whether or not a server uses them. report gets a line for
// each thing that does not open. With whole, attachments are read to their end.
func VerifyKeys(ctx context.Context, cfg *config.Config, whole bool, report func(line string)) (v Verified,
	err error) {
	err = inspectAny(ctx, cfg.Data, cfg.Database, func(kept *store.Store, _ string) (err error) {
		v, err = verifySealed(ctx, cfg, kept, whole, report)
		return err
	})
	return v, err
}
