package store

import (
	"strings"
	"testing"

	"signet/internal/store/schema"
)

// A table that Tables does not list is in no copy. That each has the columns that it has
// in a database, the shape check sees at every start.
func TestTablesListsEveryTableOfTheSchema(t *testing.T) {
	tables, indexes := Today().Parse()
	statements := strings.Join(schema.Statements(schemaSQL), "\n")
	if made := strings.Count(statements, "CREATE TABLE"); made != len(tables) || made < 20 {
		t.Errorf("the schema makes %d tables, and %d are listed", made, len(tables))
	}
	if made := strings.Count(schemaSQL, "INDEX"); made != len(indexes) {
		t.Errorf("the schema makes %d indexes, and %d are listed", made, len(indexes))
	}
	if tables[0].Name != "meta" {
		t.Errorf("the first table is %s, and not meta, which has to be there before a version is", tables[0].Name)
	}
	for _, table := range tables {
		if len(table.Key) == 0 {
			t.Errorf("table %s has no primary key", table.Name)
		}
		for _, name := range table.Key {
			table.Place(name) // panics where there is none
		}
	}
}
