package standby

import (
	"bytes"
	"context"
	"io"
	"sync"
	"testing"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/store"
)

// slowFiles is a place of files in which the first one to be kept waits.
type slowFiles struct {
	blob.Store
	once          sync.Once
	begun, may    chan struct{}
	deleted, kept chan model.BlobID
}

func (s *slowFiles) Put(ctx context.Context, id model.BlobID, r io.Reader) (n int64, err error) {
	s.once.Do(func() { close(s.begun); <-s.may })
	n, err = s.Store.Put(ctx, id, r)
	s.kept <- id
	return n, err
}

func (s *slowFiles) Delete(ctx context.Context, id model.BlobID) error {
	err := s.Store.Delete(ctx, id)
	s.deleted <- id
	return err
}

// A file that is erased at the first while the standby fetches it is gone there too.
func TestFileThatIsErasedWhileItIsFetchedDoesNotStay(t *testing.T) {
	f := mustFirst(t, t.TempDir())
	file := f.mustFile(1, 300_000)
	files := &slowFiles{begun: make(chan struct{}), may: make(chan struct{}), deleted: make(chan model.BlobID, 9),
		kept: make(chan model.BlobID, 9)}
	s := mustFollow(t, t.TempDir(), f.url, func(o *FollowerOptions) { files.Store, o.Files = o.Files, files })
	<-files.begun
	f.mustErase(file)
	if id := <-files.deleted; id != file { // with the commit
		t.Errorf("%s was deleted", id)
	}
	close(files.may)
	if id := <-files.kept; id != file {
		t.Errorf("%s was kept", id)
	}
	s.await("the file is gone", func(Status) bool { return !hasFile(t, s.dir, file, 300_000) })
}

// The transaction that refers to a file comes after the file: where a standby begins between the two, or starts
// again before it has the file, it has it when it has the transaction.
func TestFileThatCameBeforeItsTransactionIsThere(t *testing.T) {
	f := mustFirst(t, t.TempDir())
	const size = 10
	put := func(n byte) model.BlobID {
		id := model.BlobID{0: 1, 15: n}
		if _, err := f.files.Put(t.Context(), id, bytes.NewReader(bytes.Repeat([]byte{n}, size))); err != nil {
			t.Fatal(err)
		}
		return id
	}
	refer := func(s *follower, id model.BlobID) {
		s.await("it has its files", func(s Status) bool { return s.Whole && s.Missing == 0 })
		err := f.kept.Update(t.Context(), func(tx *store.Tx) error { return tx.ReferToBlob(id, size) })
		if err != nil {
			t.Fatal(err)
		}
		if s.awaitAll(); !hasFile(t, s.dir, id, size) {
			t.Errorf("the standby lacks a file that came before its transaction, and says that it lacks %d", s.Status().Missing)
		}
	}
	first, second := put(1), put(2)
	s := mustFollow(t, t.TempDir(), f.url, func(o *FollowerOptions) { o.Files = fullFiles{o.Files} })
	s.await("it could not copy its files", func(s Status) bool { return s.Whole && s.Missing == 2 })
	s.stop()
	s = mustFollow(t, s.dir, f.url)
	refer(s, first)
	refer(s, second)
	if n := f.log.Count("resumes=true"); n != 1 {
		t.Errorf("the standby went on %d times, want once", n)
	}
}

// fullFiles is a place of files that takes none.
type fullFiles struct{ blob.Store }

func (fullFiles) Put(context.Context, model.BlobID, io.Reader) (int64, error) {
	return 0, blob.ErrUnavailable
}

// What a standby could not erase before it ended is erased when it follows again, however young it is. What
// the first has stays: a transaction that refers to it may be on its way.
func TestFileThatTheFirstHasErasedIsErasedAtTheNextStart(t *testing.T) {
	f := mustFirst(t, t.TempDir())
	s := mustFollow(t, t.TempDir(), f.url)
	s.awaitAll()
	gone, coming := model.BlobID{0: 1, 15: 8}, model.BlobID{0: 1, 15: 9}
	if _, err := f.files.Put(t.Context(), coming, bytes.NewReader([]byte{9, 9})); err != nil {
		t.Fatal(err)
	}
	s.await("a file is there to which nothing refers yet", func(Status) bool { return hasFile(t, s.dir, coming, 2) })
	s.stop()
	if _, err := s.Files.Put(t.Context(), gone, bytes.NewReader([]byte{8, 8})); err != nil {
		t.Fatal(err)
	}
	again := mustFollow(t, s.dir, f.url)
	again.await("the file is gone", func(Status) bool { return !hasFile(t, s.dir, gone, 2) })
	again.awaitAll()
	if !hasFile(t, s.dir, coming, 2) {
		t.Error("a file that the first has is gone")
	}
}
