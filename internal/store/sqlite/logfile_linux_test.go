package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signet/internal/store"
)

// systemWrites is how many calls that write this process has made.
func systemWrites(t *testing.T) (n int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "syscw: ")
	if _, err := fmt.Sscan(after, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPagesOfATransactionAreWrittenTogether(t *testing.T) {
	e := mustOpen(t, Options{})
	before := systemWrites(t)
	if err := e.Update(t.Context(), insert("large", make([]byte, 200*pageSize)...)); err != nil {
		t.Fatal(err)
	}
	if n := systemWrites(t) - before; n > 40 {
		t.Errorf("%d calls of the system wrote 200 pages, want some seven and not two for each", n)
	}
}

// A transaction that is larger than the cache reads what it has in the log already.
func TestTransactionLargerThanItsCacheReadsWhatItWrote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c#d%41&e.db")
	e := mustOpenAt(t, path, Options{CacheBytes: 64 << 10})
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
	if n, err := e.writer.c.number("PRAGMA synchronous"); err != nil || n != 2 {
		t.Errorf("synchronous is %d, %v; the log is written when it is synchronized", n, err)
	}
}
