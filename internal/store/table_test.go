package store

import (
	"slices"
	"strings"
	"testing"
)

// A table that Tables does not list is in no copy. That each has the columns that it has
// in a database, the shape check sees at every start.
func TestTablesListsEveryTableOfTheSchema(t *testing.T) {
	if made := strings.Count(strings.Join(statements(schemaSQL), "\n"), "CREATE TABLE"); made != len(tables) || made < 20 {
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
			table.column(name) // panics where there is none
		}
	}
}

func TestStatementsHaveNoComments(t *testing.T) {
	got := statements(`-- A row is a thing; it has a key.
CREATE TABLE a (
	one  {id} NOT NULL,    -- the first;
	two  TEXT NOT NULL,

	PRIMARY KEY (one, two)
){table};
CREATE INDEX a_two ON a (two, one) WHERE two = 1;
`)
	want := []string{"CREATE TABLE a (\n\tone  {id} NOT NULL,\n\ttwo  TEXT NOT NULL,\n\n\tPRIMARY KEY (one, " +
		"two)\n){table}", "CREATE INDEX a_two ON a (two, one) WHERE two = 1"}
	if !slices.Equal(got, want) {
		t.Fatalf("got %q", got)
	}
	tables, indexes := Schema{SQL: strings.Join(want, ";\n")}.parse()
	if len(tables) != 1 || tables[0].Name != "a" || !slices.Equal(tables[0].Key, []string{"one", "two"}) ||
		!slices.Equal(tables[0].Columns, []Column{{"one", IDColumn}, {"two", TextColumn}}) {
		t.Errorf("tables are %+v", tables)
	}
	if len(indexes) != 1 || indexes[0].name != "a_two" || indexes[0].table != "a" ||
		!slices.Equal(indexes[0].columns, []string{"two", "one"}) {
		t.Errorf("indexes are %+v", indexes)
	}
}
