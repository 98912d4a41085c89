package store

import (
	"regexp"
	"strings"
	"testing"
)

// TestMigrationsOnlyAdd: servers of the version before go on running while a new one
// has migrated the database that they share. So a step adds tables, columns that have
// a default, and indexes; what an older server reads or writes neither goes nor
// changes. It may replace an index by another one. A step that does more says that no
// server of before may run beside it.
func TestMigrationsOnlyAdd(t *testing.T) {
	allowed := regexp.MustCompile(`^(CREATE TABLE |CREATE (UNIQUE )?INDEX |DROP INDEX |ALTER TABLE \w+ ADD COLUMN \w+ .*NOT NULL DEFAULT )`)
	unique := regexp.MustCompile(`^CREATE UNIQUE INDEX \w+ ON (\w+)`)
	for version, step := range migrations[1:] {
		if step.Alone {
			continue
		}
		for statement := range strings.SplitSeq(step.SQL, ";\n") {
			statement = strings.TrimSpace(statement)
			if statement == "" {
				continue
			}
			if !allowed.MatchString(statement) {
				t.Errorf("version %d: %q is nothing that servers of the version before can run with", version+2, statement)
			}
			// What older servers write must still be taken.
			if m := unique.FindStringSubmatch(statement); m != nil && !strings.Contains(step.SQL, "CREATE TABLE "+m[1]+" ") {
				t.Errorf("version %d: %q may refuse what servers of the version before write", version+2, statement)
			}
			if name, dropped := strings.CutPrefix(statement, "DROP INDEX "); dropped && !strings.Contains(step.SQL, "INDEX "+name+" ON") {
				t.Errorf("version %d: nothing takes the place of index %s", version+2, name)
			}
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
