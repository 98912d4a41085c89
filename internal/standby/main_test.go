package standby

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/seal/sealtest"
	"signet/internal/store"
	"signet/internal/store/sqlite"
	"signet/internal/testenv"
	"signet/internal/testlog"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }

// testKey is the secret of both servers.
const testKey = "0123456789abcdef0123456789abcdef"

// patient is how long a test waits for what takes moments.
const patient = 30 * time.Second

// first is a server that is followed: its store, its key ring and its files, and the address on which it
// takes a standby.
type first struct {
	t      *testing.T
	dir    string
	log    testlog.Log
	engine *sqlite.Engine
	kept   *store.Store
	ring   *seal.Ring
	files  blob.Store // noting what comes and goes
	sender *Sender
	url    string
	term   uint64
	claims chan Claim
	close  func()
}

// mustFirst starts one on a directory.
func mustFirst(t *testing.T, dir string, change ...func(*SenderOptions)) *first {
	t.Helper()
	f := &first{t: t, dir: dir, claims: make(chan Claim, 1)}
	var err error
	if f.engine, err = sqlite.Open(filepath.Join(dir, "signet.db"), sqlite.Options{}); err != nil {
		t.Fatal(err)
	}
	if f.kept, err = store.Open(t.Context(), f.engine, store.NewEpoch); err != nil {
		t.Fatal(err)
	}
	f.ring = sealtest.Open(t, dir, time.Now)
	place, err := blob.Open(filepath.Join(dir, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	o := SenderOptions{Engine: f.engine, Ring: seal.OpenFileBeside(filepath.Join(dir, "keyring")),
		Files: place, Key: testKey, Build: "test", Self: f.self, Clock: time.Now,
		Fence: func(ctx context.Context, c Claim, fenced func()) error {
			err := f.engine.Fence(ctx)
			if err == nil {
				fenced()
			}
			f.claims <- c
			return err
		},
		Log: slog.New(slog.NewTextHandler(&f.log, nil))}
	for _, c := range change {
		c(&o)
	}
	f.sender = NewSender(o)
	f.files = f.sender.Watch(place)
	end := f.sender.Fill(context.Background())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.url = "http://" + l.Addr().String()
	server := NewServer(context.Background(), f.sender.Handler())
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	f.close = sync.OnceFunc(func() {
		server.Close()
		<-done
		end()
		if err := f.sender.Close(); err != nil {
			t.Error(err)
		}
		if err := f.kept.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(f.close)
	return f
}

func (f *first) self(ctx context.Context) (State, error) {
	i, err := f.kept.Identity(ctx)
	return State{Installation: i.Installation, Epoch: i.Epoch, Term: f.term, Role: First}, err
}

// mustFile keeps a file, and refers to it.
func (f *first) mustFile(id byte, size int) model.BlobID {
	f.t.Helper()
	blobID := model.BlobID{0: 1, 15: id}
	if _, err := f.files.Put(f.t.Context(), blobID, bytes.NewReader(bytes.Repeat([]byte{id}, size))); err != nil {
		f.t.Fatal(err)
	}
	err := f.kept.Update(f.t.Context(), func(tx *store.Tx) error { return tx.ReferToBlob(blobID, int64(size)) })
	if err != nil {
		f.t.Fatal(err)
	}
	return blobID
}

// mustErase drops the reference, and erases the file.
func (f *first) mustErase(id model.BlobID) {
	f.t.Helper()
	err := f.kept.Update(f.t.Context(), func(tx *store.Tx) error { return tx.DropReference(id) })
	if err == nil {
		err = f.files.Delete(f.t.Context(), id)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// mustNote commits something that wantNote finds.
func (f *first) mustNote(text string) {
	f.t.Helper()
	if err := f.kept.NoteNewestKey(f.t.Context(), text); err != nil {
		f.t.Fatal(err)
	}
}

// until waits until something holds.
func (f *first) until(what string, holds func() bool) {
	f.t.Helper()
	until(f.t, what, holds, f.log.String)
}

// until waits until something holds. state says how it is where it does not come.
func until(t *testing.T, what string, holds func() bool, state func() string) {
	t.Helper()
	late := time.After(patient)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("waited in vain until %s: %s", what, state())
		}
	}
}

// follower is a standby: a Follower that runs.
type follower struct {
	*Follower
	t    *testing.T
	dir  string
	log  testlog.Log
	stop func()
}

// mustFollow starts a standby of what is at a URL, on a directory.
func mustFollow(t *testing.T, dir, url string, change ...func(*FollowerOptions)) *follower {
	t.Helper()
	f := &follower{t: t, dir: dir}
	var other Other
	var err error
	if strings.HasPrefix(url, "s3://") {
		other, err = NewBucket(url, testKey)
	} else {
		other, err = NewPeer(url, testKey, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	files, err := blob.Open(filepath.Join(dir, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	o := FollowerOptions{Copy: filepath.Join(dir, "standby.db"), ID: "copy", Build: "test",
		Ring: seal.OpenFileBeside(filepath.Join(dir, "keyring")), Files: files, RingCame: func(context.Context) {},
		Log: slog.New(slog.NewTextHandler(&f.log, nil))}
	o.Follow(other)
	for _, c := range change {
		c(&o)
	}
	if f.Follower, err = NewFollower(o); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	f.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		other.Close()
	})
	t.Cleanup(f.stop)
	return f
}

// await waits until the standby is so.
func (f *follower) await(what string, holds func(Status) bool) Status {
	f.t.Helper()
	var s Status
	until(f.t, what, func() bool { s = f.Status(); return holds(s) },
		func() string { return fmt.Sprintf("%+v\n%s", s, f.log.String()) })
	return s
}

// awaitAll waits until the standby has all that was committed before the call.
func (f *follower) awaitAll() Status {
	f.t.Helper()
	now := time.Now()
	return f.await("it has everything", func(s Status) bool { return s.AsOf.After(now) })
}

// wantCopy wants the note, and the references to these files, in the copy of a standby that has stopped.
func wantCopy(t *testing.T, dir, note string, files ...model.BlobID) {
	t.Helper()
	r, err := sqlite.OpenReplica(filepath.Join(dir, "standby.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	reader, err := r.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var found []model.BlobID
	err = store.EachBlob(t.Context(), reader, func(id model.BlobID) error {
		found = append(found, id)
		return nil
	})
	if err != nil || fmt.Sprint(found) != fmt.Sprint(files) {
		t.Errorf("the copy refers to files %v, want %v, error %v", found, files, err)
	}
	got := ""
	err = reader.View(t.Context(), func(s store.Session) error {
		return s.Query(`SELECT value FROM meta WHERE name = 'newest_key'`, nil, func(row store.Row) error {
			return row.Scan(&got)
		})
	})
	if err != nil || got != note {
		t.Errorf("the copy says %q, want %q, error %v", got, note, err)
	}
}

// hasFile reports whether a standby has a file, whole.
func hasFile(t *testing.T, dir string, id model.BlobID, size int) bool {
	t.Helper()
	place, err := blob.At(filepath.Join(dir, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := place.Open(t.Context(), id)
	if err != nil {
		return false
	}
	defer b.Close()
	content, err := io.ReadAll(b)
	if err != nil || !bytes.Equal(content, bytes.Repeat([]byte{id[15]}, size)) {
		t.Errorf("file %s is of %d bytes, and not what it was, error %v", id, len(content), err)
	}
	return true
}

// mustLink returns a way to what is at a URL that can be cut, and its own URL.
func mustLink(t *testing.T, url string) (*testenv.Link, string) {
	t.Helper()
	l := testenv.NewLink(t, strings.TrimPrefix(url, "http://"))
	return l, "http://" + l.Addr()
}
