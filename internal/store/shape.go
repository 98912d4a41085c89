package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ErrShape says that the tables are not those of their version.
var ErrShape = errors.New("the tables of the data are not those of its version")

// wantShape compares the tables, columns and indexes that are there with those of a
// schema. Tables and indexes of others are theirs.
func (tx *Tx) wantShape(schema Schema) error {
	columns, err := tx.columns()
	if err != nil {
		return fmt.Errorf("look at the tables: %w", err)
	}
	there := map[string]*index{}
	err = tx.each(tx.dialect.Indexes, nil, func(row Row) error {
		var name, table, column string
		err := row.Scan(&name, &table, &column)
		if there[name] == nil {
			there[name] = &index{name: name, table: table}
		}
		there[name].columns = append(there[name].columns, column)
		return err
	})
	if err != nil {
		return fmt.Errorf("look at the indexes: %w", err)
	}
	tables, indexes := schema.parse()
	if wrong := append(wrongTables(tables, columns), wrongIndexes(indexes, there)...); len(wrong) > 0 {
		return fmt.Errorf("%w, %d: %s. A build of the program between two releases made them, or somebody changed them: "+
			"nothing was changed; restore a backup, or make them as they should be (docs/operations.md, \"Tables that are not "+
			"those of their version\")",
			ErrShape, schema.Version(), strings.Join(wrong, ", "))
	}
	return nil
}

// columns returns the columns that are there, by table.
func (tx *Tx) columns() (map[string][]string, error) {
	columns := map[string][]string{}
	err := tx.each(tx.dialect.Columns, nil, func(row Row) error {
		var table, column string
		err := row.Scan(&table, &column)
		columns[table] = append(columns[table], column)
		return err
	})
	return columns, err
}

func wrongTables(tables []Table, there map[string][]string) (wrong []string) {
	for _, table := range tables {
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
func wrongIndexes(indexes []index, there map[string]*index) (wrong []string) {
	for _, want := range indexes {
		found := false
		for _, got := range there {
			found = found || got.table == want.table && slices.Equal(got.columns, want.columns)
		}
		if !found {
			wrong = append(wrong, fmt.Sprintf("index %s on %s (%s) is missing", want.name, want.table,
				strings.Join(want.columns, ", ")))
		}
	}
	return wrong
}
