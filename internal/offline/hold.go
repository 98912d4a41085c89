package offline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"signet/internal/access"
	"signet/internal/blob"
	"signet/internal/config"
	"signet/internal/content"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
	"signet/internal/sweep"
)

// HoldOrganization puts an organization under a legal hold, or lifts it, in the data
// directory or the database itself.
func HoldOrganization(ctx context.Context, dir, database, organization string, held bool) error {
	return Change(ctx, dir, database, func(kept *store.Store) error {
		return sweep.HoldOrganization(ctx, kept, time.Now(), model.OrganizationID(organization), held)
	})
}

// ExportHeld writes what an organization's messages say, those included that only a
// legal hold keeps, into a new directory: messages.jsonl, and the attachments beside
// it. It returns how many messages there are.
func ExportHeld(ctx context.Context, cfg *config.Config, organization, target string) (messages int, err error) {
	export := func(kept *store.Store, ring *seal.Ring) (err error) {
		files, err := blob.Open(home.Blobs(cfg.Data, cfg.Blobs))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, files.Close()) }()
		if err := os.Mkdir(target, 0o700); err != nil {
			return fmt.Errorf("make the directory of the export: %w", err)
		}
		vault := &content.Vault{Store: kept, Ring: ring, Blobs: files}
		messages, err = sweep.ExportHeld(ctx, vault, time.Now(), model.OrganizationID(organization),
			func(name string) (io.WriteCloser, error) {
				return os.OpenFile(filepath.Join(target, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			})
		return err
	}
	err = Inspect(ctx, cfg.Data, cfg.Database, func(kept *store.Store) error {
		return withRing(ctx, cfg, kept, func(ring *seal.Ring) error { return export(kept, ring) })
	})
	return messages, err
}

// Erased says what an erasure removed.
type Erased struct {
	Rows  map[string]int64 // by table
	Blobs int              // attachments, whose bytes the server's next sweep erases
}

// EraseAccount removes every trace of an account that an address names. Unless last is
// set, it refuses one without which an organization has no administrator.
func EraseAccount(ctx context.Context, dir, database, region, address string, last bool,
	found func(token string)) (Erased, error) {
	return erase(ctx, dir, database, func(kept *store.Store, e *sweep.Eraser) error {
		e.LastAdministrators = last
		id, err := access.FindAccount(ctx, kept, region, address)
		if err != nil {
			return err
		}
		found(id.String())
		return e.Account(ctx, id)
	})
}

// EraseOrganization removes every trace of an organization, and of the accounts that
// it created and that are in no other one, unless they are kept.
func EraseOrganization(ctx context.Context, cfg *config.Config, organization string, keepAccounts bool) (Erased,
	error) {
	return erase(ctx, cfg.Data, cfg.Database, func(kept *store.Store, e *sweep.Eraser) error {
		return withCodes(ctx, cfg, kept, func(*store.Store) error {
			return e.Organization(ctx, model.OrganizationID(organization), keepAccounts)
		})
	})
}

func erase(ctx context.Context, dir, database string, do func(*store.Store, *sweep.Eraser) error) (out Erased,
	err error) {
	err = maintained(ctx, dir, database, func(kept *store.Store, beside bool) error {
		eraser := &sweep.Eraser{Store: kept, Clock: time.Now}
		err := do(kept, eraser)
		out = Erased{eraser.Erased, eraser.Blobs}
		if beside { // the files are the server's to write to
			return errors.Join(err, kept.NoteErasure(ctx))
		}
		return errors.Join(err, kept.Erase(ctx))
	})
	return out, err
}
