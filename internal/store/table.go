package store

import (
	"cmp"
	"strings"
)

// Table is a table of the schema: for what handles all of them alike, such as a copy of
// everything.
type Table struct {
	Name    string
	Columns []Column
	Key     []string // the columns of the primary key
}

// Column is a column of a table. None is ever NULL.
type Column struct {
	Name string
	Kind ColumnKind
}

// ColumnKind is what a column holds.
type ColumnKind int

// The kinds of columns.
const (
	NumberColumn ColumnKind = iota // int64
	TextColumn                     // string
	BytesColumn                    // []byte
	IDColumn                       // []byte, sixteen of them, or none where it may name nothing
)

// index is an index of the schema.
type index struct {
	name, table string
	columns     []string
}

// tables and indexes are those of this program, meta among them.
var tables, indexes = Today().parse()

// Tables lists the tables of the schema but meta, in its order. An engine's own tables
// are not among them.
func Tables() []Table { return tables[1:] }

// parse lists the tables and indexes that a schema makes. It reads the form of
// schema.sql, a column a line, and no more of SQL.
func (s Schema) parse() (tables []Table, indexes []index) {
	for _, statement := range statements(s.SQL) {
		head, body, _ := strings.Cut(statement, "(")
		words := strings.Fields(head)
		last := words[len(words)-1]
		if words[1] != "TABLE" { // CREATE INDEX name ON table (columns)
			indexes = append(indexes, index{words[len(words)-3], last, listed(body)})
			continue
		}
		t := Table{Name: last}
		for line := range strings.Lines(body) {
			if key, found := strings.CutPrefix(strings.TrimSpace(line), "PRIMARY KEY ("); found {
				t.Key = listed(key)
			} else if words := strings.Fields(line); len(words) > 1 {
				t.Columns = append(t.Columns, Column{words[0], kindOf(words[1])})
			}
		}
		tables = append(tables, t)
	}
	return tables, indexes
}

// listed splits what stands before the next parenthesis.
func listed(text string) []string {
	list, _, _ := strings.Cut(text, ")")
	return strings.Split(list, ", ")
}

// kindOf returns what a column of a type holds.
func kindOf(columnType string) ColumnKind {
	kinds := map[string]ColumnKind{"{id}": IDColumn, "{bytes}": BytesColumn, "{text}": TextColumn, "TEXT": TextColumn}
	return cmp.Or(kinds[columnType], NumberColumn)
}
