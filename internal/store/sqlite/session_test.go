package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"signet/internal/model"
	"signet/internal/store"
)

func accountID(n byte) (id model.AccountID) { id[0], id[15] = 0xa0, n; return id }

// strangeID is an identifier of a kind that the engine has no case for.
type strangeID = model.ID[struct{ strange int }]

// typedBodies are stored behind one identifier of each kind.
var typedBodies = [][]byte{{}, []byte("x"), bytes.Repeat([]byte("long"), 10_000), nil}

const typedOrganization = model.OrganizationID("0123456789abcdefghijABCD")

func TestSessionTypes(t *testing.T) {
	e := mustOpen(t, Options{})
	mustExec(t, e, `CREATE TABLE typed (n INTEGER PRIMARY KEY, b BLOB, i BIGINT, s TEXT)`)
	err := e.Update(t.Context(), func(s store.Session) error {
		for i, args := range [][]any{
			{accountID(1), 1, "text"}, {model.GroupID{2}, int64(-1 << 62), ""}, {model.MessageID{3}, true, typedOrganization},
			{model.BlobID{4}, false, "snow ☃"}, {model.EntityID{5}, 0, "a\x00b"}, {strangeID{6}, 1, "'"},
			{typedBodies[0], 1, ""}, {typedBodies[1], 1, ""}, {typedBodies[2], 1, ""}, {typedBodies[3], 1, ""},
		} {
			if n, err := s.Exec(`INSERT INTO typed VALUES (?, ?, ?, ?)`, append([]any{i}, args...)...); n != 1 || err != nil {
				t.Errorf("row %d: changed %d, error %v", i, n, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(*testing.T, store.Session){"bytes": wantTypedBytes, "the_rest": wantTypedRest,
		"null": wantTypedNull, "what_does_not_fit": wantTypedRefused} {
		t.Run(name, func(t *testing.T) {
			if err := e.View(t.Context(), func(s store.Session) error { read(t, s); return nil }); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// scanTyped reads a column of a row.
func scanTyped(t *testing.T, s store.Session, column string, n int, dest any) {
	t.Helper()
	found := false
	err := s.Query(`SELECT `+column+` FROM typed WHERE n = ?`, []any{n}, func(r store.Row) error {
		found = true
		return r.Scan(dest)
	})
	if err != nil || !found {
		t.Errorf("%s of row %d: found %t, error %v", column, n, found, err)
	}
}

func wantTypedBytes(t *testing.T, s store.Session) {
	var (
		account model.AccountID
		group   model.GroupID
		message model.MessageID
		blob    model.BlobID
		entity  model.EntityID
		strange strangeID
	)
	for n, dest := range []any{&account, &group, &message, &blob, &entity, &strange} {
		scanTyped(t, s, "b", n, dest)
	}
	if account != accountID(1) || group != (model.GroupID{2}) || message != (model.MessageID{3}) ||
		blob != (model.BlobID{4}) || entity != (model.EntityID{5}) || strange != (strangeID{6}) {
		t.Error("an identifier came back as another")
	}
	for i, body := range typedBodies {
		var got []byte
		scanTyped(t, s, "b", 6+i, &got)
		if !bytes.Equal(got, body) || got == nil {
			t.Errorf("body %d came back with %d bytes (nil: %t), want %d", i, len(got), got == nil, len(body))
		}
	}
}

func wantTypedRest(t *testing.T, s store.Session) {
	var (
		organization model.OrganizationID
		text         string
		number       int
		long         int64
		yes, no      bool
		nullable     sql.Null[string]
	)
	scanTyped(t, s, "s", 2, &organization)
	for n, dest := range []any{&number, &long, &yes, &no} {
		scanTyped(t, s, "i", n, dest)
	}
	if organization != typedOrganization || number != 1 || long != -1<<62 || !yes || no {
		t.Errorf("got %q, %d, %d, %t, %t", organization, number, long, yes, no)
	}
	for n, want := range map[int]string{0: "text", 1: "", 3: "snow ☃", 4: "a\x00b", 5: "'"} {
		if scanTyped(t, s, "s", n, &text); text != want {
			t.Errorf("text %q, want %q", text, want)
		}
	}
	scanTyped(t, s, "s", 3, &nullable)
	if !nullable.Valid || nullable.V != "snow ☃" {
		t.Errorf("scanner got %v", nullable)
	}
}

func wantTypedNull(t *testing.T, s store.Session) {
	nullable := sql.Null[string]{V: "x", Valid: true}
	if scanTyped(t, s, "NULL", 3, &nullable); nullable.Valid {
		t.Errorf("scanner got %v from NULL", nullable)
	}
	null := []byte("x")
	if scanTyped(t, s, "NULL", 3, &null); null != nil {
		t.Errorf("bytes %q from NULL", null)
	}
	for _, dest := range []any{new(int), new(string), new(bool), new(model.AccountID), new(float32), new(any), ""} {
		if err := s.Query(`SELECT NULL`, nil, func(r store.Row) error { return r.Scan(dest) }); err == nil {
			t.Errorf("NULL was scanned into %T", dest)
		}
	}
}

func wantTypedRefused(t *testing.T, s store.Session) {
	var account model.AccountID
	err := s.Query(`SELECT b FROM typed WHERE n = 7`, nil, func(r store.Row) error { return r.Scan(&account) })
	if err == nil {
		t.Error("one byte was scanned into an identifier")
	}
	var content []byte
	if s.Query(`SELECT b, i FROM typed`, nil, func(r store.Row) error { return r.Scan(&content) }) == nil {
		t.Error("two columns were scanned into one variable")
	}
}

func TestSessionLists(t *testing.T) {
	e := mustOpen(t, Options{})
	mustExec(t, e, `CREATE TABLE members (account BLOB, name TEXT, n BIGINT)`)
	var accounts []model.AccountID
	var names []string
	var numbers []int64
	err := e.Update(t.Context(), func(s store.Session) error {
		for i := range 40 {
			accounts = append(accounts, accountID(byte(i)))
			names = append(names, strings.Repeat("n", i+1))
			numbers = append(numbers, int64(i))
			if _, err := s.Exec(`INSERT INTO members VALUES (?, ?, ?)`, accounts[i], names[i], numbers[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := func(n int, query string, args ...any) {
		t.Helper()
		got := 0
		err := e.View(t.Context(), func(s store.Session) error {
			return s.Query(query, args, func(store.Row) error { got++; return nil })
		})
		if err != nil || got != n {
			t.Errorf("%s: %d rows, error %v, want %d", query, got, err, n)
		}
	}
	for n := range 41 {
		want(n, `SELECT 1 FROM members WHERE account IN (?*)`, accounts[:n])
		want(n, `SELECT 1 FROM members WHERE name IN (?*)`, names[:n])
		want(n, `SELECT 1 FROM members WHERE n IN (?*)`, numbers[:n])
		want(max(0, n-10), `SELECT 1 FROM members WHERE n >= ? AND account IN (?*) AND name IN (?*) AND n < ?`, 10,
			accounts[:n], names, 1000)
	}
	want(0, `SELECT 1 FROM members WHERE account IN (?*)`, []model.AccountID(nil))
	want(0, `SELECT 1 FROM members WHERE account NOT IN (?*)`, []model.AccountID{})
	want(2, `SELECT 1 FROM members WHERE n IN (?*)`, []int{3, 4, 99})
	want(1, `SELECT 1 FROM members WHERE account IN (?*)`, []model.EntityID{model.EntityID(accounts[5])})
	want(1, `SELECT 1 FROM members WHERE account IN (?*)`, []strangeID{strangeID(accounts[5])})
	want(1, `SELECT 1 FROM members WHERE account IN (?*)`, [][]byte{accounts[6][:]})
	want(1, `SELECT 1 FROM members WHERE name IN (?*)`, []model.OrganizationID{"nn"})
	many := make([]int64, maxList)
	for i := range many {
		many[i] = int64(i)
	}
	want(40, `SELECT 1 FROM members WHERE n IN (?*)`, many)
	want(40, `SELECT 1 FROM members WHERE n IN (?*)`, append(many, 0))
	long := slices.Repeat(accounts, maxList)
	want(len(accounts), `SELECT 1 FROM members WHERE account IN (?*)`, long)
	want(len(accounts), `SELECT 1 FROM members WHERE account IN (?*) AND name IN (?*)`, long, slices.Repeat(names, maxList))
	for _, bad := range []any{7, "text", []byte("bytes"), nil, []float64{1}} {
		err := e.View(t.Context(), func(s store.Session) error {
			return s.Query(`SELECT 1 FROM members WHERE n IN (?*)`, []any{bad}, func(store.Row) error { return nil })
		})
		if err == nil {
			t.Errorf("a list of type %T was taken", bad)
		}
	}
}

func TestSession(t *testing.T) {
	t.Run("counts_the_rows_that_changed", func(t *testing.T) {
		e := mustOpen(t, Options{})
		err := e.Update(t.Context(), func(s store.Session) error {
			for _, step := range []struct {
				text string
				want int64
			}{
				{`INSERT INTO items (name, content) VALUES ('a', ''), ('b', ''), ('c', '')`, 3},
				{`INSERT INTO items (name, content) VALUES ('a', '') ON CONFLICT (name) DO NOTHING`, 0},
				{`SELECT * FROM items`, 0},
				{`UPDATE items SET content = 'x' WHERE name <> 'a'`, 2},
				{`CREATE TABLE t (x)`, 0},
				{`DELETE FROM items`, 3},
				{`WITH x (n) AS (SELECT 'a') INSERT INTO items (name, content) SELECT n, '' FROM x`, 1},
				{`INSERT INTO items (name, content) VALUES ('d', ''), ('e', '') RETURNING name`, 2},
			} {
				if n, err := s.Exec(step.text); n != step.want || err != nil {
					t.Errorf("%s: changed %d, error %v, want %d", step.text, n, err, step.want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})

	t.Run("ends_a_query_where_the_row_function_says", func(t *testing.T) {
		e := mustOpen(t, Options{})
		mustExec(t, e, `INSERT INTO items (name, content) VALUES ('a', ''), ('b', '')`)
		err := e.Update(t.Context(), func(s store.Session) error {
			rows := 0
			if err := s.Query(`SELECT name FROM items`, nil,
				func(store.Row) error { rows++; return store.ErrStop }); err != nil || rows != 1 {
				t.Errorf("%d rows, error %v, want 1", rows, err)
			}
			err := s.Query(`SELECT name FROM items`, nil, func(store.Row) error { return errMine })
			if !errors.Is(err, errMine) {
				t.Errorf("error %v, want that of the function", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})

	t.Run("refuses_use_within_its_rows_and_after_its_end", func(t *testing.T) {
		e := mustOpen(t, Options{})
		mustExec(t, e, `INSERT INTO items (name, content) VALUES ('a', '')`)
		var kept store.Session
		var keptRow store.Row
		err := e.Update(t.Context(), func(s store.Session) error {
			kept = s
			return s.Query(`SELECT name FROM items`, nil, func(r store.Row) error {
				keptRow = r
				_, err := s.Exec(`DELETE FROM items`)
				return err
			})
		})
		wantError(t, err, errInRow)
		_, err = kept.Exec(`DELETE FROM items`)
		wantError(t, err, errEnded)
		_, err = kept.Position(nil, 1)
		wantError(t, err, errEnded)
		wantError(t, keptRow.Scan(new(string)), errEnded)
		wantItems(t, e, "a")
	})

	t.Run("refuses_statements_it_cannot_answer_for", func(t *testing.T) {
		e := mustOpen(t, Options{})
		for _, text := range []string{
			"COMMIT", "ROLLBACK", "begin", "SAVEPOINT x", "RELEASE request", "PRAGMA synchronous = OFF", "VACUUM",
			"ATTACH 'x' AS y",
			"", "SELECT 1; SELECT 2", "SELECT nothing FROM nowhere", "SELECT 'open",
		} {
			err := e.Update(t.Context(), func(s store.Session) error {
				_, err := s.Exec(text)
				return err
			})
			if err == nil {
				t.Errorf("%q was executed", text)
			}
		}
	})

	t.Run("checks_the_arguments", func(t *testing.T) {
		e := mustOpen(t, Options{})
		for _, args := range [][]any{{}, {1}, {1, 2, 3}, {1, 2.5}, {1, []int{1}}, {1, struct{}{}}} {
			err := e.Update(t.Context(), func(s store.Session) error {
				_, err := s.Exec(`INSERT INTO items (name, content) VALUES (?, ?)`, args...)
				return err
			})
			if err == nil {
				t.Errorf("arguments %v were taken", args)
			}
		}
		wantItems(t, e)
	})

	t.Run("keeps_content_out_of_its_errors", func(t *testing.T) {
		e := mustOpen(t, Options{})
		mustExec(t, e, `INSERT INTO items (name, content) VALUES ('secret', '')`)
		err := e.Update(t.Context(), insert("secret", []byte("secret")...))
		wantError(t, err, store.ErrConflict)
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("error %q", err)
		}
	})

	t.Run("forgets_statements_when_it_has_very_many", func(t *testing.T) {
		e := mustOpen(t, Options{})
		err := e.Update(t.Context(), func(s store.Session) error {
			for i := range maxStatements + 100 {
				text := `SELECT '` + strings.Repeat("x", i) + `' WHERE 1 IN (?*)`
				if err := s.Query(text, []any{[]int{1}}, func(store.Row) error { return nil }); err != nil {
					return err
				}
			}
			return insert("a")(s)
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := e.writer.c.prepared; n > maxStatements {
			t.Errorf("%d statements are kept", n)
		}
		wantItems(t, e, "a")
	})
}

// FuzzParse asserts that the placeholders that are found are those that SQLite
// finds, in whatever SQLite accepts.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`SELECT ?`, `SELECT '?', "a?" FROM t -- ?`, `SELECT 1 WHERE ? IN (?*)`, `SELECT 'it''s', ?`, "SELECT ?--\n,?",
		`SELECT 1 WHERE 1 IN (?*) AND 2 IN (?*)`,
	} {
		f.Add(seed)
	}
	conn, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { conn.Close() })
	f.Fuzz(func(t *testing.T, text string) {
		q, err := parse(text)
		if err != nil {
			return
		}
		// Numbered and named parameters, comments in /* */ and quotes in
		// brackets or backticks are not part of the store's SQL.
		if strings.ContainsAny(text, "$@:#/[`\x00") || strings.ContainsAny(strings.ReplaceAll(text, "?*", ""), "*") {
			return
		}
		for i := range len(text) - 1 {
			if text[i] == '?' && '0' <= text[i+1] && text[i+1] <= '9' {
				return
			}
		}
		args := make([]any, len(q.Placeholders))
		for _, l := range q.lists {
			args[l] = []int{1}
		}
		stmt, trailing, err := conn.PrepareTransient(q.failing(q.widen(args)))
		if err != nil || stmt == nil {
			return
		}
		defer stmt.Finalize()
		if n := stmt.BindParamCount(); trailing == 0 && n != len(args) {
			t.Errorf("%q has %d parameters, parse found %d", text, n, len(args))
		}
	})
}
