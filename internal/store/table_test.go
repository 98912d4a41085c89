package store

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A table that Tables does not list is in no copy.
func TestTablesListsEveryTableOfTheSchema(t *testing.T) {
	var made []string
	change := regexp.MustCompile(`(?i)(?:CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+))|(?:DROP\s+TABLE\s+(\w+))|(?:(\w+)\s+RENAME\s+TO\s+(\w+))`)
	var steps strings.Builder
	for _, step := range migrations {
		steps.WriteString(step.SQL)
	}
	for _, m := range change.FindAllStringSubmatch(steps.String(), -1) {
		switch created, dropped, before, after := m[1], m[2], m[3], m[4]; {
		case created != "":
			made = append(made, created)
		case dropped != "":
			made = slices.DeleteFunc(made, func(name string) bool { return name == dropped })
		default:
			made[slices.Index(made, before)] = after
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
ALTER TABLE b RENAME TO c;
DROP TABLE c;
`) {
		tables = applied(tables, statement)
	}
	if len(tables) != 1 || tables[0].Name != "a" || !slices.Equal(tables[0].Key, []string{"one", "two"}) ||
		!slices.Equal(tables[0].Columns, []Column{{"one", IDColumn}, {"two", TextColumn}, {"four", BytesColumn}}) {
		t.Errorf("got %+v", tables)
	}
	for _, strange := range []string{"ALTER TABLE z RENAME TO c", "ALTER TABLE a RENAME COLUMN one TO uno", "CREATE VIEW a AS SELECT 1", "ALTER TABLE z ADD COLUMN x TEXT NOT NULL", "CREATE TABLE c (\n\tx REAL\n){table}"} {
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
