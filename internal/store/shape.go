package store

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// index is an index of the schema.
type index struct {
	name, table string
	columns     []string
}

var (
	createIndex = regexp.MustCompile(`^CREATE (?:UNIQUE )?INDEX (\w+) ON (\w+) \(([\w, ]+)\)`)
	dropIndex   = regexp.MustCompile(`^DROP INDEX (\w+)$`)
)

// indexesAfter lists the indexes that steps of the migrations leave.
func indexesAfter(steps []Migration) []index {
	var out []index
	for _, step := range steps {
		for _, statement := range statements(step.SQL) {
			if m := createIndex.FindStringSubmatch(statement); m != nil {
				out = append(out, index{m[1], m[2], strings.Split(m[3], ", ")})
			} else if m := dropIndex.FindStringSubmatch(statement); m != nil {
				out = slices.DeleteFunc(out, func(i index) bool { return i.name == m[1] })
			} else if m := dropTable.FindStringSubmatch(statement); m != nil {
				out = slices.DeleteFunc(out, func(i index) bool { return i.table == m[1] })
			} else if m := renameTable.FindStringSubmatch(statement); m != nil {
				for i := range out {
					if out[i].table == m[1] {
						out[i].table = m[2]
					}
				}
			}
		}
	}
	return out
}

// ErrShape says that the tables are not those that their version makes.
var ErrShape = errors.New("the tables of the data are not those of its version")

// wantShape compares the tables, columns and indexes that are there with those that the
// steps to its version make. Tables and indexes of others are theirs.
func (tx *Tx) wantShape(steps []Migration) error {
	columns := map[string][]string{}
	err := tx.each(tx.dialect.Columns, nil, func(row Row) error {
		var table, column string
		err := row.Scan(&table, &column)
		columns[table] = append(columns[table], column)
		return err
	})
	if err != nil {
		return fmt.Errorf("look at the tables: %w", err)
	}
	indexes := map[string]*index{}
	err = tx.each(tx.dialect.Indexes, nil, func(row Row) error {
		var name, table, column string
		err := row.Scan(&name, &table, &column)
		if indexes[name] == nil {
			indexes[name] = &index{name: name, table: table}
		}
		indexes[name].columns = append(indexes[name].columns, column)
		return err
	})
	if err != nil {
		return fmt.Errorf("look at the indexes: %w", err)
	}
	if wrong := append(wrongTables(steps, columns), wrongIndexes(steps, indexes)...); len(wrong) > 0 {
		return fmt.Errorf("%w, %d: %s. A build of the program between two releases made them, or somebody changed them: nothing was changed; restore a backup, or make them as they should be (docs/operations.md, \"Tables that are not those of their version\")",
			ErrShape, len(steps), strings.Join(wrong, ", "))
	}
	return nil
}

func wrongTables(steps []Migration, there map[string][]string) (wrong []string) {
	for _, table := range tablesAfter(steps) {
		got, found := there[table.Name]
		if !found {
			wrong = append(wrong, "table "+table.Name+" is missing")
			continue
		}
		want := map[string]bool{}
		for _, column := range table.Columns {
			want[column.Name] = true
		}
		for _, name := range got {
			if !want[name] {
				wrong = append(wrong, "column "+table.Name+"."+name+" is too many")
			}
			delete(want, name)
		}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			wrong = append(wrong, "column "+table.Name+"."+name+" is missing")
		}
	}
	return wrong
}

// wrongIndexes looks for each index by what it is on: its name is nobody's promise.
func wrongIndexes(steps []Migration, there map[string]*index) (wrong []string) {
	for _, want := range indexesAfter(steps) {
		found := false
		for _, got := range there {
			found = found || got.table == want.table && slices.Equal(got.columns, want.columns)
		}
		if !found {
			wrong = append(wrong, fmt.Sprintf("index %s on %s (%s) is missing", want.name, want.table, strings.Join(want.columns, ", ")))
		}
	}
	return wrong
}
