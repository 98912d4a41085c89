package store

import (
	"regexp"
	"slices"
	"testing"
)

// A table that Tables does not list is in no copy.
func TestTablesListsEveryTableOfTheSchema(t *testing.T) {
	var made []string
	for _, step := range migrations {
		for _, m := range regexp.MustCompile(`(?i)CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)`).FindAllStringSubmatch(step, -1) {
			made = append(made, m[1])
		}
		for _, m := range regexp.MustCompile(`(?i)DROP\s+TABLE\s+(\w+)`).FindAllStringSubmatch(step, -1) {
			made = slices.DeleteFunc(made, func(name string) bool { return name == m[1] })
		}
	}
	var listed []string
	for _, table := range Tables() {
		listed = append(listed, table.Name)
		if len(table.Columns) < len(table.Key) || len(table.Key) == 0 {
			t.Errorf("table %s has columns %v and key %v", table.Name, table.Columns, table.Key)
		}
		for _, name := range table.Key {
			if !slices.ContainsFunc(table.Columns, func(c Column) bool { return c.Name == name }) {
				t.Errorf("table %s has no column %s, which is in its key", table.Name, name)
			}
		}
	}
	if !slices.Equal(listed, made) || len(made) < 20 {
		t.Errorf("Tables lists %q, and the schema makes %q", listed, made)
	}
}

func TestTablesFollowsTheSteps(t *testing.T) {
	var tables []Table
	for _, statement := range statements(`CREATE TABLE a (
	one  {id} NOT NULL,
	two  TEXT NOT NULL,
	three BIGINT NOT NULL,
	PRIMARY KEY (one, two)
){table};
CREATE INDEX a_two ON a (two);
CREATE TABLE b (
	one {text} NOT NULL,
	PRIMARY KEY (one)
){table};
ALTER TABLE a ADD COLUMN four {bytes} NOT NULL DEFAULT '';
ALTER TABLE a DROP COLUMN three;
UPDATE a SET two = '';
DROP TABLE b;
`) {
		tables = applied(tables, statement)
	}
	if len(tables) != 1 || tables[0].Name != "a" || !slices.Equal(tables[0].Key, []string{"one", "two"}) ||
		!slices.Equal(tables[0].Columns, []Column{{"one", IDColumn}, {"two", TextColumn}, {"four", BytesColumn}}) {
		t.Errorf("got %+v", tables)
	}
	for _, strange := range []string{"ALTER TABLE a RENAME TO c", "CREATE VIEW a AS SELECT 1", "ALTER TABLE z ADD COLUMN x TEXT NOT NULL", "CREATE TABLE c (\n\tx REAL\n){table}"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was taken", strange)
				}
			}()
			applied(tables, strange)
		}()
	}
}
