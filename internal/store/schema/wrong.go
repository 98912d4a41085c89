package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Wrong says which parts of the schema a database lacks or has too many of, given its columns,
// by table, and its indexes, by name. Tables and indexes of others are theirs.
func (s Schema) Wrong(columns map[string][]string, indexes map[string]*Index) []string {
	tables, wanted := s.Parse()
	return append(wrongTables(tables, columns), wrongIndexes(wanted, indexes)...)
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
func wrongIndexes(indexes []Index, there map[string]*Index) (wrong []string) {
	for _, want := range indexes {
		found := false
		for _, got := range there {
			found = found || got.Table == want.Table && slices.Equal(got.Columns, want.Columns)
		}
		if !found {
			wrong = append(wrong, fmt.Sprintf("index %s on %s (%s) is missing", want.Name, want.Table,
				strings.Join(want.Columns, ", ")))
		}
	}
	return wrong
}
