package schema

import (
	"cmp"
	"fmt"
	"strings"
)

// Table is a table of the schema: for what handles all of them alike, such as a copy of
// everything.
type Table struct {
	Name    string
	Columns []Column
	Key     []string // the columns of the primary key
}

// Place is where a column stands among the columns.
func (t Table) Place(name string) int {
	for i, c := range t.Columns {
		if c.Name == name {
			return i
		}
	}
	panic(fmt.Sprintf("table %s has no column %s", t.Name, name))
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

// Index is an index of the schema.
type Index struct {
	Name, Table string
	Columns     []string
}

// Parse lists the tables and indexes that a schema makes. It reads the form of
// schema.sql, a column a line, and no more of SQL.
func (s Schema) Parse() (tables []Table, indexes []Index) {
	for _, statement := range Statements(s.SQL) {
		head, body, _ := strings.Cut(statement, "(")
		words := strings.Fields(head)
		last := words[len(words)-1]
		if words[1] != "TABLE" { // CREATE INDEX name ON table (columns)
			indexes = append(indexes, Index{words[len(words)-3], last, listed(body)})
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
