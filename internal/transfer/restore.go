package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"signet/internal/blob"
	"signet/internal/durable"
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

	// KeepGoing restores what is whole of a backup whose attachments or lists are damaged;
	// the error is a *DamageError then, which names the rest.
	KeepGoing bool
}

// Unfinished is the name of a database that is being restored, in the place of the
// database's own. Where there is one, a restore was interrupted.
func Unfinished(database string) string { return database + ".restoring" }

// besideDatabase is what SQLite's files beside a database end in.
var besideDatabase = []string{"-wal", "-shm"}

// OfUnfinished reports whether a file is one that is being restored, which has a name, or lies beside it since the
// restore was interrupted at its end.
func OfUnfinished(file, unfinished string) bool {
	end, ok := strings.CutPrefix(file, unfinished)
	return ok && (end == "" || slices.Contains(besideDatabase, end))
}

// Restore puts a backup in the place of an installation that does not exist yet, and
// begins a new history of event positions, so that no client goes on at a place of the
// old one. It checks every byte. The database is there when it returns nil, and not at
// all otherwise; blobs that came before an error are overwritten by the next attempt.
func Restore(ctx context.Context, to Installation, o RestoreOptions) (*Manifest, error) {
	m, err := restore(ctx, to, &o)
	if err != nil {
		err = fmt.Errorf("restore: %w", err)
	}
	return m, err
}

func restore(ctx context.Context, to Installation, o *RestoreOptions) (m *Manifest, err error) {
	from, err := openOrigin(o.Source, o.Stream)
	if err != nil {
		return nil, err
	}
	part := Unfinished(to.Database)
	// From here on the directory is taken for one that is being restored. The log of an earlier try is none of what comes.
	for _, end := range besideDatabase {
		if err := os.Remove(part + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if err = os.WriteFile(part, nil, 0o600); err == nil {
		in := &receiver{part: part, blobs: to.Blobs, progress: o.Progress, keepGoing: o.KeepGoing}
		m, err = in.receive(ctx, from)
	}
	damage := new(DamageError)
	if errors.As(err, &damage) && m != nil {
		err = nil
	}
	if err := errors.Join(err, from.Close()); err != nil {
		return nil, err
	}
	if err := renew(ctx, part, o.NewEpoch); err != nil {
		return nil, err
	}
	if err := durable.Rename(part, to.Database); err != nil {
		return nil, err
	}
	if len(damage.Files) > 0 {
		return m, damage
	}
	return m, nil
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

	keepGoing bool

	manifest *Manifest
	came     map[model.BlobID]digest // of the blobs, until SHA256SUMS has told what they are to be
	blobsIn  int64                   // how many blobs came
	copied   digest                  // of the database
	right    bool                    // SHA256SUMS says so of the database
	told     string                  // digest of the SHA256SUMS that came
	database int64                   // its size; -1 until it came
	damage   DamageError
	reading  *step
}

func (in *receiver) receive(ctx context.Context, from origin) (*Manifest, error) {
	in.came, in.database = map[model.BlobID]digest{}, -1
	in.reading = in.progress.begin("backup", 0)
	for {
		file, err := from.next()
		if err == io.EOF {
			break
		}
		if in.keepGoing && errors.As(err, new(*missingFile)) {
			continue // SHA256SUMS tells of it
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
	if err := in.check(ctx); err != nil {
		return nil, err
	}
	if err := in.forget(ctx); err != nil {
		return nil, err
	}
	if len(in.damage.Files) > 0 {
		return in.manifest, &in.damage
	}
	return in.manifest, nil
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
		in.came[id] = digest(sum.Sum(nil))
		in.blobsIn++
	case file.name == databaseName && in.database < 0:
		in.database = file.size
		if err := in.keep(file); err != nil {
			return err
		}
		in.copied = digest(sum.Sum(nil))
	case file.name == sumsName && in.told == "":
		if err := in.compare(file); err != nil {
			return err
		}
		in.told = hex.EncodeToString(sum.Sum(nil))
	case file.name == manifestName:
		m, err := readManifest(file)
		if errors.Is(err, errDamagedManifest) && in.keepGoing {
			m, err = &Manifest{Blobs: BlobFiles{Included: len(in.came) > 0}}, nil
		}
		in.manifest = m
		return err
	default:
		return errors.New("it belongs to no backup")
	}
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
	return errors.Join(err, f.Sync(), f.Close())
}

// check compares what came with what the backup says of itself.
func (in *receiver) check(ctx context.Context) error {
	m := in.manifest
	if m == nil {
		return errUnfinished
	}
	whole := m.Digest == m.digest()
	if whole && in.told != m.Sums {
		return in.checkUnlisted(ctx)
	}
	for id := range in.came {
		in.damage.add(blobName(id), "is in no list")
		in.damage.blobs = append(in.damage.blobs, id)
	}
	if !whole {
		in.damage.add(manifestName, "is not as it was")
	}
	if in.told == "" {
		in.damage.add(sumsName, "is missing")
	}
	switch {
	case in.database < 0:
		in.damage.add(databaseName, "is missing")
	case !in.right || whole && in.database != m.Database.Bytes:
		in.damage.add(databaseName, "is not as it was")
	case in.keepGoing:
		return nil
	}
	if len(in.damage.Files) == 0 {
		return nil
	}
	return &in.damage
}

// checkUnlisted is check where SHA256SUMS is damaged and the manifest is not. What that list says of other files
// counts for nothing then: an attachment that was changed shows when it is opened, and the database is examined.
func (in *receiver) checkUnlisted(ctx context.Context) error {
	m := in.manifest
	in.damage = DamageError{}
	if in.told == "" {
		in.damage.add(sumsName, "is missing")
	} else {
		in.damage.add(sumsName, "is not as it was")
	}
	if want := m.Blobs.Count + int64(len(m.Blobs.Partial)); in.blobsIn != want {
		in.damage.add(blobsName, fmt.Sprintf("holds %d files, and not %d", in.blobsIn, want))
	}
	switch {
	case in.database < 0:
		in.damage.add(databaseName, "is missing")
		return &in.damage
	case in.database != m.Database.Bytes:
		in.damage.add(databaseName, "is not as it was")
		return &in.damage
	case !in.keepGoing:
		return &in.damage
	}
	wrong := false
	if _, err := sqlite.Check(ctx, in.part, func(string) { wrong = true }); err != nil {
		return err
	}
	if wrong {
		in.damage.add(databaseName, "is not as it was")
		return &in.damage
	}
	return nil
}

// forget removes the blobs that were only half copied, or are damaged.
func (in *receiver) forget(ctx context.Context) error {
	if in.blobs == nil {
		return nil
	}
	for _, id := range append(in.damage.blobs, in.manifest.Blobs.Partial...) {
		if err := in.blobs.Delete(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
