package store

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Table is a table of the schema, as the migrations make it: for what handles all
// of them alike, such as a copy of everything.
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

// metaTable holds what there is one of: the schema's version, the epoch, the secret.
// The first migration finds it made.
const metaTable = `CREATE TABLE IF NOT EXISTS meta (
	name  TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (name)
){table}`

// Tables lists the tables of the schema but meta, in the order in which they were
// made. They are read from the migrations, so that none can be forgotten. An engine's
// own tables are not among them.
func Tables() []Table { return tablesAfter(migrations) }

// tablesAfter lists the tables that steps of the migrations leave.
func tablesAfter(steps []Migration) []Table {
	var tables []Table
	for _, step := range steps {
		for _, statement := range statements(step.SQL) {
			tables = applied(tables, statement)
		}
	}
	return tables
}

// statements splits a step of the migrations.
func statements(step string) (out []string) {
	for statement := range strings.SplitSeq(step, ";\n") {
		if statement = strings.TrimSpace(statement); statement != "" {
			out = append(out, statement)
		}
	}
	return out
}

var (
	createTable = regexp.MustCompile(`(?s)^CREATE TABLE (?:IF NOT EXISTS )?(\w+) \((.*)\n\)\{table\}$`)
	primaryKey  = regexp.MustCompile(`^PRIMARY KEY \((.*)\)$`)
	columnLine  = regexp.MustCompile(`^(\w+)\s+(\{id\}|\{bytes\}|\{text\}|TEXT|INTEGER|BIGINT) NOT NULL( DEFAULT .*)?$`)
	addColumn   = regexp.MustCompile(`^ALTER TABLE (\w+) ADD COLUMN (.*)$`)
	dropColumn  = regexp.MustCompile(`^ALTER TABLE (\w+) DROP COLUMN (\w+)$`)
	renameTable = regexp.MustCompile(`^ALTER TABLE (\w+) RENAME TO (\w+)$`)
	dropTable   = regexp.MustCompile(`^DROP TABLE (\w+)$`)
	noTable     = regexp.MustCompile(`^(CREATE (UNIQUE )?INDEX|DROP INDEX|INSERT|UPDATE|DELETE)\b`)
)

// applied returns the tables after a statement of the migrations. One that it does
// not understand is a defect that every start would show.
func applied(tables []Table, statement string) []Table {
	named := func(name string) *Table {
		i := slices.IndexFunc(tables, func(t Table) bool { return t.Name == name })
		if i < 0 {
			panic(fmt.Sprintf("the schema has no table %s: %.80q", name, statement))
		}
		return &tables[i]
	}
	switch {
	case noTable.MatchString(statement):
	case createTable.MatchString(statement):
		tables = append(tables, parseTable(statement))
	case addColumn.MatchString(statement):
		m := addColumn.FindStringSubmatch(statement)
		t := named(m[1])
		t.Columns = append(t.Columns, parseColumn(m[2]))
	case dropColumn.MatchString(statement):
		m := dropColumn.FindStringSubmatch(statement)
		t := named(m[1])
		t.Columns = slices.DeleteFunc(t.Columns, func(c Column) bool { return c.Name == m[2] })
	case renameTable.MatchString(statement):
		m := renameTable.FindStringSubmatch(statement)
		named(m[1]).Name = m[2]
	case dropTable.MatchString(statement):
		gone := named(dropTable.FindStringSubmatch(statement)[1]).Name
		tables = slices.DeleteFunc(tables, func(t Table) bool { return t.Name == gone })
	default:
		panic(fmt.Sprintf("this statement of the schema is of no known form: %.80q", statement))
	}
	return tables
}

func parseTable(statement string) Table {
	m := createTable.FindStringSubmatch(statement)
	t := Table{Name: m[1]}
	for line := range strings.Lines(m[2]) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ",")
		if line == "" {
			continue
		}
		if key := primaryKey.FindStringSubmatch(line); key != nil {
			t.Key = strings.Split(key[1], ", ")
			continue
		}
		t.Columns = append(t.Columns, parseColumn(line))
	}
	if len(t.Key) == 0 {
		panic(fmt.Sprintf("table %s has no primary key", t.Name))
	}
	return t
}

func parseColumn(line string) Column {
	m := columnLine.FindStringSubmatch(line)
	if m == nil {
		panic(fmt.Sprintf("this column of the schema is of no known form: %.80q", line))
	}
	kinds := map[string]ColumnKind{"{id}": IDColumn, "{bytes}": BytesColumn, "{text}": TextColumn, "TEXT": TextColumn}
	return Column{Name: m[1], Kind: cmp.Or(kinds[m[2]], NumberColumn)}
}
