package conformance

import (
	"bytes"
	"database/sql"
	"math"
	"strings"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
)

// otherKind makes an identifier of a kind that no engine can have listed.
type otherKind struct{}

// values: what is stored comes back as it was, whatever its type.
func values(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	id := [16]byte{0, 1, 2, 0xff, '\'', 0, 0x80, 15: 9}

	// roundTrip stores a value and reads it back into a variable of type T.
	texts := map[string]string{
		"empty": "", "plain": "text", "unicode": "Žluťoučký 🐎 ☃", "quotes": `it's "quoted"`, "question": "?",
		"backslash": `\n\x00`,
		"lines":     "a\r\nb\tc", "long": strings.Repeat("é", 40_000), "beyond": "\U0010FFFF",
	}
	for name, text := range texts {
		t.Run("text_"+name, func(t *testing.T) {
			roundTrip(t, e, "note", text, text)
			roundTrip(t, e, "note", text, []byte(text))
			roundTrip(t, e, "note", model.OrganizationID(text), model.OrganizationID(text))
			roundTrip(t, e, "note", text, sql.Null[string]{V: text, Valid: true})
		})
	}
	for _, n := range []int64{0, 1, -1, math.MaxInt32 + 1, 1 << 53, math.MaxInt64, math.MinInt64} {
		t.Run("number", func(t *testing.T) {
			roundTrip(t, e, "n", n, n)
			roundTrip(t, e, "n", int(n), int(n))
		})
	}
	t.Run("small_number", func(t *testing.T) { roundTrip(t, e, "flag", -7, -7) })
	for _, flag := range []bool{true, false} {
		t.Run("flag", func(t *testing.T) {
			roundTrip(t, e, "flag", flag, flag)
			number := 0
			if flag {
				number = 1
			}
			roundTrip(t, e, "flag", flag, number)
			roundTrip(t, e, "flag", number, flag)
			roundTrip(t, e, "n", number, flag)
		})
	}
	for name, content := range map[string][]byte{
		"empty": {}, "zero": {0}, "binary": {0, 0xff, '\'', '\\', 0xc3, 0},
		"large": bytes.Repeat([]byte("0123456789abcdef"), 1<<16),
	} {
		t.Run("bytes_"+name, func(t *testing.T) { roundTrip(t, e, "content", content, content) })
	}
	t.Run("identifiers", func(t *testing.T) {
		roundTrip(t, e, "id", model.AccountID(id), model.AccountID(id))
		roundTrip(t, e, "id", model.GroupID(id), model.GroupID(id))
		roundTrip(t, e, "id", model.MessageID(id), model.MessageID(id))
		roundTrip(t, e, "id", model.BlobID(id), model.BlobID(id))
		roundTrip(t, e, "id", model.EntityID(id), model.AccountID(id))
		roundTrip(t, e, "id", model.ID[otherKind](id), model.ID[otherKind](id))
		roundTrip(t, e, "id", model.MessageID{}, model.MessageID{})
	})
	t.Run("pointers", func(t *testing.T) {
		account, message, entity := model.AccountID(id), model.MessageID(id), model.EntityID(id)
		group, other, organization := model.GroupID(id), model.ID[otherKind](id), model.OrganizationID("organization")
		n := int64(math.MinInt64)
		roundTrip(t, e, "id", &account, account)
		roundTrip(t, e, "id", &message, message)
		roundTrip(t, e, "id", &entity, entity)
		roundTrip(t, e, "id", &group, group)
		roundTrip(t, e, "id", &other, other)
		roundTrip(t, e, "note", &organization, organization)
		roundTrip(t, e, "n", &n, n)
	})
	t.Run("pointers_are_read_at_once", func(t *testing.T) {
		MustExec(t, e, `DELETE FROM items`)
		err := e.Update(t.Context(), func(s store.Session) error {
			n := int64(1)
			err := s.Post(`INSERT INTO items (name, n) VALUES (?, ?)`, "x", &n)
			n = 2
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "number", Column[int64](t, e, `SELECT n FROM items`), []int64{1})
	})
	t.Run("null", func(t *testing.T) { nulls(t, e) })
	t.Run("bytes_are_a_copy", func(t *testing.T) {
		MustExec(t, e, `DELETE FROM items`)
		MustExec(t, e, `INSERT INTO items (name, content) VALUES (?, ?), (?, ?)`, "a", []byte("first"), "b", []byte("other"))
		all := Column[[]byte](t, e, `SELECT content FROM items ORDER BY name`)
		wantEqual(t, "contents", all, [][]byte{[]byte("first"), []byte("other")})
	})
	t.Run("a_row_is_scanned_whole", func(t *testing.T) {
		MustExec(t, e, `DELETE FROM items`)
		MustExec(t, e, `INSERT INTO items (name, n) VALUES ('a', 1)`)
		for _, dest := range [][]any{{}, {new(string)}, {new(string), new(int), new(int)},
			{new(string), new(model.AccountID)}, {new(string), new(chan int)}} {
			err := e.View(t.Context(), func(s store.Session) error {
				return s.Query(`SELECT name, n FROM items`, nil, func(r store.Row) error { return r.Scan(dest...) })
			})
			if err == nil {
				t.Errorf("two columns were scanned into %T", dest)
			}
		}
	})
	t.Run("what_cannot_be_stored_is_refused", func(t *testing.T) {
		for _, args := range [][]any{{}, {"x"}, {"x", 1, 2}, {"x", struct{}{}}, {"x", []int{1}}, {"x", make(chan int)}} {
			err := e.Update(t.Context(), func(s store.Session) error {
				_, err := s.Exec(`INSERT INTO items (name, n) VALUES (?, ?)`, args...)
				return err
			})
			if err == nil {
				t.Errorf("arguments %v were taken", args)
			}
		}
	})
}

// roundTrip stores a value and reads it back.
func roundTrip[T any](t *testing.T, e store.Engine, column string, stored any, want T) {
	t.Helper()
	MustExec(t, e, `DELETE FROM items`)
	MustExec(t, e, `INSERT INTO items (name, `+column+`) VALUES (?, ?)`, "x", stored)
	found := 0
	err := e.View(t.Context(), func(s store.Session) error {
		return s.Query(`SELECT `+column+` FROM items WHERE `+column+` = ?`, []any{stored}, func(r store.Row) error {
			found++
			var got T
			if err := r.Scan(&got); err != nil {
				return err
			}
			wantEqual(t, column, got, want)
			return nil
		})
	})
	if err != nil || found != 1 {
		t.Errorf("%T in %s: %d rows, error %v", stored, column, found, err)
	}
}

// nulls: NULL is no bytes, nothing to a Scanner, and an error to all that cannot
// say so.
func nulls(t *testing.T, e store.Engine) {
	MustExec(t, e, `DELETE FROM items`)
	MustExec(t, e, `INSERT INTO items (name) VALUES ('x')`)
	content, text := []byte("before"), sql.Null[string]{V: "before", Valid: true}
	err := e.View(t.Context(), func(s store.Session) error {
		return s.Query(`SELECT content, note FROM items`, nil, func(r store.Row) error { return r.Scan(&content, &text) })
	})
	if err != nil || content != nil || text.Valid {
		t.Errorf("scanned %q and %v, error %v", content, text, err)
	}
	for column, dest := range map[string][]any{
		"n": {new(int), new(int64)}, "flag": {new(bool)}, "note": {new(string), new(model.OrganizationID)},
		"id": {new(model.AccountID)},
	} {
		for _, d := range dest {
			err := e.View(t.Context(), func(s store.Session) error {
				return s.Query(`SELECT `+column+` FROM items`, nil, func(r store.Row) error { return r.Scan(d) })
			})
			if err == nil {
				t.Errorf("NULL was scanned into %T", d)
			}
		}
	}
}
