package offline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"signet/internal/blob"
	"signet/internal/config"
	"signet/internal/durable"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/presence"
	"signet/internal/store/sqlite"
	"signet/internal/transfer"
)

// errInPostgres is why a command for the embedded store does not do for PostgreSQL.
var errInPostgres = errors.New("this installation stores in PostgreSQL, which is backed up and restored with its own " +
	"tools: see docs/operate/backup.md")

// Backup writes a backup of an installation on the embedded store, whether or not a
// server uses it (transfer.Backup). withBlobs is whether attachments and avatars go
// along.
func Backup(ctx context.Context, cfg *config.Config, withBlobs bool, o transfer.BackupOptions) (_ *transfer.Manifest,
	err error) {
	if cfg.Database != "" {
		return nil, errInPostgres
	}
	from := transfer.Installation{Database: home.Database(cfg.Data)}
	if _, err := os.Stat(from.Database); errors.Is(err, fs.ErrNotExist) {
		return nil, home.NoDataDirectory(cfg.Data)
	}
	if withBlobs {
		if from.Blobs, err = blob.OpenExisting(home.Blobs(cfg.Data, cfg.Blobs)); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, from.Blobs.Close()) }()
	}
	o.Clock = time.Now
	var made *transfer.Manifest
	begun := time.Now()
	err = audited(ctx, cfg.Data, "", model.ActionBackupCreate, func() (err error) {
		made, err = transfer.Backup(ctx, from, o)
		return err
	})
	return made, errors.Join(err, noteBackup(ctx, cfg.Data, begun, made, err))
}

// noteBackup notes how a backup ended, for monitoring.
func noteBackup(ctx context.Context, dir string, begun time.Time, made *transfer.Manifest, fault error) error {
	if old(dir) { // it is not monitored any more
		return nil
	}
	ctx = context.WithoutCancel(ctx) // who interrupts a backup is to hear that there is none
	return Change(ctx, dir, "", func(kept *store.Store) error {
		if fault != nil && !errors.Is(fault, transfer.ErrLost) {
			return kept.NoteFailedBackup(ctx, begun)
		}
		return kept.NoteBackup(ctx, begun, time.Since(begun), made.Database.Bytes+made.Blobs.Bytes, len(made.Blobs.Lost))
	})
}

// Restore puts a backup into an empty data directory (transfer.Restore), and gives it to the directory's owner.
// withBlobs is whether attachments and avatars are restored too, to an unused place.
func Restore(ctx context.Context, cfg *config.Config, withBlobs bool, o transfer.RestoreOptions) (_ *transfer.Manifest,
	err error) {
	if cfg.Database != "" {
		return nil, errInPostgres
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	unlock, err := sqlite.LockDirectory(cfg.Data)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	to := transfer.Installation{Database: home.Database(cfg.Data)}
	if err := wantEmpty(cfg.Data, filepath.Base(transfer.Unfinished(to.Database))); err != nil {
		return nil, err
	}
	if withBlobs {
		if to.Blobs, err = blob.Open(home.Blobs(cfg.Data, cfg.Blobs)); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, to.Blobs.Close()) }()
		if err := wantNoOwner(ctx, to.Blobs); err != nil {
			return nil, err
		}
	}
	o.NewEpoch = store.NewEpoch
	restored, err := transfer.Restore(ctx, to, o)
	if err != nil && !home.Exists(transfer.Unfinished(to.Database)) && !home.Exists(to.Database) {
		removeEmpty(filepath.Join(cfg.Data, home.BlobsDirectory)) // it was not even begun
	}
	if restored == nil {
		return nil, err
	}
	noted := audited(ctx, cfg.Data, "", model.ActionBackupRestore, func() error { return nil })
	return restored, errors.Join(err, noted, durable.GiveBelow(cfg.Data))
}

// removeEmpty removes the directories of a tree that hold nothing.
func removeEmpty(root string) {
	var directories []string
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			directories = append(directories, path)
		}
		return err
	})
	for _, path := range slices.Backward(directories) {
		_ = os.Remove(path) // refused where something is in it
	}
}

// wantEmpty refuses a directory that holds anything but the keys of what is restored,
// and what a restore that was interrupted left.
func wantEmpty(dir, unfinished string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look into the data directory: %w", err)
	}
	again := false
	for _, entry := range entries {
		again = again || entry.Name() == unfinished
	}
	for _, entry := range entries {
		switch name := entry.Name(); {
		case name == home.LockFile, name == home.ReserveFile, name == home.SocketFile, name == "lost+found",
			name == home.MasterFile, name == home.AuditKeyFile, strings.HasPrefix(name, home.KeyringFile):
		case again && (name == home.BlobsDirectory || transfer.OfUnfinished(name, unfinished)):
		default:
			return fmt.Errorf("%s is not empty (there is %s): a backup is restored into an empty data directory", dir, name)
		}
	}
	return nil
}

// CheckBackup reads a backup whole (transfer.CheckBackup).
func CheckBackup(ctx context.Context, source string, stream io.Reader, progress transfer.Progress) (*transfer.Manifest,
	error) {
	return transfer.CheckBackup(ctx, transfer.RestoreOptions{Source: source, Stream: stream, Progress: progress})
}

// NewEpoch begins a new history of event positions, for a store that was set back by
// other means than Restore. No server may be using it.
func NewEpoch(ctx context.Context, cfg *config.Config) error {
	return alone(ctx, cfg, func(kept *store.Store) error { return kept.ChangeEpoch(ctx, store.NewEpoch()) })
}

// alone changes a store that no server uses.
func alone(ctx context.Context, cfg *config.Config, change func(*store.Store) error) error {
	return maintained(ctx, cfg.Data, cfg.Database, func(kept *store.Store, beside bool) error {
		if beside {
			return fmt.Errorf("a server %w %s: stop it first", sqlite.ErrLocked, cfg.Data)
		}
		if err := wantNobody(ctx, kept); err != nil {
			return err
		}
		return change(kept)
	})
}

// wantNobody refuses a store that servers use: they would go on with the old epoch. It
// waits for those that have just stopped, whose leases end soon.
func wantNobody(ctx context.Context, kept *store.Store) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		var running, leaving int
		now, err := storeTime(ctx, kept)
		if err != nil {
			return err
		}
		err = kept.View(ctx, func(tx *store.Tx) (err error) {
			if running, err = presence.OtherNodes(tx, model.NodeID{}, now.Add(store.LeaveTime)); err != nil {
				return err
			}
			leaving, err = presence.OtherNodes(tx, model.NodeID{}, now)
			return err
		})
		switch {
		case err != nil:
			return err
		case running > 0:
			return fmt.Errorf("%d servers use the database: stop them first (one that died counts for half a minute)", running)
		case leaving == 0:
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
