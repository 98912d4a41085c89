// Package searchindex keeps the two tables in which accounts and groups are found, in the
// transactions that change these.
//
// It owns search_entities and search_words. It does not know how what people type becomes
// words, nor what a search asks for (package search).
//
// search_entities has a row for each account and group of an organization: the values that
// it is sorted by, and its words. Whether it matches is always decided on these words or on
// the rows of the other table, which say the same.
//
// search_words has a row for each word of an account or a public group, and two orders: by
// the word, which finds what a text begins; and by the word's first two letters and then by
// the entity's display name, which gives the first page of a short text without looking at
// the rest. A row says which fields have the word: most names are in several, and most
// searches look in all of them. One in a single field passes over the words of the others.
// A private group is found through its members, who are few, so that its words have no rows.
package searchindex

import (
	"strings"
	"unicode/utf8"

	"signet/internal/model"
	"signet/internal/store"
)

// Kind tells accounts from groups, and the groups that everybody in the
// organization finds from those that only their members do. Its numbers are stored.
type Kind int

const (
	Account      Kind = 0
	PublicGroup  Kind = 1
	PrivateGroup Kind = 2

	DisabledAccount Kind = 3 // found only by who looks for these too
)

// Account reports whether entities of this kind are accounts.
func (k Kind) Account() bool { return k == Account || k == DisabledAccount }

// Field is a field that the search looks in and sorts by. Its numbers are
// stored, and have one digit.
type Field int

const (
	DisplayName Field = 1
	FirstName   Field = 2
	LastName    Field = 3
	Username    Field = 4
	Email       Field = 5
	Phone       Field = 6
	Title       Field = 7
	Department  Field = 8

	fields = 9
)

// Fields is a set of fields, in the form that is stored.
type Fields int

// In returns the set of some fields.
func In(some ...Field) (set Fields) {
	for _, field := range some {
		set |= 1 << field
	}
	return set
}

// columns are the columns of search_entities that hold the values to sort by.
var columns = [fields]string{
	DisplayName: "display_name", FirstName: "first_name", LastName: "last_name",
	Username: "username",
	Email:    "email", Phone: "phone", Title: "title", Department: "department",
}

// Keys are what an entity is sorted by, by field: folded, at most
// MaxKey bytes each, empty where it has none. They are compared byte by byte.
type Keys [fields]string

// MaxKey and MaxWord bound what the index keeps of a value and of a
// word, in bytes, so that its rows fit the indexes of every engine.
const (
	MaxKey  = 128
	MaxWord = 64
)

// Entity is an account or a group as the index of an organization has it.
type Entity struct {
	Organization model.OrganizationID
	Entity       model.EntityID
	Kind         Kind
	Keys         Keys
	Words        Words
}

const entityColumns = `e.organization, e.entity, e.kind, e.display_name, e.first_name, e.last_name,
	e.username, e.email, e.phone, e.title, e.department, e.words`

func scanEntity(e *Entity, row store.Row) error {
	var kind int
	var text string
	k := &e.Keys
	if err := row.Scan(&e.Organization, &e.Entity, &kind, &k[DisplayName], &k[FirstName], &k[LastName],
		&k[Username], &k[Email], &k[Phone], &k[Title], &k[Department], &text); err != nil {
		return err
	}
	e.Kind, e.Words = Kind(kind), Words(text)
	return nil
}

// Put puts an entity into the index of its organization, in place of
// what is there. It writes only what has changed.
func Put(tx *store.Tx, e *Entity) error {
	old, found, err := indexed(tx, e.Organization, e.Entity)
	if err != nil || found && old == *e {
		return err
	}
	var rows []wordRow
	if found {
		rows = old.rows()
	}
	if err := replaceRows(tx, e, rows, e.rows()); err != nil {
		return err
	}
	k := &e.Keys
	err = tx.Post(
		`INSERT INTO search_entities (organization, entity, kind, display_name, first_name, last_name, username, email,
			phone, title, department, words)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (organization, entity) DO UPDATE SET kind = excluded.kind, display_name = excluded.display_name,
			first_name = excluded.first_name, last_name = excluded.last_name, username = excluded.username,
			email = excluded.email,
			phone = excluded.phone, title = excluded.title, department = excluded.department, words = excluded.words`,
		e.Organization, e.Entity, int(e.Kind), k[DisplayName], k[FirstName], k[LastName],
		k[Username], k[Email], k[Phone], k[Title], k[Department], string(e.Words))
	return err
}

// Remove takes an entity out of an organization's index, if it is there.
func Remove(tx *store.Tx, organization model.OrganizationID, entity model.EntityID) error {
	old, found, err := indexed(tx, organization, entity)
	if err != nil || !found {
		return err
	}
	if err := replaceRows(tx, &old, old.rows(), nil); err != nil {
		return err
	}
	err = tx.Post(`DELETE FROM search_entities WHERE organization = ? AND entity = ?`, organization, entity)
	return err
}

// SetKind makes an entity another kind of entity in the index, if it is there.
func SetKind(tx *store.Tx, organization model.OrganizationID, entity model.EntityID, kind Kind) error {
	e, found, err := indexed(tx, organization, entity)
	if err != nil || !found {
		return err
	}
	e.Kind = kind
	return Put(tx, &e)
}

// indexed returns what the index holds of an entity, and keeps others from
// changing it.
func indexed(tx *store.Tx, organization model.OrganizationID, entity model.EntityID) (Entity, bool, error) {
	return store.First(tx, `SELECT `+entityColumns+` FROM search_entities e WHERE e.organization = ? AND e.entity = ? `+
		tx.Lock(), []any{organization, entity}, scanEntity)
}

// wordRow is a row of one entity's words.
type wordRow struct {
	kind   Kind
	name   string
	word   string
	fields Fields
}

// key is what tells the row apart from the entity's others.
func (r wordRow) key() wordRow {
	r.fields = 0
	return r
}

// rows lists the rows that the words of an entity have.
func (e *Entity) rows() []wordRow {
	if e.Kind == PrivateGroup {
		return nil
	}
	var rows []wordRow
	places := map[string]int{} // in rows, by word
	e.Words.each(func(field Field, word string) {
		i, there := places[word]
		if !there {
			i = len(rows)
			places[word] = i
			rows = append(rows, wordRow{kind: e.Kind, name: e.Keys[DisplayName], word: word})
		}
		rows[i].fields |= In(field)
	})
	return rows
}

func replaceRows(tx *store.Tx, e *Entity, old, now []wordRow) error {
	there := make(map[wordRow]bool, len(old))
	for _, r := range old {
		there[r] = true
	}
	stay := make(map[wordRow]bool, len(now)) // by key
	for _, r := range now {
		stay[r.key()] = true
		if there[r] {
			continue
		}
		if err := tx.Post(
			`INSERT INTO search_words (organization, kind, prefix, display_name, entity, word, fields)
				VALUES (?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT (organization, kind, prefix, display_name, entity, word) DO UPDATE SET fields = excluded.fields`,
			e.Organization, int(r.kind), prefixOf(r.word), r.name, e.Entity, r.word, int(r.fields)); err != nil {
			return err
		}
	}
	for _, r := range old {
		if stay[r.key()] {
			continue
		}
		if err := tx.Post(
			`DELETE FROM search_words WHERE organization = ? AND kind = ? AND prefix = ? AND display_name = ? AND entity = ?
				AND word = ?`,
			e.Organization, int(r.kind), prefixOf(r.word), r.name, e.Entity, r.word); err != nil {
			return err
		}
	}
	return nil
}

// prefixOf returns the first two letters of a word, or the one that it has.
func prefixOf(word string) string {
	_, first := utf8.DecodeRuneInString(word)
	_, second := utf8.DecodeRuneInString(word[first:])
	return word[:first+second]
}

// Words are the words of an entity, by field: a line for each field that
// has any, its digit and then each word after a blank. Words are folded and made
// of letters and digits alone, so that nothing in them needs escaping.
type Words string

// JoinWords makes Words. Fields without words have no line.
func JoinWords(words map[Field][]string) Words {
	var b strings.Builder
	for field := DisplayName; field < fields; field++ {
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
	return Words(b.String())
}

// Begin reports whether some word of a field begins with a text.
func (w Words) Begin(field Field, text string) bool {
	return strings.Contains(w.line(field), " "+text)
}

// line returns the words of a field, each after a blank.
func (w Words) line(field Field) string {
	for line := range strings.SplitSeq(string(w), "\n") {
		if line != "" && line[0] == '0'+byte(field) {
			return line[1:]
		}
	}
	return ""
}

func (w Words) each(fn func(Field, string)) {
	for line := range strings.SplitSeq(string(w), "\n") {
		if line == "" {
			continue
		}
		for word := range strings.SplitSeq(line[2:], " ") {
			fn(Field(line[0]-'0'), word)
		}
	}
}
