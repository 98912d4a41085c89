package store

import (
	"strings"
	"unicode/utf8"

	"signet/internal/model"
)

// The search index of an organization is two tables, both kept in the
// transaction that changes an account or a group.
//
// search_entities has a row for each account and group: the values that it is
// sorted by, and its words. Whether it matches is always decided on these words
// or on the rows of the other table, which say the same.
//
// search_words has a row for each word of an account or a public group, and two
// orders: by the word, which finds what a text begins; and by the word's first
// two letters and then by the entity's display name, which gives the first page
// of a short text without looking at the rest. A private group is found through
// its members, who are few, so that its words have no rows.

// SearchKind tells accounts from groups, and the groups that everybody in the
// organization finds from those that only their members do. Its numbers are stored.
type SearchKind int

const (
	SearchAccount      SearchKind = 0
	SearchPublicGroup  SearchKind = 1
	SearchPrivateGroup SearchKind = 2

	SearchDisabledAccount SearchKind = 3 // found only by who looks for these too
)

// Account reports whether entities of this kind are accounts.
func (k SearchKind) Account() bool { return k == SearchAccount || k == SearchDisabledAccount }

// SearchField is a field that the search looks in and sorts by. Its numbers are
// stored, and have one digit.
type SearchField int

const (
	SearchDisplayName SearchField = 1
	SearchFirstName   SearchField = 2
	SearchLastName    SearchField = 3
	SearchUsername    SearchField = 4
	SearchEmail       SearchField = 5
	SearchPhone       SearchField = 6
	SearchTitle       SearchField = 7
	SearchDepartment  SearchField = 8

	searchFields = 9
)

// searchColumns are the columns of search_entities that hold the values to sort by.
var searchColumns = [searchFields]string{
	SearchDisplayName: "display_name", SearchFirstName: "first_name", SearchLastName: "last_name",
	SearchUsername: "username",
	SearchEmail:    "email", SearchPhone: "phone", SearchTitle: "title", SearchDepartment: "department",
}

// SearchKeys are what an entity is sorted by, by field: folded, at most
// MaxSearchKey bytes each, empty where it has none. They are compared byte by byte.
type SearchKeys [searchFields]string

// MaxSearchKey and MaxSearchWord bound what the index keeps of a value and of a
// word, in bytes, so that its rows fit the indexes of every engine.
const (
	MaxSearchKey  = 128
	MaxSearchWord = 64
)

// SearchEntity is an account or a group as the index of an organization has it.
type SearchEntity struct {
	Organization model.OrganizationID
	Entity       model.EntityID
	Kind         SearchKind
	Keys         SearchKeys
	Words        SearchWords
}

const searchEntityColumns = `e.organization, e.entity, e.kind, e.display_name, e.first_name, e.last_name,
	e.username, e.email, e.phone, e.title, e.department, e.words`

func scanSearchEntity(row Row, e *SearchEntity) error {
	var kind int
	var text string
	k := &e.Keys
	if err := row.Scan(&e.Organization, &e.Entity, &kind, &k[SearchDisplayName], &k[SearchFirstName], &k[SearchLastName],
		&k[SearchUsername], &k[SearchEmail], &k[SearchPhone], &k[SearchTitle], &k[SearchDepartment], &text); err != nil {
		return err
	}
	e.Kind, e.Words = SearchKind(kind), SearchWords(text)
	return nil
}

// IndexEntity puts an entity into the index of its organization, in place of
// what is there. It writes only what has changed.
func (tx *Tx) IndexEntity(e *SearchEntity) error {
	old, found, err := tx.indexedEntity(e.Organization, e.Entity)
	if err != nil || found && old == *e {
		return err
	}
	var rows []wordRow
	if found {
		rows = old.rows()
	}
	if err := tx.replaceWordRows(e, rows, e.rows()); err != nil {
		return err
	}
	k := &e.Keys
	err = tx.post(
		`INSERT INTO search_entities (organization, entity, kind, display_name, first_name, last_name, username, email,
			phone, title, department, words)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (organization, entity) DO UPDATE SET kind = excluded.kind, display_name = excluded.display_name,
			first_name = excluded.first_name, last_name = excluded.last_name, username = excluded.username,
			email = excluded.email,
			phone = excluded.phone, title = excluded.title, department = excluded.department, words = excluded.words`,
		e.Organization, e.Entity, int(e.Kind), k[SearchDisplayName], k[SearchFirstName], k[SearchLastName],
		k[SearchUsername], k[SearchEmail], k[SearchPhone], k[SearchTitle], k[SearchDepartment], string(e.Words))
	return err
}

// UnindexEntity takes an entity out of an organization's index, if it is there.
func (tx *Tx) UnindexEntity(organization model.OrganizationID, entity model.EntityID) error {
	old, found, err := tx.indexedEntity(organization, entity)
	if err != nil || !found {
		return err
	}
	if err := tx.replaceWordRows(&old, old.rows(), nil); err != nil {
		return err
	}
	err = tx.post(`DELETE FROM search_entities WHERE organization = ? AND entity = ?`, organization, entity)
	return err
}

// indexedEntity returns what the index holds of an entity, and keeps others from
// changing it.
func (tx *Tx) indexedEntity(organization model.OrganizationID, entity model.EntityID) (e SearchEntity, found bool,
	err error) {
	err = tx.each(`SELECT `+searchEntityColumns+` FROM search_entities e WHERE e.organization = ? AND e.entity = ? `+
		tx.dialect.Lock,
		[]any{organization, entity}, func(row Row) error {
			found = true
			return scanSearchEntity(row, &e)
		})
	return e, found, err
}

// wordRow is what tells the rows of one entity's words apart.
type wordRow struct {
	kind  SearchKind
	field SearchField
	name  string
	word  string
}

// rows lists the rows that the words of an entity have.
func (e *SearchEntity) rows() []wordRow {
	if e.Kind == SearchPrivateGroup {
		return nil
	}
	var rows []wordRow
	e.Words.each(func(field SearchField, word string) {
		rows = append(rows, wordRow{e.Kind, field, e.Keys[SearchDisplayName], word})
	})
	return rows
}

func (tx *Tx) replaceWordRows(e *SearchEntity, old, now []wordRow) error {
	kept := make(map[wordRow]bool, len(old))
	for _, r := range old {
		kept[r] = false
	}
	for _, r := range now {
		if _, there := kept[r]; there {
			kept[r] = true
			continue
		}
		if err := tx.post(
			`INSERT INTO search_words (organization, kind, field, prefix, display_name, entity, word)
				VALUES (?, ?, ?, ?, ?, ?, ?)`,
			e.Organization, int(r.kind), int(r.field), searchPrefix(r.word), r.name, e.Entity, r.word); err != nil {
			return err
		}
	}
	for _, r := range old {
		if kept[r] {
			continue
		}
		if err := tx.post(
			`DELETE FROM search_words WHERE organization = ? AND kind = ? AND field = ? AND prefix = ? AND display_name = ?
				AND entity = ? AND word = ?`,
			e.Organization, int(r.kind), int(r.field), searchPrefix(r.word), r.name, e.Entity, r.word); err != nil {
			return err
		}
	}
	return nil
}

// searchPrefix returns the first two letters of a word, or the one that it has.
func searchPrefix(word string) string {
	_, first := utf8.DecodeRuneInString(word)
	_, second := utf8.DecodeRuneInString(word[first:])
	return word[:first+second]
}

// SearchWords are the words of an entity, by field: a line for each field that
// has any, its digit and then each word after a blank. Words are folded and made
// of letters and digits alone, so that nothing in them needs escaping.
type SearchWords string

// JoinSearchWords makes SearchWords. Fields without words have no line.
func JoinSearchWords(words map[SearchField][]string) SearchWords {
	var b strings.Builder
	for field := SearchDisplayName; field < searchFields; field++ {
		if len(words[field]) == 0 {
			continue
		}
		b.WriteByte('0' + byte(field))
		for _, word := range words[field] {
			b.WriteByte(' ')
			b.WriteString(word)
		}
		b.WriteByte('\n')
	}
	return SearchWords(b.String())
}

// Begin reports whether some word of a field begins with a text.
func (w SearchWords) Begin(field SearchField, text string) bool {
	return strings.Contains(w.line(field), " "+text)
}

// line returns the words of a field, each after a blank.
func (w SearchWords) line(field SearchField) string {
	for line := range strings.SplitSeq(string(w), "\n") {
		if line != "" && line[0] == '0'+byte(field) {
			return line[1:]
		}
	}
	return ""
}

func (w SearchWords) each(fn func(SearchField, string)) {
	for line := range strings.SplitSeq(string(w), "\n") {
		if line == "" {
			continue
		}
		for word := range strings.SplitSeq(line[2:], " ") {
			fn(SearchField(line[0]-'0'), word)
		}
	}
}
