package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"signet/internal/store"
)

// mustFeed opens a feed of an engine, which ends before the engine does.
func mustFeed(t testing.TB, e *Engine) *Feed {
	t.Helper()
	f, err := e.OpenFeed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func mustReplica(t testing.TB, path string) *Replica {
	t.Helper()
	r, err := OpenReplica(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// pass hands pages on to a replica.
func pass(r *Replica, pages []Page) error {
	for _, p := range pages {
		if err := r.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// ship brings a replica to where the engine is: in rough steps of a few pages while more wait than are
// wanted at once, and then by a snapshot.
func ship(ctx context.Context, f *Feed, r *Replica, few int, note string) error {
	for {
		s, _, ok, err := f.Rest(ctx, few)
		if err != nil {
			return err
		}
		if ok {
			return errors.Join(pass(r, s.Changed), r.Commit(s.Pages, []byte(note)))
		}
		pages, _, err := f.Some(ctx, few)
		if err = errors.Join(err, pass(r, pages)); err != nil {
			return err
		}
	}
}

func mustShip(t testing.TB, f *Feed, r *Replica) {
	t.Helper()
	if err := ship(t.Context(), f, r, 8, "note"); err != nil {
		t.Fatal(err)
	}
}

// mustCopy copies a replica's database to look at it as one.
func mustCopy(t testing.TB, r *Replica) string {
	t.Helper()
	if !r.Whole() {
		t.Fatal("the replica is not whole")
	}
	to := filepath.Join(t.TempDir(), "copy.db")
	text, err := os.ReadFile(r.path)
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// wantSame wants a replica to have every page that the engine has.
func wantSame(t testing.TB, f *Feed, r *Replica) {
	t.Helper()
	last := uint32(0)
	err := r.Digests(7, func(first uint32, digests []byte) error {
		pages, err := f.Range(t.Context(), first, len(digests)/DigestSize)
		if err != nil {
			return err
		}
		for i, p := range pages {
			if d := Digest(p.Image); !bytes.Equal(d[:], digests[i*DigestSize:(i+1)*DigestSize]) {
				t.Errorf("page %d differs", p.Number)
			}
			last = p.Number
		}
		return nil
	})
	more, fault := f.Range(t.Context(), last+1, 1)
	if err = errors.Join(err, fault); err != nil {
		t.Fatal(err)
	}
	if len(more) > 0 || last == 0 {
		t.Errorf("the replica has %d pages, and the engine more", last)
	}
}

func TestFeedMakesTheSameDatabase(t *testing.T) {
	e := mustOpen(t, Options{})
	f := mustFeed(t, e)
	r := mustReplica(t, filepath.Join(t.TempDir(), "standby.db"))
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := f.MarkAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.Update(t.Context(), insert("one", random(50_000)...)); err != nil {
		t.Fatal(err)
	}
	<-f.Wake()
	mustShip(t, f, r)
	wantSame(t, f, r)
	if same, err := f.Unchanged(t.Context()); err != nil || !same {
		t.Errorf("unchanged: %v, error %v", same, err)
	}
	if err := e.Update(t.Context(), insert("two")); err != nil {
		t.Fatal(err)
	}
	if same, err := f.Unchanged(t.Context()); err != nil || same {
		t.Errorf("unchanged after a commit: %v, error %v", same, err)
	}
	<-f.Wake()
	if n := f.Waiting(); n == 0 || n > 4 {
		t.Errorf("%d pages wait after a small commit", n)
	}
	mustShip(t, f, r)
	wantSame(t, f, r)
	at := mustCopy(t, r)
	wantIntact(t, at)
	wantItems(t, mustOpenAt(t, at, Options{}), "one", "two")
}

// The pages that are read from the files are those that SQLite reads, wherever they are.
func TestFeedReadsWhatSQLiteReads(t *testing.T) {
	e := mustOpen(t, Options{})
	f := mustFeed(t, e)
	compare := func(where string) {
		t.Helper()
		if err := f.MarkAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		s, _, ok, err := f.Rest(t.Context(), 1000)
		if err != nil || !ok || len(s.Changed) != int(s.Pages) {
			t.Fatalf("%s: %d pages of %d, all %v, error %v", where, len(s.Changed), s.Pages, ok, err)
		}
		digests := map[uint32][DigestSize]byte{}
		for _, p := range s.Changed {
			digests[p.Number] = Digest(p.Image)
		}
		pages, err := f.Range(t.Context(), 1, 1000)
		if err != nil || len(pages) != len(digests) {
			t.Fatalf("%s: SQLite reads %d pages, error %v", where, len(pages), err)
		}
		for _, p := range pages {
			if digests[p.Number] != Digest(p.Image) {
				t.Errorf("%s: page %d differs", where, p.Number)
			}
		}
	}
	for i := range 5 {
		if err := e.Update(t.Context(), insert(fmt.Sprint(i), random(20_000*i)...)); err != nil {
			t.Fatal(err)
		}
		compare("all in the log")
		if i == 2 {
			if err := f.order(t.Context(), func(w *writer) error { return w.checkpoint() }); err != nil {
				t.Fatal(err)
			}
			compare("all in the file")
		}
	}
	compare("in both")
	if err := f.order(t.Context(), func(w *writer) error { return w.empty("TRUNCATE") }); err != nil {
		t.Fatal(err)
	}
	compare("without a log")
	if err := e.Update(t.Context(), insert("late", random(1000)...)); err != nil {
		t.Fatal(err)
	}
	now, err := f.e.files.steadyState()
	if err != nil {
		t.Fatal(err)
	}
	now.salt++ // a log that has started again has other frames where these were
	if _, err := f.direct(allPages(now.pages), now); !errors.Is(err, errIndirect) {
		t.Errorf("frames of another log were taken: %v", err)
	}
}

// What deleted rows left in the unused space of pages is in no copy.
func TestFeedHandsOutNoRemains(t *testing.T) {
	e := mustOpen(t, Options{})
	f := mustFeed(t, e)
	r := mustReplica(t, filepath.Join(t.TempDir(), "standby.db"))
	c := newCanaries(t, e, 23)
	for range 30 {
		c.change(40)
	}
	if err := f.MarkAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustShip(t, f, r)
	mustShip(t, f, r)
	c.wantErased(r.path)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// Callers write without a pause, checkpoints come every few pages, the log starts again, commands write
// beside, what was deleted is erased. At every moment the copy is the database as it was after a commit.
func TestFeedKeepsUpWithEverythingAtOnce(t *testing.T) {
	e := mustOpen(t, Options{})
	hurry(t, e, 50, restartPatience)
	mustExec(t, e, `CREATE TABLE total (n INTEGER NOT NULL)`, `INSERT INTO total VALUES (0)`)
	f := mustFeed(t, e)
	r := mustReplica(t, filepath.Join(t.TempDir(), "standby.db"))
	if err := f.MarkAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	add := func(name string, size int) func(store.Session) error {
		return func(s store.Session) error {
			if err := insert(name, make([]byte, size)...)(s); err != nil {
				return err
			}
			_, err := s.Exec(`UPDATE total SET n = n + 1`)
			return err
		}
	}
	var over atomic.Bool
	var callers sync.WaitGroup
	for caller := range 4 {
		callers.Go(func() {
			random := rand.New(rand.NewPCG(2, uint64(caller)))
			for i := 0; !over.Load(); i++ {
				if err := e.Update(t.Context(), add(fmt.Sprintf("%d-%d", caller, i), random.IntN(9000))); err != nil {
					t.Error(err)
					return
				}
				if i%40 == caller {
					if err := e.Erase(t.Context()); err != nil && !errors.Is(err, errReading) {
						t.Error(err)
					}
				}
			}
		})
	}
	beside := mustOpenAt(t, e.path, Options{Beside: true})
	random := rand.New(rand.NewPCG(3, 3))
	for round := range 40 {
		if err := ship(t.Context(), f, r, 20+random.IntN(400), fmt.Sprint(round)); err != nil {
			t.Fatal(err)
		}
		if err := beside.Update(t.Context(), add(fmt.Sprintf("beside-%d", round), 100)); err != nil {
			t.Fatal(err)
		}
		if round%8 == 7 {
			at := mustCopy(t, r)
			wantIntact(t, at)
			wantTotal(t, at)
		}
	}
	over.Store(true)
	callers.Wait()
	mustShip(t, f, r)
	wantSame(t, f, r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// wantTotal wants as many items in a database as were counted in their transactions.
func wantTotal(t testing.TB, path string) {
	t.Helper()
	c := mustConnect(t, path)
	var items, total int64
	if err := c.numbers(`SELECT (SELECT count(*) FROM items), (SELECT n FROM total)`, &items, &total); err != nil {
		t.Fatal(err)
	}
	if items != total {
		t.Errorf("%d items are there, and %d were counted", items, total)
	}
}

// Another process writes at the end of the log, which then starts again before the writer looks.
func TestFeedTakesAllPagesForWrittenWhereSomeAreNotKnown(t *testing.T) {
	e := mustOpen(t, Options{})
	f := mustFeed(t, e)
	if err := e.Update(t.Context(), insert("one", random(30_000)...)); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := f.Rest(t.Context(), 1000); err != nil {
		t.Fatal(err)
	}
	beside := mustOpenAt(t, e.path, Options{Beside: true})
	if err := beside.Update(t.Context(), insert("two")); err != nil {
		t.Fatal(err)
	}
	if err := f.order(t.Context(), func(w *writer) error { return w.empty("TRUNCATE") }); err != nil {
		t.Fatal(err)
	}
	if err := e.Update(t.Context(), insert("three")); err != nil {
		t.Fatal(err)
	}
	if err := f.order(t.Context(), func(w *writer) error { // once the writer has looked after that batch
		if n, all := f.Waiting(), w.changes.seen.pages; all == 0 || n != int(all) {
			t.Errorf("%d pages wait, want all %d", n, all)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestFenceEndsConfirmingAndNotReading(t *testing.T) {
	e := mustOpen(t, Options{})
	if err := e.Update(t.Context(), insert("before")); err != nil {
		t.Fatal(err)
	}
	if err := e.Fence(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := e.Update(t.Context(), insert("after"))
	wantError(t, err, ErrFenced)
	wantError(t, err, store.ErrUnavailable)
	wantItems(t, e, "before")
}

// BenchmarkFeed reads what a few hundred writes have left in the log.
func BenchmarkFeed(b *testing.B) {
	e := mustOpen(b, Options{})
	f := mustFeed(b, e)
	for i := range 500 {
		if err := e.Update(b.Context(), insert(fmt.Sprint(i), random(5000)...)); err != nil {
			b.Fatal(err)
		}
	}
	if _, _, _, err := f.Rest(b.Context(), 1<<20); err != nil {
		b.Fatal(err)
	}
	numbers := allPages(f.last.pages)
	for name, read := range map[string]func() ([]Page, error){
		"files":  func() ([]Page, error) { return f.direct(numbers, f.last) },
		"SQLite": func() ([]Page, error) { return f.images(numbers, f.last.pages) },
	} {
		b.Run(name, func(b *testing.B) {
			if err := f.begin(); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if pages, err := read(); err != nil || len(pages) != len(numbers) {
					b.Fatalf("%d pages, error %v", len(pages), err)
				}
			}
			if err := f.end(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(numbers)), "ns/page")
		})
	}
}
