package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/sqlite"
)

// Installation is where the parts of one are.
type Installation struct {
	Database string     // path of the embedded store
	Blobs    blob.Store // nil: they are left out
}

// BackupOptions are what else a backup needs.
type BackupOptions struct {
	Target   string    // a directory, a file whose name ends in .tar, or "-"
	Stream   io.Writer // where "-" goes, as a tar archive
	MadeBy   string    // version of the program
	Clock    func() time.Time
	Progress Progress
}

// ErrLost says that a backup is finished, and as whole as it can be: the blob store
// does not have all that the database refers to.
var ErrLost = errors.New("attachments that messages refer to are not in the blob store")

// Backup writes a backup of an installation, whether or not a server uses it. The
// database is copied first, as it is at one moment, and then the blobs that the copy
// refers to: none that was there is missing, but those that are erased meanwhile. After
// an error nothing is left but for ErrLost.
func Backup(ctx context.Context, from Installation, o BackupOptions) (*Manifest, error) {
	live, err := sqlite.OpenReader(from.Database)
	if err != nil {
		return nil, err
	}
	b := &backup{live: live, blobs: from.Blobs, progress: o.Progress}
	b.manifest = Manifest{Format: format, MadeBy: o.MadeBy, Time: o.Clock().UTC().Truncate(time.Millisecond)}
	err = b.run(ctx, &o)
	if err := errors.Join(err, live.Close()); err != nil {
		return nil, fmt.Errorf("backup: %w", err)
	}
	if lost := b.manifest.Blobs.Lost; len(lost) > 0 {
		err = fmt.Errorf("%w: %d of them", ErrLost, len(lost))
	}
	return &b.manifest, err
}

type backup struct {
	live     *sqlite.Reader
	blobs    blob.Store
	out      sink
	manifest Manifest
	sums     *sums
	progress Progress
}

func (b *backup) run(ctx context.Context, o *BackupOptions) (err error) {
	// The copy lies beside the backup, where there has to be room for it anyway.
	scratch := o.Target
	switch {
	case o.Target == "-":
		b.out, scratch = newTarSink(o.Stream, b.manifest.Time), ""
	case strings.HasSuffix(o.Target, ".tar"):
		b.out, err = openTarSink(o.Target, b.manifest.Time)
		scratch = filepath.Dir(o.Target)
	default:
		b.out, err = openDirectorySink(o.Target)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.out.abort())
		}
	}()
	dir, err := os.MkdirTemp(scratch, ".signet-backup-*") // mode 0700
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if b.sums, err = createSums(filepath.Join(dir, sumsName)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.sums.Close()) }()
	path := filepath.Join(dir, databaseName)
	if err := b.live.Backup(ctx, path); err != nil {
		return err
	}
	if err := b.contents(ctx, path); err != nil {
		return err
	}
	if err := b.database(ctx, path); err != nil {
		return err
	}
	if err := b.conclude(); err != nil {
		return err
	}
	// Within a directory that is the backup, it goes before that is finished.
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return b.out.finish()
}

// contents counts what a copy of the database holds, and puts the blobs that it refers
// to into the backup.
func (b *backup) contents(ctx context.Context, path string) (err error) {
	still, err := sqlite.OpenReader(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, still.Close()) }()
	if b.manifest.Database.Census, err = store.TakeCensus(ctx, still); err != nil {
		return err
	}
	b.manifest.Blobs = BlobFiles{Included: b.blobs != nil, Erased: []model.BlobID{}, Lost: []model.BlobID{},
		Partial: []model.BlobID{}}
	if b.blobs == nil {
		return nil
	}
	s := b.progress.begin("attachments", b.manifest.Database.Rows["blobs"])
	defer s.end()
	return store.EachBlob(ctx, still, func(id model.BlobID) error {
		defer s.add(1)
		return b.blob(ctx, id)
	})
}

// blob puts a blob into the backup.
func (b *backup) blob(ctx context.Context, id model.BlobID) error {
	content, err := b.blobs.Open(ctx, id)
	if errors.Is(err, blob.ErrNotFound) {
		return b.missing(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("attachment %s: %w", id, err)
	}
	defer content.Close()
	r := &untilGone{r: content, left: content.Size()}
	if err := b.file(ctx, blobName(id), content.Size(), r); err != nil {
		return fmt.Errorf("attachment %s: %w", id, err)
	}
	if r.gone {
		b.manifest.Blobs.Partial = append(b.manifest.Blobs.Partial, id)
		return b.missing(ctx, id)
	}
	b.manifest.Blobs.Count++
	b.manifest.Blobs.Bytes += content.Size()
	return nil
}

// missing notes a blob that is not there: it was erased since the database was copied,
// or should still be there.
func (b *backup) missing(ctx context.Context, id model.BlobID) error {
	held, err := store.UsesBlob(ctx, b.live, id)
	switch {
	case err != nil:
		return err
	case held:
		b.manifest.Blobs.Lost = append(b.manifest.Blobs.Lost, id)
	default:
		b.manifest.Blobs.Erased = append(b.manifest.Blobs.Erased, id)
	}
	return nil
}

// untilGone reads a blob. If it is erased meanwhile, zeros fill the rest: the archive
// already has its size.
type untilGone struct {
	r    io.Reader
	left int64
	gone bool
}

func (u *untilGone) Read(p []byte) (n int, err error) {
	if !u.gone {
		n, err = u.r.Read(p)
		u.gone = errors.Is(err, blob.ErrNotFound)
	}
	if u.gone {
		if err = nil; u.left == 0 {
			return 0, io.EOF
		}
		n = int(min(int64(len(p)), u.left))
		clear(p[:n])
	}
	u.left -= int64(n)
	return n, err
}

// database puts the copy of the database into the backup.
func (b *backup) database(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	s := b.progress.begin("database", info.Size())
	defer s.end()
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(sum, s), untilDone{ctx, f}); err != nil {
		return err
	}
	b.manifest.Database.Bytes = info.Size()
	if err := b.sums.add(sum.Sum(nil), databaseName); err != nil {
		return err
	}
	return b.out.adopt(databaseName, path, info.Size())
}

// conclude writes what the backup says of itself.
func (b *backup) conclude() error {
	size, digest, err := b.sums.finish()
	if err != nil {
		return err
	}
	if err := b.out.adopt(sumsName, b.sums.Name(), size); err != nil {
		return err
	}
	b.manifest.Sums = digest
	b.manifest.Digest = b.manifest.digest()
	text := b.manifest.encode()
	w, err := b.out.create(manifestName, int64(len(text)))
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return errors.Join(err, w.Close())
}

// file writes a file and notes its digest.
func (b *backup) file(ctx context.Context, name string, size int64, content io.Reader) error {
	w, err := b.out.create(name, size)
	if err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), untilDone{ctx, content})
	if err == nil && n != size {
		err = fmt.Errorf("%s has %d bytes, want %d", name, n, size)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	return b.sums.add(sum.Sum(nil), name)
}

// untilDone reads until its context ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// blobName is the name of a blob's file, as the data directory has it.
func blobName(id model.BlobID) string {
	name := hex.EncodeToString(id[:])
	return blobsName + "/" + name[28:30] + "/" + name[30:32] + "/" + name
}

// blobOf returns the blob of a file in a backup.
func blobOf(name string) (id model.BlobID, ok bool) {
	text := name[strings.LastIndexByte(name, '/')+1:]
	if len(text) != 2*len(id) {
		return id, false
	}
	if _, err := hex.Decode(id[:], []byte(text)); err != nil {
		return id, false
	}
	return id, blobName(id) == name
}
