package schema

import (
	"slices"
	"strings"
	"testing"
)

func TestStatementsHaveNoComments(t *testing.T) {
	got := Statements(`-- A row is a thing; it has a key.
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
	tables, indexes := Schema{SQL: strings.Join(want, ";\n")}.Parse()
	if len(tables) != 1 || tables[0].Name != "a" || !slices.Equal(tables[0].Key, []string{"one", "two"}) ||
		!slices.Equal(tables[0].Columns, []Column{{"one", IDColumn}, {"two", TextColumn}}) {
		t.Errorf("tables are %+v", tables)
	}
	if len(indexes) != 1 || indexes[0].Name != "a_two" || indexes[0].Table != "a" ||
		!slices.Equal(indexes[0].Columns, []string{"two", "one"}) {
		t.Errorf("indexes are %+v", indexes)
	}
}
