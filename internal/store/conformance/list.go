package conformance

import (
	"fmt"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
)

// longList are the members of a large group, who are asked for in one statement.
const longList = 2000

// longestList is more than the parameters that a statement has on either engine (32,766, and
// 65,535): an organization may have more members.
const longestList = 70_000

// lists: `IN (?*)` takes a slice of any length.
func lists(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	const rows = 40
	var (
		texts    []string
		numbers  []int64
		small    []int
		ids      []model.AccountID
		entities []model.EntityID
		tokens   []model.OrganizationID
	)
	for i := range longestList {
		id := [16]byte{1, 13: byte(i >> 16), 14: byte(i >> 8), 15: byte(i)}
		texts, numbers, small = append(texts, fmt.Sprintf("name %04d", i)), append(numbers, int64(i)), append(small, i)
		ids, entities = append(ids, id), append(entities, id)
		tokens = append(tokens, model.OrganizationID(texts[i]))
	}
	err := e.Update(t.Context(), func(s store.Session) error {
		for i := range rows {
			if _, err := s.Exec(`INSERT INTO items (name, n, flag, note, id) VALUES (?, ?, ?, ?, ?)`, texts[i], numbers[i],
				i%2 == 0, texts[i], ids[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantCount := func(want int, query string, args ...any) {
		t.Helper()
		if got := len(Column[string](t, e, query, args...)); got != want {
			t.Errorf("%s: %d rows, want %d", query, got, want)
		}
	}
	for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 39, 40, 41, longList, longestList} {
		want := min(n, rows)
		wantCount(want, `SELECT name FROM items WHERE name IN (?*)`, texts[:n])
		wantCount(want, `SELECT name FROM items WHERE name IN (?*)`, tokens[:n])
		wantCount(want, `SELECT name FROM items WHERE n IN (?*)`, numbers[:n])
		wantCount(want, `SELECT name FROM items WHERE n IN (?*)`, small[:n])
		wantCount(want, `SELECT name FROM items WHERE id IN (?*)`, ids[:n])
		wantCount(want, `SELECT name FROM items WHERE id IN (?*)`, entities[:n])
		wantCount(max(0, want-10),
			`SELECT name FROM items WHERE n >= ? AND id IN (?*) AND note <> '?' AND name IN (?*) AND n < ?`,
			10, ids[:n], texts, 1000)
	}
	t.Run("nil_matches_nothing", func(t *testing.T) {
		wantCount(0, `SELECT name FROM items WHERE id IN (?*)`, []model.AccountID(nil))
		wantCount(0, `SELECT name FROM items WHERE name IN (?*) OR n IN (?*)`, []string(nil), []int64{})
	})
	t.Run("repeats_match_once", func(t *testing.T) {
		wantCount(2, `SELECT name FROM items WHERE n IN (?*)`, []int64{3, 3, 3, 4, 4})
	})
	t.Run("identifiers_of_every_kind", func(t *testing.T) {
		id := [16]byte(ids[5])
		for _, list := range []any{
			[]model.GroupID{id}, []model.MessageID{id}, []model.BlobID{id}, []model.ID[otherKind]{id},
		} {
			wantCount(1, `SELECT name FROM items WHERE id IN (?*)`, list)
		}
	})
	t.Run("no_list_is_refused", func(t *testing.T) {
		for _, bad := range []any{7, "text", nil, []struct{}{{}}} {
			err := e.View(t.Context(), func(s store.Session) error {
				return s.Query(`SELECT name FROM items WHERE n IN (?*)`, []any{bad}, func(store.Row) error { return nil })
			})
			if err == nil {
				t.Errorf("%T was taken as a list", bad)
			}
		}
	})
	t.Run("in_a_statement_that_writes", func(t *testing.T) {
		wantEqual(t, "updated", MustExec(t, e, `UPDATE items SET note = ? WHERE id IN (?*) AND n < ?`, "new", ids, 3), 3)
		wantEqual(t, "deleted of none", MustExec(t, e, `DELETE FROM items WHERE id IN (?*)`, []model.AccountID{}), 0)
		wantEqual(t, "deleted", MustExec(t, e, `DELETE FROM items WHERE id IN (?*)`, ids), rows)
	})
}
