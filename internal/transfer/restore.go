package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/sqlite"
)

// RestoreOptions are what else a restore needs.
type RestoreOptions struct {
	Source   string    // as BackupOptions.Target
	Stream   io.Reader // what "-" is
	NewEpoch func() string
	Progress Progress
}

// Unfinished is the name of a database that is being restored, in the place of the
// database's own. Where there is one, a restore was interrupted.
func Unfinished(database string) string { return database + ".restoring" }

// Restore puts a backup in the place of an installation that does not exist yet, and
// begins a new history of event positions, so that no client goes on at a place of the
// old one. It checks every byte. The database is there when it returns nil, and not at
// all otherwise; blobs that came before an error are overwritten by the next attempt.
func Restore(ctx context.Context, to Installation, o RestoreOptions) (*Manifest, error) {
	m, err := restore(ctx, to, &o)
	if err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	return m, nil
}

func restore(ctx context.Context, to Installation, o *RestoreOptions) (m *Manifest, err error) {
	from, err := openOrigin(o.Source, o.Stream)
	if err != nil {
		return nil, err
	}
	part := Unfinished(to.Database)
	// From here on the directory is taken for one that is being restored.
	if err = os.WriteFile(part, nil, 0o600); err == nil {
		in := &receiver{part: part, blobs: to.Blobs, progress: o.Progress}
		m, err = in.receive(ctx, from)
	}
	if err := errors.Join(err, from.Close()); err != nil {
		return nil, err
	}
	if err := renew(ctx, part, o.NewEpoch); err != nil {
		return nil, err
	}
	if err := os.Rename(part, to.Database); err != nil {
		return nil, err
	}
	return m, syncDirectory(filepath.Dir(to.Database))
}

// CheckBackup reads a backup whole and returns what it is, if every byte is as it was.
func CheckBackup(ctx context.Context, o RestoreOptions) (m *Manifest, err error) {
	from, err := openOrigin(o.Source, o.Stream)
	if err == nil {
		m, err = (&receiver{progress: o.Progress}).receive(ctx, from)
		err = errors.Join(err, from.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("check the backup: %w", err)
	}
	return m, nil
}

// renew brings a restored database up to date and gives it a new epoch.
func renew(ctx context.Context, path string, newEpoch func() string) error {
	engine, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return err
	}
	kept, err := store.Open(ctx, engine, newEpoch)
	if err == nil {
		err = kept.ChangeEpoch(ctx, newEpoch())
	}
	return errors.Join(err, engine.Close())
}

// receiver takes the files of a backup as they come.
type receiver struct {
	part     string     // where the database goes; empty: nothing is kept
	blobs    blob.Store // where the blobs go; nil: nowhere
	progress Progress

	manifest *Manifest
	sums     hash.Hash // of what SHA256SUMS has to say, by the files that came
	told     string    // digest of the SHA256SUMS that came
	database int64     // its size; -1 until it came
	reading  *step
}

func (in *receiver) receive(ctx context.Context, from origin) (*Manifest, error) {
	in.sums, in.database = sha256.New(), -1
	in.reading = in.progress.begin("backup", 0)
	for {
		file, err := from.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		file.Reader = io.TeeReader(untilDone{ctx, file.Reader}, in.reading)
		if err := in.file(ctx, file); err != nil {
			return nil, fmt.Errorf("%s: %w", file.name, err)
		}
	}
	in.reading.end()
	if err := in.check(); err != nil {
		return nil, err
	}
	return in.manifest, in.forget(ctx)
}

// file takes one file.
func (in *receiver) file(ctx context.Context, file *backupFile) error {
	sum := sha256.New()
	file.Reader = io.TeeReader(file.Reader, sum)
	id, isBlob := blobOf(file.name)
	switch {
	case in.manifest != nil:
		return errors.New("something follows the manifest")
	case isBlob:
		if err := in.blob(ctx, id, file); err != nil {
			return err
		}
	case file.name == databaseName && in.database < 0:
		in.database = file.size
		if err := in.keep(file); err != nil {
			return err
		}
	case file.name == sumsName && in.told == "":
		_, err := io.Copy(io.Discard, file)
		in.told = hex.EncodeToString(sum.Sum(nil))
		return err
	case file.name == manifestName:
		var err error
		in.manifest, err = readManifest(file)
		return err
	default:
		return errors.New("it belongs to no backup")
	}
	in.sums.Write([]byte(sumLine(sum.Sum(nil), file.name)))
	return nil
}

// blob takes a blob.
func (in *receiver) blob(ctx context.Context, id model.BlobID, file *backupFile) error {
	if in.blobs == nil {
		_, err := io.Copy(io.Discard, file)
		return err
	}
	n, err := in.blobs.Put(ctx, id, file)
	if err == nil && n != file.size {
		err = fmt.Errorf("it has %d bytes, want %d", n, file.size)
	}
	return err
}

// keep writes the database where it is not one yet.
func (in *receiver) keep(file io.Reader) error {
	if in.part == "" {
		_, err := io.Copy(io.Discard, file)
		return err
	}
	f, err := os.OpenFile(in.part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, file)
	return errors.Join(err, durableFile{f}.Close())
}

// check compares what came with what the backup says of itself.
func (in *receiver) check() error {
	m := in.manifest
	damaged := func(what string) error {
		return fmt.Errorf(`the backup is damaged: %s ("sha256sum -c %s" in its directory says which file)`, what, sumsName)
	}
	switch {
	case m == nil:
		return errUnfinished
	case m.Digest != m.digest():
		return damaged(manifestName + " is not as it was")
	case in.told != m.Sums:
		return damaged(sumsName + " is not as it was")
	case hex.EncodeToString(in.sums.Sum(nil)) != m.Sums:
		return damaged("a file is not as it was")
	case in.database != m.Database.Bytes:
		return damaged("the database is missing")
	}
	return nil
}

// forget removes the blobs that were only half copied.
func (in *receiver) forget(ctx context.Context) error {
	if in.blobs == nil {
		return nil
	}
	for _, id := range in.manifest.Blobs.Partial {
		if err := in.blobs.Delete(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
