package engine

import (
	"errors"
	"slices"
	"testing"
)

func TestParseStatement(t *testing.T) {
	for text, want := range map[string]struct {
		placeholders int
		lists        []int // which of them are lists
	}{
		`SELECT 1`:                               {0, nil},
		`SELECT ?`:                               {1, nil},
		`SELECT '?', "?", ? -- ?`:                {1, nil},
		"SELECT ? -- it's ?\n, ?":                {2, nil},
		`SELECT 'it''s ?', ?`:                    {1, nil},
		`SELECT 1 WHERE ? IN (?*) AND ? IN (?*)`: {4, []int{1, 3}},
		`SELECT (?*2)`:                           {1, nil},
		"  INSERT\nINTO t VALUES (?, ?)  ":       {2, nil},
	} {
		s, err := ParseStatement(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var lists []int
		for i, p := range s.Placeholders {
			if s.Text[p.Offset] != '?' {
				t.Errorf("%s: a placeholder at %d", s.Text, p.Offset)
			}
			if p.List {
				lists = append(lists, i)
			}
		}
		if len(s.Placeholders) != want.placeholders || !slices.Equal(lists, want.lists) {
			t.Errorf("%s: %d placeholders, lists %v, want %d and %v", text, len(s.Placeholders), lists, want.placeholders,
				want.lists)
		}
	}
	for _, text := range []string{"", "BEGIN", "commit", "SET x = 1", "LOCK TABLE t", "PRAGMA journal_mode",
		"REPLACE INTO t VALUES (1)"} {
		if _, err := ParseStatement(text); !errors.Is(err, ErrSyntax) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}
