package store

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"signet/internal/store/schema"
)

// onlyAdds is an error where servers of the version before cannot go on running once the
// step is made. So it adds tables, columns that have a default, and indexes; what an older
// server reads or writes neither goes nor changes. It may replace an index by another one.
// One that is a contract removes tables, columns and indexes, and does nothing else.
func onlyAdds(step schema.Migration) error {
	allowed := regexp.MustCompile(
		`^(CREATE TABLE |CREATE (UNIQUE )?INDEX |DROP INDEX |ALTER TABLE \w+ ADD COLUMN \w+ .*NOT NULL DEFAULT )`)
	if step.Contract {
		allowed = regexp.MustCompile(`^(DROP TABLE \w+|DROP INDEX \w+|ALTER TABLE \w+ DROP COLUMN \w+)$`)
	}
	unique := regexp.MustCompile(`^CREATE UNIQUE INDEX \w+ ON (\w+)`)
	for _, statement := range schema.Statements(step.SQL) {
		if !allowed.MatchString(statement) {
			return fmt.Errorf("%q is nothing that servers of the version before can run with", statement)
		}
		// What older servers write must still be taken.
		if m := unique.FindStringSubmatch(statement); m != nil && !strings.Contains(step.SQL, "CREATE TABLE "+m[1]+" ") {
			return fmt.Errorf("%q may refuse what servers of the version before write", statement)
		}
		if name, dropped := strings.CutPrefix(statement, "DROP INDEX "); dropped && !step.Contract &&
			!strings.Contains(step.SQL, "INDEX "+name+" ON") {
			return fmt.Errorf("nothing takes the place of index %s", name)
		}
	}
	return nil
}

// TestMigrationsOnlyAdd: servers of the version before go on running while a new one has
// changed the database that they share. A step that does more says that no server of the
// version before may run beside it, or that none uses any more what it removes.
func TestMigrationsOnlyAdd(t *testing.T) {
	for i, step := range Today().Steps {
		if err := onlyAdds(step); err != nil && !step.Alone {
			t.Errorf("version %d: %v", i+2, err)
		}
	}
	const table = "CREATE TABLE a (\n\tone TEXT NOT NULL,\n\tPRIMARY KEY (one)\n){table};\n"
	for _, sql := range []string{
		table, table + "CREATE UNIQUE INDEX a_one ON a (one);\n",
		"ALTER TABLE nodes ADD COLUMN rack TEXT NOT NULL DEFAULT '';\n",
		"DROP INDEX messages_ends;\nCREATE INDEX messages_ends ON messages (ends);\n",
	} {
		if err := onlyAdds(schema.Migration{SQL: sql}); err != nil {
			t.Errorf("%q: %v", sql, err)
		}
	}
	for _, sql := range []string{
		"DROP TABLE nodes;\n", "ALTER TABLE nodes ADD COLUMN rack TEXT NOT NULL;\n", "ALTER TABLE nodes DROP COLUMN name;\n",
		"ALTER TABLE nodes RENAME TO servers;\n", "UPDATE nodes SET name = '';\n", "DROP INDEX messages_ends;\n",
		"CREATE UNIQUE INDEX nodes_name ON nodes (name);\n",
	} {
		if onlyAdds(schema.Migration{SQL: sql}) == nil {
			t.Errorf("%q is taken", sql)
		}
	}
	for _, sql := range []string{"DROP TABLE nodes;\n", "ALTER TABLE nodes DROP COLUMN name;\n",
		"DROP INDEX messages_ends;\n"} {
		if err := onlyAdds(schema.Migration{SQL: sql, Contract: true}); err != nil {
			t.Errorf("%q: %v", sql, err)
		}
	}
	for _, sql := range []string{"UPDATE nodes SET name = '';\n", "ALTER TABLE nodes RENAME TO servers;\n", table} {
		if onlyAdds(schema.Migration{SQL: sql, Contract: true}) == nil {
			t.Errorf("%q is taken as a contract", sql)
		}
	}
}

// TestStatementsNameTheirColumns: a column that a newer server added must not get into
// what an older one reads, nor be missing in what it inserts.
func TestStatementsNameTheirColumns(t *testing.T) {
	everything := regexp.MustCompile(`SELECT \*|\w\.\*|INSERT INTO \w+ (VALUES|SELECT)`)
	for _, s := range statementsIn(t, ".") {
		if all := everything.FindString(s.sql); all != "" {
			t.Errorf("%s: %q depends on which columns there are", s.by, all)
		}
	}
}
