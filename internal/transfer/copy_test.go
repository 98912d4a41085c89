package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"signet/internal/blob/s3test"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/postgres"
	"signet/internal/store/postgrestest"
	"signet/internal/store/schema"
	"signet/internal/store/sqlite"
	"signet/internal/store/tablecopy"
	"signet/internal/testenv"
)

// newSource makes a store with so many random rows in each table of the schema, and
// returns the path of it.
func newSource(t *testing.T, rows int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "signet.db")
	engine := mustSQLite(t, path)
	if _, err := store.Open(t.Context(), engine, func() string { return "epoch" }); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, table := range store.Tables() {
		fill(t, engine, &table, random, rows)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func mustSQLite(t *testing.T, path string) *sqlite.Engine {
	t.Helper()
	engine, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return engine
}

func mustPostgres(t *testing.T, url string) *postgres.Engine {
	t.Helper()
	engine, err := postgres.Open(t.Context(), url, postgres.Options{Connections: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return engine
}

func mustReader(t *testing.T, path string) *sqlite.Reader {
	t.Helper()
	reader, err := sqlite.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close() })
	return reader
}

// fill inserts random rows, of all sizes and of all that a text may hold.
func fill(t *testing.T, engine store.Engine, table *schema.Table, random *rand.Rand, rows int) {
	t.Helper()
	words := []string{"", "x", "Grüße", "你好", "\t\"'\\%_;", strings.Repeat("long ", 300)}
	var names, marks []string
	for _, c := range table.Columns {
		names, marks = append(names, c.Name), append(marks, "?")
	}
	insert := fmt.Sprintf(`INSERT INTO %s (%s) VALUES (%s) ON CONFLICT DO NOTHING`, table.Name, strings.Join(names, ", "),
		strings.Join(marks, ", "))
	err := engine.Update(t.Context(), func(s store.Session) error {
		for i := range rows {
			args := make([]any, len(table.Columns))
			for j, c := range table.Columns {
				key := slices.Contains(table.Key, c.Name)
				switch c.Kind {
				case schema.NumberColumn:
					args[j] = random.Int64N(1 << 31)
				case schema.TextColumn:
					if args[j] = words[random.IntN(len(words))]; key {
						args[j] = fmt.Sprintf("%x%s", random.IntN(10), words[random.IntN(3)])
					}
				case schema.BytesColumn, schema.IDColumn:
					content := make([]byte, []int{0, 1, 16, 300, 3000}[random.IntN(5)])
					switch {
					case c.Kind == schema.IDColumn:
						content = make([]byte, 16)
					case key, c.Name == "credential", c.Name == "mark": // an index has it: in PostgreSQL 2,704 bytes
						content = content[:min(len(content), 1023)]
					}
					for k := range content {
						content[k] = byte(random.Uint32())
					}
					args[j] = content
				}
				if key && j == 0 && i%7 != 0 && c.Kind == schema.TextColumn {
					args[j] = fmt.Sprintf("%08d", i)
				}
			}
			if _, err := s.Exec(insert, args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("fill %s: %v", table.Name, err)
	}
}

// count returns the number of rows of each table that an engine has.
func count(t *testing.T, source store.Source, list string) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	err := source.View(t.Context(), func(s store.Session) error {
		clear(out)
		var names []string
		err := s.Query(list, nil, func(r store.Row) error {
			var name string
			err := r.Scan(&name)
			names = append(names, name)
			return err
		})
		for _, name := range names {
			if err == nil {
				err = s.Query(`SELECT COUNT(*) FROM `+name, nil, func(r store.Row) error {
					var n int64
					err := r.Scan(&n)
					out[name] = n
					return err
				})
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// How each engine lists its tables.
const (
	sqliteTables   = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`
	postgresTables = `SELECT table_name::TEXT FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY table_name`
)

// complete runs a copy to its end.
func complete(ctx context.Context, c *tablecopy.Copy) error {
	nothing := func(int64) {}
	if err := c.Rows(ctx, nothing); err != nil {
		return err
	}
	if err := c.Verify(ctx, nothing); err != nil {
		return err
	}
	return c.Finish(ctx, "")
}

// A table that somebody adds is copied like the others, or this fails: what it compares
// is what the engines say that there is.
func TestCopyTakesEveryTableThatThereIs(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	path := newSource(t, 300)
	from := mustReader(t, path)
	to := mustPostgres(t, postgrestest.URL(t))
	c, err := tablecopy.Begin(t.Context(), from, to, "mark")
	if err == nil {
		err = complete(t.Context(), c)
	}
	if err != nil {
		t.Fatal(err)
	}
	want, got := count(t, from, sqliteTables), count(t, to, postgresTables)
	delete(want, "engine_state")
	for _, own := range []string{"engine_queues", "engine_writes"} {
		delete(got, own)
	}
	want["meta"]++ // it says what was moved
	if len(want) < 20 {
		t.Errorf("only %d tables were compared", len(want))
	}
	for name, n := range want {
		if n == 0 {
			t.Errorf("table %s is empty in the source: the test says nothing of it", name)
		}
		if got[name] != n {
			t.Errorf("table %s has %d rows in the copy, want %d", name, got[name], n)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("the copy has tables %v besides", got)
	}
	kept, err := store.Open(t.Context(), to, func() string { return "another" })
	if err != nil {
		t.Fatal(err)
	}
	if kept.Epoch() != "epoch" {
		t.Errorf("the copy has epoch %q, want that of the source", kept.Epoch())
	}
}

func TestCopyGoesOnAfterItWasInterruptedAnywhere(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	path := newSource(t, 60)
	from := mustReader(t, path)
	url := postgrestest.URL(t)
	runs, last := 0, int64(-1)
	for {
		runs++
		to := mustPostgres(t, url)
		if runs > 1 {
			if _, err := store.Open(t.Context(), to, func() string { return "a server's" }); !errors.Is(err,
				store.ErrTransferring) {
				t.Fatalf("a server starts on a copy that is not finished: %v", err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		c, err := tablecopy.Begin(ctx, from, to, "mark")
		if err != nil {
			t.Fatal(err)
		}
		if c.Resumed() < last {
			t.Fatalf("%d rows are left of %d", c.Resumed(), last)
		}
		// Each run gets a little further: two transactions.
		left := 2
		err = c.Rows(ctx, func(rows int64) {
			last = rows
			if left--; left == 0 {
				cancel()
			}
		})
		if err == nil {
			err = c.Verify(ctx, func(int64) {})
		}
		if err == nil {
			err = c.Finish(ctx, "")
		}
		cancel()
		if err == nil {
			if _, err := store.Open(t.Context(), to, func() string { return "" }); err != nil {
				t.Errorf("the finished copy: %v", err)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		to.Close()
	}
	if runs < 20 {
		t.Errorf("it took %d runs, want about one for each table", runs)
	}
}

func TestCopyThatDiffersIsNoStore(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	path := newSource(t, 40)
	from := mustReader(t, path)
	changes := []string{
		`UPDATE accounts SET display_name = display_name || '.' WHERE account IN (SELECT account FROM accounts ORDER BY account LIMIT 1)`,
		`DELETE FROM mutes WHERE account IN (SELECT account FROM mutes ORDER BY account LIMIT 1)`,
		`INSERT INTO erasures (blob) VALUES ('\x00')`,
		`UPDATE messages SET content = '\x0001' WHERE message IN (SELECT message FROM messages ORDER BY message LIMIT 1)`,
		`UPDATE quotas SET sent = sent + 1`,
	}
	to := mustPostgres(t, postgrestest.URL(t))
	for _, change := range changes {
		c, err := tablecopy.Begin(t.Context(), from, to, "mark")
		if err != nil {
			t.Fatal(err)
		}
		if c.Resumed() != 0 {
			t.Errorf("after a copy that differed, %d rows are kept", c.Resumed())
		}
		if err := c.Rows(t.Context(), func(int64) {}); err != nil {
			t.Fatal(err)
		}
		err = to.Update(t.Context(), func(s store.Session) error { _, err := s.Exec(change); return err })
		if err != nil {
			t.Fatal(err)
		}
		table := strings.Fields(strings.NewReplacer("UPDATE ", "", "DELETE FROM ", "", "INSERT INTO ", "").Replace(change))[0]
		if err := c.Verify(t.Context(), func(int64) {}); !errors.Is(err, tablecopy.ErrDiffers) ||
			!strings.Contains(err.Error(), table) {
			t.Errorf("%s: %v, want that %s differs", change, err, table)
		}
		if _, err := store.Open(t.Context(), to, func() string { return "" }); !errors.Is(err, store.ErrTransferring) {
			t.Errorf("%s: a server starts on it: %v", change, err)
		}
	}
	c, err := tablecopy.Begin(t.Context(), from, to, "mark")
	if err == nil {
		err = complete(t.Context(), c)
	}
	if err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestCopyRefuses(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	path := newSource(t, 10)
	from := mustReader(t, path)
	ctx := t.Context()

	t.Run("a_database_that_a_server_uses", func(t *testing.T) {
		to := mustPostgres(t, postgrestest.URL(t))
		if _, err := store.Open(ctx, to, func() string { return "its own" }); err != nil {
			t.Fatal(err)
		}
		if _, err := tablecopy.Begin(ctx, from, to, "mark"); !errors.Is(err, tablecopy.ErrInUse) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a_source_of_another_version", func(t *testing.T) {
		to := mustPostgres(t, postgrestest.URL(t))
		for _, version := range []int{store.SchemaVersion() - 1, store.SchemaVersion() + 1} {
			other := filepath.Join(t.TempDir(), "signet.db")
			engine := mustSQLite(t, other)
			_, err := store.Open(ctx, engine, func() string { return "epoch" })
			if err == nil {
				err = engine.Update(ctx, func(s store.Session) error {
					_, err := s.Exec(`UPDATE meta SET value = ? WHERE name = 'schema'`, fmt.Sprint(version))
					return err
				})
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tablecopy.Begin(ctx, mustReader(t, other), to, "mark"); err == nil ||
				!strings.Contains(err.Error(), fmt.Sprint("version ", version)) {
				t.Errorf("version %d: error %v", version, err)
			}
		}
	})
	t.Run("to_run_twice_at_a_time", func(t *testing.T) {
		to := mustPostgres(t, postgrestest.URL(t))
		first, err := tablecopy.Begin(ctx, from, to, "mark")
		if err != nil {
			t.Fatal(err)
		}
		second, err := tablecopy.Begin(ctx, from, to, "mark")
		if err != nil {
			t.Fatal(err)
		}
		// The second one has taken over, as from one that was killed.
		if err := first.Rows(ctx, func(int64) {}); err == nil || !strings.Contains(err.Error(), "another copy") {
			t.Errorf("the first one's rows: %v", err)
		}
		if err := complete(ctx, second); err != nil {
			t.Error(err)
		}
		if err := first.Finish(ctx, ""); err == nil {
			t.Error("the first one finished too")
		}
	})
	t.Run("to_go_on_with_another_source", func(t *testing.T) {
		to := mustPostgres(t, postgrestest.URL(t))
		c, err := tablecopy.Begin(ctx, from, to, "one")
		if err == nil {
			err = c.Rows(ctx, func(int64) {})
		}
		if err != nil {
			t.Fatal(err)
		}
		again, err := tablecopy.Begin(ctx, from, to, "another")
		if err != nil || again.Resumed() != 0 {
			t.Fatalf("%d rows are kept, error %v", again.Resumed(), err)
		}
		if err := complete(ctx, again); err != nil {
			t.Error(err)
		}
	})
}

func TestMigratedPositionsStartAboveTheSourcesLast(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	path := newSource(t, 30)
	from := mustReader(t, path)
	last, err := from.LastPosition()
	if err != nil {
		t.Fatal(err)
	}
	last = max(last, time.Now().Add(time.Hour).UnixMicro()) // far above the target's clock
	to := mustPostgres(t, postgrestest.URL(t))
	c, err := tablecopy.Begin(t.Context(), from, to, "mark")
	if err != nil {
		t.Fatal(err)
	}
	accounts := 0
	err = c.Accounts(t.Context(), func(ids []model.AccountID) error {
		accounts += len(ids)
		return to.StartAfter(t.Context(), last, ids)
	})
	if err != nil || accounts != 30 {
		t.Fatalf("%d accounts, error %v", accounts, err)
	}
	for range 2 { // lowering is not possible
		err = c.Accounts(t.Context(), func(ids []model.AccountID) error {
			for _, group := range [][]model.AccountID{ids[:1], ids[1:4], ids} {
				err := to.Update(t.Context(), func(s store.Session) error {
					first, err := s.Position(group, 2)
					if first <= last {
						t.Errorf("position %d for %d accounts, want more than %d", first, len(group), last)
					}
					return err
				})
				if err != nil {
					return err
				}
			}
			return to.StartAfter(t.Context(), last-1000, ids)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// put replaces an object of a bucket.
func put(t *testing.T, bucket *s3test.Bucket, key, content string) {
	t.Helper()
	_, err := bucket.Client.Client.PutObject(t.Context(), bucket.Name, key, strings.NewReader(content),
		int64(len(content)), minio.PutObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
}
