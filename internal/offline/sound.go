package offline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"signet/internal/audit"
	"signet/internal/blob"
	"signet/internal/config"
	"signet/internal/content"
	"signet/internal/home"
	"signet/internal/seal"
	"signet/internal/store"
	"signet/internal/store/sqlite"
	"signet/internal/succession"
)

// Soundness is what VerifyAll looked at.
type Soundness struct {
	Pages   int64 // of the database file; 0: it is in PostgreSQL, which checks itself
	Damaged int   // things that are wrong with the file; each was reported
	Verified
	Entries int64 // of the audit log, as they were written
	Altered int   // 1 where an entry is not, which was reported
}

// Faults is how much is wrong.
func (s *Soundness) Faults() int { return s.Damaged + s.Broken + s.Forged + s.Altered }

// VerifyAll checks all that an installation keeps, whether or not a server uses it: the database file,
// everything that is sealed, the rows that give access, and the audit log. Of a standby, which must not
// run, that is its copy as of the last commit. report gets a line for each thing that is wrong. With
// whole, attachments are read to their end.
func VerifyAll(ctx context.Context, cfg *config.Config, whole bool, report func(line string)) (s Soundness, err error) {
	err = inspectAny(ctx, cfg.Data, cfg.Database, func(kept *store.Store, file string) (err error) {
		if file != "" {
			s.Pages, err = sqlite.Check(ctx, file, func(line string) {
				s.Damaged++
				report("database: " + line)
			})
			if err != nil || s.Damaged > 0 { // what else is read there is as good as nothing
				return err
			}
		}
		if s.Verified, err = verifySealed(ctx, cfg, kept, whole, report); err != nil {
			return err
		}
		key, err := home.ReadAuditKey(ctx, cfg.Data, cfg.Database, kept)
		if err != nil {
			return err
		}
		s.Entries, err = audit.Verify(ctx, kept, key, nil)
		if fault, is := errors.AsType[*audit.Fault](err); is {
			s.Altered = 1
			report("audit log: " + fault.Error())
			return nil
		}
		return err
	})
	return s, err
}

// verifySealed opens everything that is sealed in a store.
func verifySealed(ctx context.Context, cfg *config.Config, kept *store.Store, whole bool, report func(line string)) (
	v Verified, err error) {
	expect, err := kept.Keyring(ctx)
	if err != nil {
		return v, err
	}
	if expect == "" {
		return v, home.Misconfigured{Err: errors.New("nothing is sealed in this store yet: start a server on it first")}
	}
	blobs, err := blob.OpenExisting(home.Blobs(cfg.Data, cfg.Blobs))
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	err = withRing(ctx, cfg, kept, func(ring *seal.Ring) (err error) {
		err = content.AuthenticateExisting(ctx, kept, ring, func(store.Forgery) {})
		if err != nil && !errors.As(err, new(*content.LacksRowKey)) { // which Verify tells of, with what else is lacking
			return err
		}
		v, err = Verify(ctx, &content.Vault{Store: kept, Ring: ring, Blobs: blobs}, time.Now().UTC(), whole, report)
		return err
	})
	return v, err
}

// inspectAny is Inspect that tells the database file, and takes the directory of a standby too: there it
// looks at the copy as of the last commit, and no standby can follow meanwhile.
func inspectAny(ctx context.Context, dir, database string, look func(kept *store.Store, file string) error) error {
	if database != "" {
		return Inspect(ctx, dir, database, func(kept *store.Store) error { return look(kept, "") })
	}
	follows, err := succession.Follows(dir)
	switch {
	case err != nil:
		return err
	case follows:
		return inspectCopy(ctx, dir, look)
	}
	return Inspect(ctx, dir, "", func(kept *store.Store) error { return look(kept, home.Database(dir)) })
}

func inspectCopy(ctx context.Context, dir string, look func(kept *store.Store, file string) error) (err error) {
	unlock, err := lockExisting(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	file, err := succession.Settle(dir)
	if err != nil {
		return err
	}
	engine, err := sqlite.Open(file, sqlite.Options{Beside: true})
	if err != nil {
		return err
	}
	kept, err := store.OpenCurrent(ctx, engine)
	if err != nil {
		return errors.Join(fmt.Errorf("read the copy of the standby: %w", err), engine.Close())
	}
	return errors.Join(look(kept, file), kept.Close())
}
