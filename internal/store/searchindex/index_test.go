package searchindex_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/searchindex"
	"signet/internal/store/sqlite"
)

const searchOrganization = model.OrganizationID("0123456789abcdefghijABCD")

func searchEntityID(n int) (id model.EntityID) {
	id[0], id[15] = byte(n>>8), byte(n)
	return id
}

// searchRows lists all rows of the index.
func searchRows(t interface{ Fatal(...any) }, e *enginetest.Explained) (rows []string) {
	err := e.Engine.View(context.Background(), func(s store.Session) error {
		for _, query := range []string{
			`SELECT organization || '|' || kind || '|' || prefix || '|' || display_name || '|' || word || '|' || fields, entity FROM search_words`,
			`SELECT organization || '|' || kind || '|' || display_name || '|' || first_name || '|' || last_name || '|' || username || '|' || email || '|' || phone || '|' || title || '|' || department || '|' || words, entity FROM search_entities`,
		} {
			err := s.Query(query, nil, func(row store.Row) error {
				var text string
				var entity model.EntityID
				err := row.Scan(&text, &entity)
				rows = append(rows, text+"|"+entity.String())
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(rows)
	return rows
}

// An index that went through changes is the one that is built afresh.
func TestIndexEntityLeavesNothingOfWhatItReplaces(t *testing.T) {
	changed, changedEngine := enginetest.OpenExplained(t)
	fresh, freshEngine := enginetest.OpenExplained(t)
	rapid.Check(t, func(t *rapid.T) {
		now := map[model.EntityID]*searchindex.Entity{}
		update := func(s *store.Store, fn func(tx *store.Tx) error) {
			if err := s.Update(context.Background(), fn); err != nil {
				t.Fatal(err)
			}
		}
		word := rapid.SampledFrom([]string{"a", "ab", "abc", "abd", "b", "é", "éa", "田", "田中", "12"})
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			id := searchEntityID(rapid.IntRange(0, 3).Draw(t, "entity"))
			if rapid.IntRange(0, 4).Draw(t, "remove") == 0 {
				update(changed, func(tx *store.Tx) error { return searchindex.Remove(tx, searchOrganization, id) })
				delete(now, id)
				continue
			}
			e := &searchindex.Entity{Organization: searchOrganization, Entity: id,
				Kind: searchindex.Kind(rapid.IntRange(0, 2).Draw(t, "kind"))}
			e.Keys[searchindex.DisplayName], e.Keys[searchindex.Title] = word.Draw(t, "name"), word.Draw(t, "title")
			words := map[searchindex.Field][]string{}
			for range rapid.IntRange(0, 3).Draw(t, "fields") {
				words[searchindex.Field(rapid.IntRange(1, 8).Draw(t, "field"))] = rapid.SliceOfNDistinct(word, 0, 4,
					rapid.ID).Draw(t, "words")
			}
			e.Words = searchindex.JoinWords(words)
			update(changed, func(tx *store.Tx) error { return searchindex.Put(tx, e) })
			now[id] = e
		}
		update(fresh, func(tx *store.Tx) error {
			for _, e := range now {
				if err := searchindex.Put(tx, e); err != nil {
					return err
				}
			}
			return nil
		})
		if got, want := searchRows(t, changedEngine), searchRows(t, freshEngine); !slices.Equal(got, want) {
			t.Fatalf("after changes\n%s\nafresh\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for _, s := range []*store.Store{changed, fresh} {
			update(s, func(tx *store.Tx) error {
				for n := range 4 {
					if err := searchindex.Remove(tx, searchOrganization, searchEntityID(n)); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if left := searchRows(t, changedEngine); len(left) > 0 {
			t.Fatalf("left when all are gone: %q", left)
		}
	})
}

func TestSearchWordsAreFoundInTheirField(t *testing.T) {
	words := searchindex.JoinWords(map[searchindex.Field][]string{
		searchindex.DisplayName: {"maria", "müller"}, searchindex.Department: {"7", "ward"}, searchindex.Title: nil,
	})
	for _, test := range []struct {
		field searchindex.Field
		text  string
		want  bool
	}{
		{searchindex.DisplayName, "maria", true}, {searchindex.DisplayName, "m", true}, {searchindex.DisplayName, "mü", true},
		{searchindex.DisplayName, "aria", false}, {searchindex.DisplayName, "marias", false},
		{searchindex.DisplayName, "1", false},
		{searchindex.DisplayName, "ward", false}, {searchindex.Department, "7", true}, {searchindex.Department, "8", false},
		{searchindex.Department, "wa", true}, {searchindex.Title, "w", false}, {searchindex.Email, "m", false},
	} {
		if got := words.Begin(test.field, test.text); got != test.want {
			t.Errorf("field %d begins with %q: got %v, want %v", test.field, test.text, got, test.want)
		}
	}
}

// Words and names are compared byte by byte, whatever the engine's language.
func TestSearchListsAreInByteOrder(t *testing.T) {
	s, _ := enginetest.OpenExplained(t)
	names := []string{"", "10", "9", "a", "a b", "ab", "b", "z", "é", "щ", "田", "\U00020000"}
	err := s.Update(context.Background(), func(tx *store.Tx) error {
		for i, name := range names {
			e := &searchindex.Entity{Organization: searchOrganization, Entity: searchEntityID(len(names) - i)}
			e.Keys[searchindex.DisplayName] = name
			e.Words = searchindex.JoinWords(map[searchindex.Field][]string{searchindex.DisplayName: {"x" +
				strings.ReplaceAll(name, " ", "")}})
			if err := searchindex.Put(tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r := searchindex.Range{Organization: searchOrganization, Fields: searchindex.In(searchindex.DisplayName), Text: "x"}
	reversed := slices.Clone(names)
	slices.Reverse(reversed)
	err = s.View(context.Background(), func(tx *store.Tx) error {
		for limit := 1; limit <= len(names)+1; limit++ {
			for _, test := range []struct {
				what string
				want []string
				list func(after searchindex.Mark) ([]searchindex.Mark, error)
			}{
				{"by name", names, func(after searchindex.Mark) ([]searchindex.Mark, error) {
					return searchindex.WordsByName(tx, r, "", false, after, limit)
				}},
				{"by name, descending", reversed, func(after searchindex.Mark) ([]searchindex.Mark, error) {
					return searchindex.WordsByName(tx, r, "", true, after, limit)
				}},
				{"by word", nil, func(after searchindex.Mark) ([]searchindex.Mark, error) {
					return searchindex.WordsByWord(tx, r, after, limit)
				}},
			} {
				var got, words []string
				for after := (searchindex.Mark{}); ; {
					marks, err := test.list(after)
					if err != nil {
						return err
					}
					for _, m := range marks {
						got, words, after = append(got, m.DisplayName), append(words, m.Word), m
					}
					if len(marks) < limit {
						break
					}
				}
				if test.want != nil && !slices.Equal(got, test.want) || test.want == nil &&
					(len(words) != len(names) || !slices.IsSorted(words)) {
					t.Errorf("%s, %d at a time: got %q %q, want %q", test.what, limit, got, words, test.want)
				}
			}
		}
		prefixes, err := searchindex.Prefixes(tx, r, 100)
		if err != nil || !slices.Equal(prefixes,
			[]string{"x", "x1", "x9", "xa", "xb", "xz", "xé", "xщ", "x田", "x\U00020000"}) {
			t.Errorf("prefixes %q (%v)", prefixes, err)
		}
		if few, err := searchindex.Prefixes(tx, r, 3); err != nil || len(few) != 3 {
			t.Errorf("three prefixes: %q (%v)", few, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What a search reads, it reads in the order of an index; only the lists that say
// so sort.
func TestSearchReadsAlongIndexes(t *testing.T) {
	s, e := enginetest.OpenExplained(t)
	order := func(fields ...searchindex.Field) *searchindex.Order {
		o := &searchindex.Order{}
		for _, field := range fields {
			o.Terms = append(o.Terms, searchindex.Term{Field: field})
		}
		return o
	}
	last := &searchindex.Entity{Entity: searchEntityID(1)}
	mark := searchindex.Mark{Word: "x", DisplayName: "x", Entity: last.Entity}
	r := searchindex.Range{Organization: searchOrganization, Fields: searchindex.In(searchindex.Email), Text: "ma"}
	long := r
	long.Text = "mar"
	for _, test := range []struct {
		name  string
		read  func(tx *store.Tx) error
		want  string
		sorts bool
	}{
		{"words by word", func(tx *store.Tx) error {
			_, err := searchindex.WordsByWord(tx, r, mark,
				9)
			return err
		}, "COVERING INDEX search_words_word",
			false},
		{"count of words", func(tx *store.Tx) error { _, err := searchindex.CountWords(tx, r, 9); return err },
			"COVERING INDEX search_words_word",
			false},
		{"words by name", func(tx *store.Tx) error {
			_, err := searchindex.WordsByName(tx, r, "ma", false, searchindex.Mark{}, 9)
			return err
		},
			"PRIMARY KEY (organization=? AND kind=? AND prefix=?)", false},
		{"words by name, on", func(tx *store.Tx) error {
			_, err := searchindex.WordsByName(tx, long, "ma", false, mark, 9)
			return err
		},
			"prefix=? AND display_name>?", false},
		// those of one name
		{"words by name, descending",
			func(tx *store.Tx) error { _, err := searchindex.WordsByName(tx, long, "ma", true, mark, 9); return err },
			"prefix=? AND display_name<?", true},
		{"prefixes", func(tx *store.Tx) error {
			_, err := searchindex.Prefixes(tx, searchindex.Range{Text: "m"}, 9)
			return err
		},
			"prefix>? AND prefix<?", false},
		{"entities by name", func(tx *store.Tx) error {
			_, err := searchindex.InOrder(tx, searchOrganization, 0, order(searchindex.DisplayName), last, 9)
			return err
		}, "search_entities_display_name (organization=? AND kind=? AND display_name>?)", false},
		{"entities by department and name", func(tx *store.Tx) error {
			_, err := searchindex.InOrder(tx, searchOrganization, 0, order(searchindex.Department,
				searchindex.DisplayName), last, 9)
			return err
		}, "search_entities_department (organization=? AND kind=? AND department>?)", true}, // those of one department
		{"entities by token", func(tx *store.Tx) error {
			_, err := searchindex.InOrder(tx, searchOrganization, 0, order(), last, 9)
			return err
		}, "PRIMARY KEY (organization=? AND entity>?)", false},
		{"count of entities", func(tx *store.Tx) error {
			_, err := searchindex.Count(tx, searchOrganization, 0, 9)
			return err
		}, "COVERING INDEX", false},
		{"private groups", func(tx *store.Tx) error {
			_, err := searchindex.PrivateGroupsOf(tx, model.AccountID{1}, searchOrganization)
			return err
		}, "group_members_account (account=? AND organization=?); SEARCH e USING PRIMARY KEY (organization=? AND entity=?)",
			false},
		{"entities by identifier", func(tx *store.Tx) error {
			_, err := searchindex.Entities(tx, searchOrganization, []model.EntityID{last.Entity})
			return err
		}, "PRIMARY KEY (organization=? AND entity=?)", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			e.Plans = nil
			if err := s.View(context.Background(), test.read); err != nil {
				t.Fatal(err)
			}
			for _, p := range e.Plans {
				plan := strings.Join(p.Steps, "; ")
				if !strings.Contains(plan, test.want) || strings.Contains(plan, "SCAN search") ||
					strings.Contains(plan, "SCAN e") || strings.Contains(plan, "TEMP B-TREE") != test.sorts {
					t.Errorf("%s\nplan: %s\nwant: %s, sorting %v", p.Query, plan, test.want, test.sorts)
				}
			}
			if len(e.Plans) != 1 {
				t.Errorf("%d statements, want 1", len(e.Plans))
			}
		})
	}
}

func TestSecretStaysThroughRestarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	var secrets []string
	for range 2 {
		engine, err := sqlite.Open(path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(context.Background(), engine, func() string { return fmt.Sprint("epoch", len(secrets)) })
		if err != nil {
			t.Fatal(err)
		}
		if s.Epoch() != "epoch0" {
			t.Errorf("epoch %q, want that of the first start", s.Epoch())
		}
		secrets = append(secrets, string(s.Secret()))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(secrets[0]) < 32 || secrets[0] != secrets[1] {
		t.Error("the secret changed, or is short")
	}
	other, _ := enginetest.OpenExplained(t)
	if string(other.Secret()) == secrets[0] {
		t.Error("two installations have one secret")
	}
}
