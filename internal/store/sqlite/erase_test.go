package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"
	"time"

	"signet/internal/store"
)

// canaries is a table whose every value holds a name of its own, and the
// names that it should hold at the moment.
type canaries struct {
	t      *testing.T
	e      *Engine
	random *rand.Rand
	next   int
	live   map[string]string // from key to name
}

func newCanaries(t *testing.T, e *Engine, seed uint64) *canaries {
	mustExec(
		t, e, `CREATE TABLE canaries (id BLOB NOT NULL, tag TEXT NOT NULL, content BLOB NOT NULL, after TEXT NOT NULL, PRIMARY KEY (id)) WITHOUT ROWID`,
		`CREATE INDEX canaries_tag ON canaries (tag)`,
		`CREATE TABLE records (n INTEGER PRIMARY KEY, content BLOB NOT NULL)`)
	return &canaries{t: t, e: e, random: rand.New(rand.NewPCG(seed, seed)), live: make(map[string]string)}
}

// content returns a new name, and a value full of it, of about the size of a
// message, or now and then of one that needs overflow pages.
func (c *canaries) content() (name string, content []byte) {
	c.next++
	name = fmt.Sprintf("canary-%08d", c.next)
	size := 20 + c.random.IntN(700)
	if c.random.IntN(20) == 0 {
		size = c.random.IntN(20_000)
	}
	return name, bytes.Repeat([]byte(name), 1+size/len(name))
}

// insert only adds rows, and touches pages that others were deleted from.
func (c *canaries) insert(rows int) {
	c.t.Helper()
	err := c.e.Update(c.t.Context(), func(s store.Session) error {
		for range rows {
			name, content := c.content()
			var id [16]byte
			binary.BigEndian.PutUint64(id[:], c.random.Uint64())
			if _, err := s.Exec(`INSERT INTO canaries (id, tag, content, after) VALUES (?, ?, ?, ?)`, id[:], name, content,
				name); err != nil {
				return err
			}
			c.live[string(id[:])] = name
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

// change inserts, replaces and deletes rows in one Update.
func (c *canaries) change(operations int) {
	c.t.Helper()
	err := c.e.Update(c.t.Context(), func(s store.Session) error {
		keys := slices.Sorted(maps.Keys(c.live))
		for range operations {
			name, content := c.content()
			var err error
			switch kind := c.random.IntN(10); {
			case kind < 5 || len(keys) == 0:
				var id [16]byte
				binary.BigEndian.PutUint64(id[:], c.random.Uint64())
				_, err = s.Exec(`INSERT INTO canaries (id, tag, content, after) VALUES (?, ?, ?, ?)`, id[:], name, content, name)
				c.live[string(id[:])] = name
				keys = append(keys, string(id[:]))
			case kind < 7:
				key := keys[c.random.IntN(len(keys))]
				_, err = s.Exec(`UPDATE canaries SET tag = ?, content = ?, after = ? WHERE id = ?`, name, content, name,
					[]byte(key))
				if _, ok := c.live[key]; ok {
					c.live[key] = name
				}
			default:
				key := keys[c.random.IntN(len(keys))]
				_, err = s.Exec(`DELETE FROM canaries WHERE id = ?`, []byte(key))
				delete(c.live, key)
			}
			if err != nil {
				return err
			}
			// Rows that only come and go at the ends, as a queue's do.
			if _, err := s.Exec(`INSERT INTO records (content) VALUES (?)`, content); err != nil {
				return err
			}
		}
		_, err := s.Exec(`DELETE FROM records`)
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

var whole = regexp.MustCompile(`^canary-[0-9]{8}$`)

// wantErased searches every byte of the files for names that are not live.
func (c *canaries) wantErased(path string) {
	c.t.Helper()
	live := make(map[string]bool)
	for _, name := range c.live {
		live[name] = true
	}
	seen := make(map[string]bool)
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + suffix)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			c.t.Fatal(err)
		}
		for at := 0; ; at += len("canary-") {
			next := bytes.Index(content[at:], []byte("canary-"))
			if next < 0 || at+next+len("canary-00000000") > len(content) {
				break
			}
			at += next
			name := string(content[at : at+len("canary-00000000")])
			if !whole.MatchString(name) {
				continue // cut off at the end of a page
			}
			seen[name] = true
			if !live[name] {
				c.t.Fatalf("%s was deleted, and is at byte %d of %s (page %d, offset %d)",
					name, at, filepath.Base(path)+suffix, at/pageSize+1, at%pageSize)
			}
		}
	}
	for name := range live {
		if !seen[name] {
			c.t.Fatalf("%s is live, and is nowhere: the test searches the wrong bytes", name)
		}
	}
}

func (c *canaries) erase() {
	c.t.Helper()
	if err := c.e.Erase(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
}

func TestEraseLeavesNoByteOfWhatWasDeleted(t *testing.T) {
	for seed := range uint64(2) {
		e := mustOpen(t, Options{})
		c := newCanaries(t, e, seed)
		for range 4 {
			for range 20 {
				c.change(20)
			}
			c.erase()
			c.wantErased(e.path)
			// What the writer had in memory brings nothing back.
			for range 5 {
				c.insert(10)
			}
			c.wantErased(e.path)
		}
		if e.Stats().Scrubbed == 0 {
			t.Error("no page held remains: SQLite erases them by itself now")
		}
		c.erase()
		c.wantErased(e.path)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		c.wantErased(e.path)
		wantIntact(t, e.path)
	}
}

func TestEraseReachesWhatCheckpointsUnderLoadBroughtHome(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 7)
	hurry(t, e, 400, restartPatience)
	for e.Stats().Checkpoints < 4 {
		c.change(200)
	}
	c.erase()
	c.wantErased(e.path)
}

// Transactions are small enough here for many to be written while a checkpoint is made beside them.
func TestEraseReachesWhatWasWrittenBesideCheckpoints(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 17)
	c.change(400)
	hurry(t, e, 40, time.Minute)
	for range 3 {
		for made := e.Stats().Checkpoints; e.Stats().Checkpoints < made+10; {
			c.change(2)
		}
		c.erase()
		c.wantErased(e.path)
	}
	if e.Stats().Scrubbed == 0 {
		t.Error("no page held remains: this test shows nothing")
	}
}

func TestEraseGoesThroughTheWholeFileAfterACrash(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 8)
	for range 50 {
		c.change(40)
	}
	// The file holds remains that nobody remembers: brought home, not scrubbed.
	if err := e.writer.do(t.Context(), func() error { return e.writer.empty("TRUNCATE") }); err != nil {
		t.Fatal(err)
	}
	c.e = mustOpenAt(t, copyFiles(t, e), Options{})
	c.erase()
	c.wantErased(c.e.path)
	if c.e.Stats().Scrubbed == 0 {
		t.Error("no page held remains: this test shows nothing")
	}
}

func TestEraseWaitsForViewsAndGivesUpWhenItsContextEnds(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 9)
	c.change(20)
	ctx, cancel := context.WithCancel(t.Context())
	err := e.View(t.Context(), func(s store.Session) error {
		if _, err := count(s); err != nil {
			return err
		}
		c.change(20)
		erased := make(chan error, 1)
		go func() { erased <- e.Erase(ctx) }()
		cancel()
		return <-erased
	})
	wantError(t, err, context.Canceled)
	c.erase()
	c.wantErased(e.path)
}

func TestEraseTriesAgainUntilALongViewHasEnded(t *testing.T) {
	e := mustOpen(t, Options{Readers: 2})
	c := newCanaries(t, e, 12)
	erased := make(chan error, 1)
	err := e.View(t.Context(), func(s store.Session) error {
		if _, err := count(s); err != nil {
			return err
		}
		c.change(20)
		go func() { erased <- e.Erase(context.Background()) }()
		for len(e.readers.free) > 0 { // until it holds the other connection
			runtime.Gosched()
		}
		for len(e.readers.free) == 0 { // until it has given up
			runtime.Gosched()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-erased; err != nil {
		t.Fatal(err)
	}
	c.wantErased(e.path)
}

func TestEraseTakesManyPagesInSlices(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 13)
	err := e.Update(t.Context(), func(s store.Session) error {
		for i := range 2 * eraseRest / 10 {
			if err := insert(fmt.Sprint(i), make([]byte, 10*pageSize)...)(s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c.change(200)
	if err := e.writer.do(t.Context(), e.writer.checkpoint); err != nil {
		t.Fatal(err)
	}
	if n := e.writer.checkpoints.unscrubbed.size; n < eraseRest+eraseSlice {
		t.Fatalf("only %d pages are to be scrubbed", n)
	}
	c.erase()
	c.wantErased(e.path)
}

func TestEraseGoesThroughTheWholeFileWhenAnotherProcessMadeACheckpoint(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 14)
	for range 20 {
		c.change(40)
	}
	shell := mustConnect(t, e.path)
	if _, err := shell.number("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	c.change(1)
	c.erase()
	c.wantErased(e.path)
}

func TestEraseAnswersUnavailableWhileAnotherProcessReads(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 15)
	shell := mustConnect(t, e.path)
	if _, err := shell.number("BEGIN"); err != nil {
		t.Fatal(err)
	}
	if _, err := shell.number("SELECT count(*) FROM items"); err != nil {
		t.Fatal(err)
	}
	c.change(20)
	wantError(t, e.writer.do(t.Context(), e.writer.erase), store.ErrUnavailable)
	if _, err := shell.number("COMMIT"); err != nil {
		t.Fatal(err)
	}
	c.erase()
	c.wantErased(e.path)
}

func TestEraseForgetsNoPageWhenTheDiskFails(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 16)
	for range 20 {
		c.change(40)
	}
	readOnly, err := os.Open(e.path)
	if err != nil {
		t.Fatal(err)
	}
	f := e.writer.files
	f.db, readOnly = readOnly, f.db
	err = e.Erase(t.Context())
	f.db, readOnly = readOnly, f.db
	wantError(t, err, store.ErrUnavailable)
	c.erase()
	c.wantErased(e.path)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := readOnly.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestEraseLetsOthersWriteAndRead(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 10)
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := e.Update(context.Background(), insert(fmt.Sprint(i))); err != nil {
				done <- err
				return
			}
			if err := e.View(context.Background(), func(s store.Session) error { _, err := count(s); return err }); err != nil {
				done <- err
				return
			}
		}
	}()
	for range 10 {
		c.change(50)
		c.erase()
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	c.wantErased(e.path)
}

func TestGap(t *testing.T) {
	page := func(header ...byte) []byte { return append(header, make([]byte, pageSize-len(header))...) }
	for name, test := range map[string]struct {
		page       []byte
		number     uint32
		start, end int
	}{
		"leaf with two cells":     {page(13, 0, 0, 0, 2, 0x0f, 0), 2, 12, 0x0f00},
		"interior with two cells": {page(2, 0, 0, 0, 2, 0x0f, 0), 2, 16, 0x0f00},
		"empty leaf":              {page(10, 0, 0, 0, 0, 0x10, 0), 2, 8, pageSize},
		"first page": {append(make([]byte, 100), page(13, 0, 0, 0, 1, 0x0f, 0)[:pageSize-100]...), 1, 110,
			0x0f00},
		"overflow page":              {page(0, 0, 0, 9, 0xff), 2, 0, 0},
		"cells outside of the page":  {page(13, 0, 0, 0, 2, 0xff, 0), 2, 0, 0},
		"cells over their pointers":  {page(13, 0, 0, 0, 200, 0, 100), 2, 0, 0},
		"more pointers than a page":  {page(13, 0, 0, 0xff, 0xff, 0, 0), 2, 0, 0},
		"free page that was zeroed":  {page(), 2, 0, 0},
		"page filled to the pointer": {page(13, 0, 0, 0, 2, 0, 12), 2, 12, 12},
	} {
		if start, end := gap(test.page, test.number); start != test.start || end != test.end {
			t.Errorf("%s: %d to %d, want %d to %d", name, start, end, test.start, test.end)
		}
	}
}

func TestPageSet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var set pageSet
	want := make(map[uint32]bool)
	for range 10_000 {
		if random.IntN(3) > 0 {
			page := uint32(random.IntN(5000))
			set.add(page)
			want[page] = true
		} else {
			n := random.IntN(10)
			got := set.take(nil, n)
			sorted := slices.Sorted(maps.Keys(want))
			sorted = sorted[:min(n, len(sorted))]
			if !slices.Equal(got, sorted) {
				t.Fatalf("took %v, want %v", got, sorted)
			}
			for _, page := range got {
				delete(want, page)
			}
		}
		if set.size != len(want) {
			t.Fatalf("size %d, want %d", set.size, len(want))
		}
	}
	set.take(nil, set.size)
	set.addAll(130)
	if got := set.take(nil, 1000); len(got) != 130 || got[0] != 1 || got[129] != 130 {
		t.Errorf("pages %v, want 1 to 130", got)
	}
}
