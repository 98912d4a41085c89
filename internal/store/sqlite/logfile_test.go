package sqlite

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signet/internal/store"
)

// smallCache is too little for a transaction of some ten pages, which then go to the log before
// it ends.
const smallCache = 64 << 10

// A transaction that is larger than the cache reads what it has in the log already.
func TestTransactionLargerThanItsCacheReadsWhatItWrote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c#d%41&e.db")
	e := mustOpenAt(t, path, Options{CacheBytes: smallCache})
	mustExec(t, e, `CREATE TABLE items (name TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID`)
	const rows = 400
	fill := func(outcome error) error {
		return e.Update(t.Context(), func(s store.Session) error {
			for round := range 3 {
				for i := range rows {
					content := []byte(strings.Repeat(string(rune('a'+round)), 3000+i))
					if _, err := s.Exec(`INSERT INTO items (name, content) VALUES (?, ?)
						ON CONFLICT (name) DO UPDATE SET content = excluded.content`, fmt.Sprintf("%04d", i), content); err != nil {
						return err
					}
				}
				n := 0
				err := s.Query(`SELECT content FROM items ORDER BY name`, nil, func(r store.Row) error {
					var content []byte
					err := r.Scan(&content)
					if want := strings.Repeat(string(rune('a'+round)), 3000+n); string(content) != want {
						t.Errorf("round %d: row %d is %.10q..., %d bytes", round, n, content, len(content))
					}
					n++
					return err
				})
				if err != nil || n != rows {
					t.Errorf("round %d: %d rows, %v", round, n, err)
				}
			}
			return outcome
		})
	}
	wantError(t, fill(errMine), errMine)
	wantItems(t, e)
	wantError(t, fill(nil), nil)
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	wantIntact(t, path)
	err := e.writer.do(t.Context(), func() error {
		n, err := e.writer.c.number("PRAGMA synchronous")
		if n != 2 {
			t.Errorf("synchronous is %d; the log is written when it is synchronized", n)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A transaction that is rolled back leaves pages that were to be written to the log. Another
// process then writes its own to that place.
func TestPagesThatWereRolledBackAreNotWrittenOverThoseOfAnotherProcess(t *testing.T) {
	e := mustOpen(t, Options{CacheBytes: smallCache})
	mustExec(t, e, `CREATE TABLE others (n INTEGER PRIMARY KEY, content BLOB NOT NULL)`)
	const rows = 400
	// replace changes rows in their places: SQLite reads nothing from the log to undo that.
	replace := func(rows int, outcome error) error {
		return e.Update(t.Context(), func(s store.Session) error {
			for n := range rows {
				if _, err := s.Exec(`INSERT INTO others (n, content) VALUES (?, ?)
					ON CONFLICT (n) DO UPDATE SET content = excluded.content`, n, random(900)); err != nil {
					return err
				}
			}
			return outcome
		})
	}
	wantError(t, replace(rows, nil), nil)
	command := mustOpenAt(t, e.path, Options{Beside: true})
	var names []string
	for round := range 5 {
		wantError(t, replace(rows-50*round, errMine), errMine)
		beside, own := fmt.Sprintf("%d, beside", round), fmt.Sprintf("%d, own", round)
		if err := command.Update(t.Context(), insert(beside, random(100*pageSize)...)); err != nil {
			t.Fatal(err)
		}
		names = append(names, beside)
		// The connection that rolled back reads what was written beside it, and writes behind it.
		err := e.Update(t.Context(), func(s store.Session) error {
			if n, err := count(s); n != len(names) {
				return errors.Join(fmt.Errorf("%d items, want %d", n, len(names)), err)
			}
			return insert(own, random(1000)...)(s)
		})
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, own)
		wantItems(t, e, names...)
		wantIntact(t, e.path)
		wantItems(t, mustOpenAt(t, copyFiles(t, e), Options{}), names...)
	}
}

// random is content that no other page holds.
func random(n int) []byte {
	content := make([]byte, n)
	rand.Read(content)
	return content
}
