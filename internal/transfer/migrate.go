package transfer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/postgres"
	"signet/internal/store/sqlite"
	"signet/internal/store/tablecopy"
)

// MigrateOptions are what else a migration needs.
type MigrateOptions struct {
	// Blobs is where the blobs go; nil: they stay where they are, which the servers on
	// the target share.
	Blobs    blob.Store
	AuditKey string // of the source's audit log, which the target's goes on with; empty: there is none

	// Check says whether the source may use Blobs; nil: it may.
	Check    func(source model.Identity) error
	Clock    func() time.Time
	Progress Progress
}

// Migrated is what a migration did.
type Migrated struct {
	Rows    int64
	Resumed int64 // of the rows, those that were copied by an earlier run
	Blobs   int64
	Bytes   int64          // of the blobs
	Lost    []model.BlobID // that messages refer to and the source does not have
	Before  bool           // an earlier run had finished; nothing was left to do
}

// noteEvery is how many blobs are copied between two notes of how far it has come.
const noteEvery = 50

// maxAhead is by how much the source's last position may be ahead of the clock.
const maxAhead = time.Second

// Migrate copies a stopped installation on the embedded store into an empty database on
// PostgreSQL, compares everything, and makes that a store. Epoch, secret and positions
// go along: clients notice nothing but the pause. It can be interrupted anywhere and
// run again, until when no server starts on the target. The source is only read; the
// caller keeps servers from using it. The error is ErrLost where all is done, and the
// source was not whole.
func Migrate(ctx context.Context, from Installation, to *postgres.Engine, o MigrateOptions) (*Migrated, error) {
	mark, err := markOf(ctx, from.Database)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	source, err := sqlite.OpenReader(from.Database)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	if o.Check != nil {
		self, err := store.IdentityOf(ctx, source)
		if err == nil {
			err = o.Check(self)
		}
		if err != nil {
			return nil, fmt.Errorf("migrate: %w", errors.Join(err, source.Close()))
		}
	}
	m := &migration{from: from, source: source, to: to, blobs: o.Blobs, progress: o.Progress}
	err = m.run(ctx, mark, &o)
	if errors.Is(err, tablecopy.ErrMoved) {
		m.did.Before, err = true, nil
	}
	if err := errors.Join(err, source.Close()); err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	if n := len(m.did.Lost); n > 0 {
		err = fmt.Errorf("%w: %d of them", ErrLost, n)
	}
	return &m.did, err
}

type migration struct {
	from     Installation
	source   *sqlite.Reader
	to       *postgres.Engine
	blobs    blob.Store
	progress Progress
	copy     *tablecopy.Copy
	did      Migrated
}

func (m *migration) run(ctx context.Context, mark string, o *MigrateOptions) error {
	last, err := m.source.LastPosition()
	if err != nil {
		return err
	}
	// The positions of new accounts start at the clock, and are compared with older ones.
	if ahead := time.UnixMicro(last).Sub(o.Clock()); ahead > maxAhead {
		return fmt.Errorf("the source's clock was %v ahead of this machine's: set the clock right", ahead.Round(time.Second))
	}
	if m.copy, err = tablecopy.Begin(ctx, m.source, m.to, mark); err != nil {
		return err
	}
	census, err := store.TakeCensus(ctx, m.source)
	if err != nil {
		return err
	}
	for _, n := range census.Rows {
		m.did.Rows += n
	}
	m.did.Resumed = m.copy.Resumed()
	if err := m.counted("copy rows", m.copy.Rows)(ctx); err != nil {
		return err
	}
	if err := m.copyBlobs(ctx, census.Rows["blobs"]); err != nil {
		return err
	}
	if err := m.counted("compare rows", m.copy.Verify)(ctx); err != nil {
		return err
	}
	if err := m.compareBlobs(ctx, census.Rows["blobs"]); err != nil {
		return err
	}
	err = m.copy.Accounts(ctx, func(accounts []model.AccountID) error { return m.to.StartAfter(ctx, last, accounts) })
	if err != nil {
		return err
	}
	if err := m.copy.Finish(ctx, o.AuditKey); err != nil {
		return err
	}
	for _, t := range store.Tables() {
		if m.to.Analyze(ctx, t.Name) != nil {
			break // the server analyzes it by itself, a little later
		}
	}
	return nil
}

// counted reports the progress of a step that counts rows.
func (m *migration) counted(name string, do func(context.Context, func(int64)) error) func(context.Context) error {
	return func(ctx context.Context) error {
		s := m.progress.begin(name, m.did.Rows)
		defer s.end()
		return do(ctx, func(done int64) { s.add(done - s.done) })
	}
}

// copyBlobs copies the blobs that are not copied yet.
func (m *migration) copyBlobs(ctx context.Context, total int64) error {
	if m.blobs == nil {
		return nil
	}
	s := m.progress.begin("copy attachments", total)
	defer s.end()
	after := m.copy.LastBlob()
	since := 0
	return store.EachBlob(ctx, m.source, func(id model.BlobID) error {
		s.add(1)
		if bytes.Compare(id[:], after[:]) <= 0 {
			return nil
		}
		if err := m.copyBlob(ctx, id); err != nil {
			return fmt.Errorf("attachment %s: %w", id, err)
		}
		if since++; since < noteEvery && s.done < total {
			return nil
		}
		since = 0
		return m.copy.NoteBlob(ctx, id)
	})
}

func (m *migration) copyBlob(ctx context.Context, id model.BlobID) error {
	content, err := m.from.Blobs.Open(ctx, id)
	if errors.Is(err, blob.ErrNotFound) {
		return nil // compareBlobs tells of it
	}
	if err != nil {
		return err
	}
	defer content.Close()
	_, err = m.blobs.Put(ctx, id, content)
	return err
}

// compareBlobs reads every blob at both ends. Where they stay, it looks whether they
// are there.
func (m *migration) compareBlobs(ctx context.Context, total int64) error {
	s := m.progress.begin("compare attachments", total)
	defer s.end()
	err := store.EachBlob(ctx, m.source, func(id model.BlobID) error {
		s.add(1)
		if err := m.compareBlob(ctx, id); err != nil {
			return fmt.Errorf("attachment %s: %w", id, err)
		}
		return nil
	})
	if errors.Is(err, tablecopy.ErrDiffers) {
		// The next run copies all of them again.
		return errors.Join(err, m.copy.NoteBlob(ctx, model.BlobID{}))
	}
	return err
}

func (m *migration) compareBlob(ctx context.Context, id model.BlobID) error {
	want, err := digestOf(ctx, m.from.Blobs, id, m.blobs != nil)
	if errors.Is(err, blob.ErrNotFound) {
		m.did.Lost = append(m.did.Lost, id)
		return nil
	}
	if err != nil {
		return err
	}
	m.did.Blobs++
	m.did.Bytes += want.size
	if m.blobs == nil {
		return nil
	}
	got, err := digestOf(ctx, m.blobs, id, true)
	if errors.Is(err, blob.ErrNotFound) || err == nil && got != want {
		return tablecopy.ErrDiffers
	}
	return err
}

// content is what is compared of a blob.
type content struct {
	size   int64
	digest [sha256.Size]byte
}

func digestOf(ctx context.Context, blobs blob.Store, id model.BlobID, whole bool) (c content, err error) {
	b, err := blobs.Open(ctx, id)
	if err != nil {
		return c, err
	}
	defer b.Close()
	c.size = b.Size()
	if !whole {
		return c, nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, b); err != nil {
		return c, err
	}
	sum.Sum(c.digest[:0])
	return c, nil
}

// markOf names a source and the state that it is in, so that a copy which was begun of
// another one, or before a server ran on it again, does not go on.
func markOf(ctx context.Context, path string) (string, error) {
	sum := sha256.New()
	for _, name := range []string{path, path + "-wal"} {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) && name != path || err == nil && info.Size() == 0 {
			continue
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintln(sum, info.Size(), info.ModTime().UnixNano())
	}
	source, err := sqlite.OpenReader(path)
	if err != nil {
		return "", err
	}
	census, err := store.TakeCensus(ctx, source)
	if err := errors.Join(err, source.Close()); err != nil {
		return "", err
	}
	fmt.Fprintln(sum, census.Epoch, census.Schema)
	return hex.EncodeToString(sum.Sum(nil)), nil
}
