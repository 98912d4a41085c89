package searchindex

import (
	"strings"
	"unicode/utf8"

	"signet/internal/model"
	"signet/internal/store"
)

// beyond follows in byte order on everything that a word can go on with: it is
// neither a letter nor a digit, and the last of all characters.
const beyond = "\U0010FFFF"

// The limits of this file are written `? + 0`: SQLite plans a statement anew each
// time that another number is bound to a bare `LIMIT ?`, which costs more than
// most of these reads.

// Range is the words of some fields, of one kind of entities, that begin with a text. The
// text is not empty. A word that several of the fields have is one.
type Range struct {
	Organization model.OrganizationID
	Kind         Kind
	Fields       Fields
	Text         string
}

const inRange = `organization = ? AND kind = ? AND word >= ? AND word < ? AND fields & ? <> 0`

// args are those of inRange, from a word on.
func (r *Range) args(from string) []any {
	return []any{r.Organization, int(r.Kind), from, r.Text + beyond, int(r.Fields)}
}

// Mark is a place in a list of a search. The zero value is the start.
type Mark struct {
	Word        string // of lists by word
	DisplayName string // of lists by display name
	Entity      model.EntityID
}

// CountWords returns how many words a range has, at most limit.
func CountWords(tx *store.Tx, r Range, limit int) (n int, err error) {
	_, err = tx.One(`SELECT COUNT(*) FROM (SELECT 1 FROM search_words WHERE `+inRange+` LIMIT ? + 0) AS few`,
		append(r.args(r.Text), limit), &n)
	return n, err
}

// WordsByWord lists the words of a range, in byte order and then by entity, from
// after a mark on.
func WordsByWord(tx *store.Tx, r Range, after Mark, limit int) ([]Mark, error) {
	args := r.args(max(r.Text, after.Word))
	return marks(tx, limit, `SELECT word, display_name, entity FROM search_words WHERE `+inRange+
		` AND (word > ? OR entity > ?)
		ORDER BY word, entity LIMIT ? + 0`, append(args, after.Word, after.Entity, limit)...)
}

// WordsByName lists the words of a range by the display names of their entities,
// from after a mark on; entities of the same name by their identifiers. An entity
// that has several of the words comes as often, one after the other. It is quick
// where prefix is that of the words (Prefixes), and right but slow where it is
// empty, for then all words of the range are sorted.
func WordsByName(tx *store.Tx, r Range, prefix string, descending bool, after Mark, limit int) ([]Mark,
	error) {
	var b strings.Builder
	b.WriteString(`SELECT word, display_name, entity FROM search_words WHERE `)
	args := r.args(r.Text)
	if prefix == "" {
		b.WriteString(inRange)
	} else {
		// The words are compared in a way that no index serves: one by word is there,
		// and must not be taken, because its rows would have to be sorted.
		b.WriteString(`organization = ? AND kind = ? AND prefix = ? AND fields & ? <> 0`)
		args = []any{r.Organization, int(r.Kind), prefix, int(r.Fields)}
		if n := utf8.RuneCountInString(r.Text); n > 2 {
			b.WriteString(` AND SUBSTR(word, 1, CAST(? AS INTEGER)) = ?`)
			args = append(args, n, r.Text)
		}
	}
	if after != (Mark{}) {
		than := comparison(descending)
		b.WriteString(` AND display_name` + than + `= ? AND (display_name` + than + ` ? OR entity > ?)`)
		args = append(args, after.DisplayName, after.DisplayName, after.Entity)
	}
	b.WriteString(` ORDER BY display_name` + direction(descending) + `, entity LIMIT ? + 0`)
	return marks(tx, limit, b.String(), append(args, limit)...)
}

func marks(tx *store.Tx, limit int, query string, args ...any) ([]Mark, error) {
	out := make([]Mark, 0, min(limit, 64))
	err := tx.Query(query, args, func(row store.Row) error {
		var m Mark
		err := row.Scan(&m.Word, &m.DisplayName, &m.Entity)
		out = append(out, m)
		return err
	})
	return out, err
}

// Prefixes returns the different first two letters of the words of a range, whatever
// fields they are in, at most limit.
func Prefixes(tx *store.Tx, r Range, limit int) (out []string, err error) {
	if utf8.RuneCountInString(r.Text) > 1 {
		return []string{prefixOf(r.Text)}, nil
	}
	// Each step looks up the next one, instead of reading all the words between.
	const of = `FROM search_words w WHERE w.organization = ? AND w.kind = ?`
	args := []any{r.Organization, int(r.Kind), r.Text, r.Text + beyond, r.Organization, int(r.Kind), r.Text + beyond,
		limit}
	return store.Column[string](tx, `WITH RECURSIVE step (prefix) AS (
			SELECT MIN(w.prefix) `+of+` AND w.prefix >= ? AND w.prefix < ?
			UNION ALL
			SELECT (SELECT MIN(w.prefix) `+of+
		` AND w.prefix > step.prefix AND w.prefix < ?) FROM step WHERE step.prefix IS NOT NULL
		) SELECT prefix FROM step WHERE prefix IS NOT NULL LIMIT ? + 0`, args...)
}

// Count returns how many entities of a kind an organization has,
// at most limit.
func Count(tx *store.Tx, organization model.OrganizationID, kind Kind, limit int) (n int, err error) {
	_, err = tx.One(
		`SELECT COUNT(*) FROM (SELECT 1 FROM search_entities WHERE organization = ? AND kind = ? LIMIT ? + 0) AS few`,
		[]any{organization, int(kind), limit}, &n)
	return n, err
}

// Entities returns those of the entities that the organization's index
// has, in no particular order.
func Entities(tx *store.Tx, organization model.OrganizationID, ids []model.EntityID) ([]Entity, error) {
	return entities(tx, len(ids),
		`SELECT `+entityColumns+` FROM search_entities e WHERE e.organization = ? AND e.entity IN (?*)`, organization,
		ids)
}

// PrivateGroupsOf returns the groups of an organization that an account is in
// and that only their members find.
func PrivateGroupsOf(tx *store.Tx, account model.AccountID, organization model.OrganizationID) ([]Entity, error) {
	return entities(tx, 0, `SELECT `+entityColumns+` FROM group_members m
		JOIN search_entities e ON e.organization = m.organization AND e.entity = m.group_token
		WHERE m.account = ? AND m.organization = ? AND e.kind = ?`, account, organization, int(PrivateGroup))
}

// Term is a field to sort by.
type Term struct {
	Field      Field
	Descending bool
}

// Order is a total order of the entities of an organization: by some
// fields, one after the other, and at last by the identifier.
type Order struct {
	Terms           []Term
	TokenDescending bool
}

// InOrder lists the entities of a kind in an order, from after one on, or
// from the start where that is nil.
func InOrder(tx *store.Tx, organization model.OrganizationID, kind Kind, order *Order,
	after *Entity, limit int) ([]Entity, error) {
	var b strings.Builder
	b.WriteString(`SELECT ` + entityColumns + ` FROM search_entities e WHERE e.organization = ? AND e.kind = ?`)
	args := []any{organization, int(kind)}
	if after != nil {
		if len(order.Terms) > 0 { // what an index can begin with
			b.WriteString(` AND ` + order.Terms[0].column() + order.Terms[0].comparison() + `= ?`)
			args = append(args, after.Keys[order.Terms[0].Field])
		}
		b.WriteString(` AND `)
		for _, term := range order.Terms {
			b.WriteString(`(` + term.column() + term.comparison() + ` ? OR ` + term.column() + ` = ? AND `)
			args = append(args, after.Keys[term.Field], after.Keys[term.Field])
		}
		b.WriteString(`e.entity` + comparison(order.TokenDescending) + ` ?` + strings.Repeat(`)`, len(order.Terms)))
		args = append(args, after.Entity)
	}
	b.WriteString(` ORDER BY `)
	for _, term := range order.Terms {
		b.WriteString(term.column() + direction(term.Descending) + `, `)
	}
	b.WriteString(`e.entity` + direction(order.TokenDescending) + ` LIMIT ? + 0`)
	return entities(tx, limit, b.String(), append(args, limit)...)
}

func (t Term) column() string     { return `e.` + columns[t.Field] }
func (t Term) comparison() string { return comparison(t.Descending) }

func comparison(descending bool) string {
	if descending {
		return ` <`
	}
	return ` >`
}

func direction(descending bool) string {
	if descending {
		return ` DESC`
	}
	return ``
}

func entities(tx *store.Tx, expected int, query string, args ...any) ([]Entity, error) {
	out := make([]Entity, 0, expected)
	err := tx.Query(query, args, func(row store.Row) error {
		var e Entity
		err := scanEntity(&e, row)
		out = append(out, e)
		return err
	})
	return out, err
}
