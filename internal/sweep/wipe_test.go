package sweep

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/sqlite"
)

// mustOpenFile opens the embedded engine, and the store in it, on a file.
func (h *house) mustOpenFile(path string) *sqlite.Engine {
	h.t.Helper()
	engine, err := sqlite.Open(path, sqlite.Options{Clock: h.clock})
	h.must(err)
	h.t.Cleanup(func() { h.must(engine.Close()) })
	h.store, err = store.Open(h.t.Context(), engine, func() string { return model.RandomText(8) })
	h.must(err)
	enginetest.Authenticate(h.store)
	h.vault.Store = h.store
	return engine
}

func canary(n int) string { return fmt.Sprintf("canary-%08d", n) }

// canaries are rows of many sizes in no order, so that SQLite moves them from page to page.
type canaries struct {
	h       *house
	random  *rand.Rand
	next    int
	live    map[int64]int
	deleted []int
}

func (c *canaries) exec(s store.Session, query string, args ...any) {
	c.h.t.Helper()
	_, err := s.Exec(query, args...)
	c.h.must(err)
}

// change writes rows, and deletes others.
func (c *canaries) change(engine *sqlite.Engine) {
	c.h.t.Helper()
	const rows, oneIn = 40, 12
	c.h.must(engine.Update(c.h.t.Context(), func(s store.Session) error {
		for range rows {
			id, text := c.random.Int64(), canary(c.next)
			c.exec(s, `INSERT INTO canaries (id, tag, content) VALUES (?, ?, ?)`, id, text,
				bytes.Repeat([]byte(text), 1+c.random.IntN(45)))
			c.live[id] = c.next
			c.next++
		}
		for _, id := range slices.Sorted(maps.Keys(c.live)) { // the same in each run of the test
			if c.random.IntN(oneIn) == 0 {
				c.exec(s, `DELETE FROM canaries WHERE id = ?`, id)
				c.deleted = append(c.deleted, c.live[id])
				delete(c.live, id)
			}
		}
		return nil
	}))
}

// left counts the rows that were deleted, and that the files of a database hold.
func (c *canaries) left(path string) (found int) {
	c.h.t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + suffix)
		c.h.must(err)
		for _, n := range c.deleted {
			if bytes.Contains(content, []byte(canary(n))) {
				found++
			}
		}
	}
	return found
}

// A server deletes rows, and crashes before it wipes what they held from its file. The next one finds nothing that
// has ended, and wipes it all the same.
func TestFirstSweepWipesWhatACrashLeft(t *testing.T) {
	h := newHouse(t, "dir:"+t.TempDir(), slog.New(slog.DiscardHandler))
	before, crashed := filepath.Join(t.TempDir(), "signet.db"), ""
	engine := h.mustOpenFile(before)
	h.must(engine.Update(t.Context(), func(s store.Session) error {
		_, err := s.Exec(`CREATE TABLE canaries (id INTEGER NOT NULL, tag TEXT NOT NULL, content BLOB NOT NULL,
			PRIMARY KEY (id)) WITHOUT ROWID`)
		if err == nil {
			_, err = s.Exec(`CREATE INDEX canaries_tag ON canaries (tag)`)
		}
		return err
	}))
	c := &canaries{h: h, random: rand.New(rand.NewPCG(8, 8)), live: map[int64]int{}}
	const tries = 10
	for try := 1; crashed == "" || c.left(crashed) == 0; try++ {
		if try > tries {
			t.Fatal("nothing is left of what was deleted: this test shows nothing")
		}
		for range 50 {
			c.change(engine)
		}
		crashed = filepath.Join(t.TempDir(), "signet.db")
		for _, suffix := range []string{"", "-wal"} {
			content, err := os.ReadFile(before + suffix)
			h.must(err)
			h.must(os.WriteFile(crashed+suffix, content, 0o600))
		}
		h.mustOpenFile(crashed) // which brings home what is in the log
	}
	h.must(h.sweeper().Sweep(t.Context()))
	if n := c.left(crashed); n > 0 {
		t.Errorf("after the first sweep the files still hold %d rows that were deleted", n)
	}
}
