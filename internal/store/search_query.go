package store

import (
	"strings"
	"unicode/utf8"

	"signet/internal/model"
)

// beyond follows in byte order on everything that a word can go on with: it is
// neither a letter nor a digit, and the last of all characters.
const beyond = "\U0010FFFF"

// The limits of this file are written `? + 0`: SQLite plans a statement anew each
// time that another number is bound to a bare `LIMIT ?`, which costs more than
// most of these reads.

// SearchRange is the words of one field, of one kind of entities, that begin
// with a text. The text is not empty.
type SearchRange struct {
	Organization model.OrganizationID
	Kind         SearchKind
	Field        SearchField
	Text         string
}

const inSearchRange = `organization = ? AND kind = ? AND field = ? AND word >= ? AND word < ?`

func (r *SearchRange) args() []any {
	return []any{r.Organization, int(r.Kind), int(r.Field), r.Text, r.Text + beyond}
}

// SearchMark is a place in a list of a search. The zero value is the start.
type SearchMark struct {
	Word        string // of lists by word
	DisplayName string // of lists by display name
	Entity      model.EntityID
}

// CountWords returns how many words a range has, at most limit.
func (tx *Tx) CountWords(r SearchRange, limit int) (n int, err error) {
	_, err = tx.one(`SELECT COUNT(*) FROM (SELECT 1 FROM search_words WHERE `+inSearchRange+` LIMIT ? + 0) AS few`,
		append(r.args(), limit), &n)
	return n, err
}

// WordsByWord lists the words of a range, in byte order and then by entity, from
// after a mark on.
func (tx *Tx) WordsByWord(r SearchRange, after SearchMark, limit int) ([]SearchMark, error) {
	args := r.args()
	args[3] = max(r.Text, after.Word)
	return tx.marks(limit, `SELECT word, display_name, entity FROM search_words WHERE `+inSearchRange+
		` AND (word > ? OR entity > ?)
		ORDER BY word, entity LIMIT ? + 0`, append(args, after.Word, after.Entity, limit)...)
}

// WordsByName lists the words of a range by the display names of their entities,
// from after a mark on; entities of the same name by their identifiers. An entity
// that has several of the words comes as often, one after the other. It is quick
// where prefix is that of the words (Prefixes), and right but slow where it is
// empty, for then all words of the range are sorted.
func (tx *Tx) WordsByName(r SearchRange, prefix string, descending bool, after SearchMark, limit int) ([]SearchMark,
	error) {
	var b strings.Builder
	b.WriteString(`SELECT word, display_name, entity FROM search_words WHERE `)
	args := r.args()
	if prefix == "" {
		b.WriteString(inSearchRange)
	} else {
		// The words are compared in a way that no index serves: one by word is there,
		// and must not be taken, because its rows would have to be sorted.
		b.WriteString(`organization = ? AND kind = ? AND field = ? AND prefix = ?`)
		args[3], args = prefix, args[:4]
		if n := utf8.RuneCountInString(r.Text); n > 2 {
			b.WriteString(` AND SUBSTR(word, 1, CAST(? AS INTEGER)) = ?`)
			args = append(args, n, r.Text)
		}
	}
	if after != (SearchMark{}) {
		than := comparison(descending)
		b.WriteString(` AND display_name` + than + `= ? AND (display_name` + than + ` ? OR entity > ?)`)
		args = append(args, after.DisplayName, after.DisplayName, after.Entity)
	}
	b.WriteString(` ORDER BY display_name` + direction(descending) + `, entity LIMIT ? + 0`)
	return tx.marks(limit, b.String(), append(args, limit)...)
}

func (tx *Tx) marks(limit int, query string, args ...any) ([]SearchMark, error) {
	out := make([]SearchMark, 0, min(limit, 64))
	err := tx.each(query, args, func(row Row) error {
		var m SearchMark
		err := row.Scan(&m.Word, &m.DisplayName, &m.Entity)
		out = append(out, m)
		return err
	})
	return out, err
}

// Prefixes returns the different first two letters of the words of a range, at
// most limit.
func (tx *Tx) Prefixes(r SearchRange, limit int) (out []string, err error) {
	if utf8.RuneCountInString(r.Text) > 1 {
		return []string{searchPrefix(r.Text)}, nil
	}
	// Each step looks up the next one, instead of reading all the words between.
	const of = `FROM search_words w WHERE w.organization = ? AND w.kind = ? AND w.field = ?`
	args := []any{r.Organization, int(r.Kind), int(r.Field), r.Text, r.Text + beyond, r.Organization, int(r.Kind),
		int(r.Field), r.Text + beyond, limit}
	return column[string](tx, `WITH RECURSIVE step (prefix) AS (
			SELECT MIN(w.prefix) `+of+` AND w.prefix >= ? AND w.prefix < ?
			UNION ALL
			SELECT (SELECT MIN(w.prefix) `+of+
		` AND w.prefix > step.prefix AND w.prefix < ?) FROM step WHERE step.prefix IS NOT NULL
		) SELECT prefix FROM step WHERE prefix IS NOT NULL LIMIT ? + 0`, args...)
}

// CountSearchEntities returns how many entities of a kind an organization has,
// at most limit.
func (tx *Tx) CountSearchEntities(organization model.OrganizationID, kind SearchKind, limit int) (n int, err error) {
	_, err = tx.one(
		`SELECT COUNT(*) FROM (SELECT 1 FROM search_entities WHERE organization = ? AND kind = ? LIMIT ? + 0) AS few`,
		[]any{organization, int(kind), limit}, &n)
	return n, err
}

// SearchEntities returns those of the entities that the organization's index
// has, in no particular order.
func (tx *Tx) SearchEntities(organization model.OrganizationID, ids []model.EntityID) ([]SearchEntity, error) {
	return tx.searchEntities(len(ids),
		`SELECT `+searchEntityColumns+` FROM search_entities e WHERE e.organization = ? AND e.entity IN (?*)`, organization,
		ids)
}

// PrivateGroupsOf returns the groups of an organization that an account is in
// and that only their members find.
func (tx *Tx) PrivateGroupsOf(account model.AccountID, organization model.OrganizationID) ([]SearchEntity, error) {
	return tx.searchEntities(0, `SELECT `+searchEntityColumns+` FROM group_members m
		JOIN search_entities e ON e.organization = m.organization AND e.entity = m.group_token
		WHERE m.account = ? AND m.organization = ? AND e.kind = ?`, account, organization, int(SearchPrivateGroup))
}

// SearchTerm is a field to sort by.
type SearchTerm struct {
	Field      SearchField
	Descending bool
}

// SearchOrder is a total order of the entities of an organization: by some
// fields, one after the other, and at last by the identifier.
type SearchOrder struct {
	Terms           []SearchTerm
	TokenDescending bool
}

// EntitiesInOrder lists the entities of a kind in an order, from after one on, or
// from the start where that is nil.
func (tx *Tx) EntitiesInOrder(organization model.OrganizationID, kind SearchKind, order *SearchOrder,
	after *SearchEntity, limit int) ([]SearchEntity, error) {
	var b strings.Builder
	b.WriteString(`SELECT ` + searchEntityColumns + ` FROM search_entities e WHERE e.organization = ? AND e.kind = ?`)
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
	return tx.searchEntities(limit, b.String(), append(args, limit)...)
}

func (t SearchTerm) column() string     { return `e.` + searchColumns[t.Field] }
func (t SearchTerm) comparison() string { return comparison(t.Descending) }

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

func (tx *Tx) searchEntities(expected int, query string, args ...any) ([]SearchEntity, error) {
	out := make([]SearchEntity, 0, expected)
	err := tx.each(query, args, func(row Row) error {
		var e SearchEntity
		err := scanSearchEntity(row, &e)
		out = append(out, e)
		return err
	})
	return out, err
}
