package postgres

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// unportable is what tables that are spread over several servers cannot have, or
// what a pooler that hands out servers by the transaction breaks.
var unportable = regexp.MustCompile(
	`(?i)\b((SMALL|BIG)?SERIAL|SEQUENCE|NEXTVAL|CURRVAL|SETVAL|LASTVAL|IDENTITY|AUTOINCREMENT|TRIGGER|RULE|FUNCTION|PROCEDURE|` +
		`LISTEN|UNLISTEN|NOTIFY|PG_NOTIFY|PG_(TRY_)?ADVISORY\w*|LOCK\s+TABLE|FOREIGN\s+KEY|REFERENCES|EXCLUDE|INHERITS|UNLOGGED|TEMP|TEMPORARY|` +
		`DECLARE|WITH\s+HOLD|PREPARE|SET\s+SESSION|CTID|XMIN|OIDS?)\b`)

// ofTheCatalogue are the columns by which tables of PostgreSQL's own catalogue are joined.
var ofTheCatalogue = regexp.MustCompile(`\b[a-z]\.oid\b`)

// statementText tells SQL, and parts of it, from the other texts of the code.
var statementText = regexp.MustCompile(
	`\b(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|SET|BEGIN|WHERE|AND|ORDER BY|FROM|VACUUM|LOCK)\b|[=<>] \?|^\s*[A-Z]{4,}\b`)

func TestTheSQLCanBeSpreadOverServers(t *testing.T) {
	// The last is a database of its own, for which a pooler may stand as well. The bus between
	// servers (live/pgbus) is left out: it is made of notifications, and goes without where
	// there are none.
	for directory, least := range map[string]int{".": 10, "..": 100, "../auditlog": 10, "../authorship": 3,
		"../erasure": 30, "../legalhold": 8, "../metadata": 5, "../overview": 10, "../piecework": 10, "../presence": 10,
		"../quota": 5, "../sealing": 5, "../searchindex": 5, "../series": 8, "../threads": 5, "../../seal/pgring": 10} {
		statements := 0
		for file, text := range literalsIn(t, directory) {
			if !statementText.MatchString(text) {
				continue
			}
			statements++
			// The catalogue, whose tables have them, is each server's own.
			text = ofTheCatalogue.ReplaceAllString(text, "")
			if word := unportable.FindString(text); word != "" {
				t.Errorf("%s: %s in %.200q", file, word, text)
			}
		}
		if statements < least {
			t.Errorf("%s: only %d statements were looked at", directory, statements)
		}
	}
}

// literalsIn yields the texts in the sources of a directory, each with its file.
func literalsIn(t *testing.T, directory string) func(func(string, string) bool) {
	return func(yield func(string, string) bool) {
		files, err := filepath.Glob(filepath.Join(directory, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			more := true
			ast.Inspect(parsed, func(n ast.Node) bool {
				literal, ok := n.(*ast.BasicLit)
				if !more || !ok || literal.Kind != token.STRING {
					return more
				}
				if text, err := strconv.Unquote(literal.Value); err == nil {
					more = yield(file, text)
				}
				return more
			})
			if !more {
				return
			}
		}
	}
}

func TestWhatCannotBeSpreadIsFound(t *testing.T) {
	for _, sql := range []string{
		"CREATE SEQUENCE positions",
		"CREATE TABLE t (id BIGSERIAL PRIMARY KEY)",
		"CREATE TABLE t (id BIGINT GENERATED ALWAYS AS IDENTITY)",
		"SELECT nextval('positions')",
		"CREATE TRIGGER t AFTER INSERT ON events EXECUTE FUNCTION f()",
		"LISTEN events", "SELECT pg_notify('events', ?)",
		"SELECT pg_advisory_xact_lock(?)", "SELECT pg_try_advisory_lock(?)",
		"CREATE TABLE t (account BYTEA REFERENCES accounts)",
		"LOCK TABLE events IN EXCLUSIVE MODE",
		"CREATE TEMP TABLE t (a INTEGER)",
		"DELETE FROM t WHERE ctid IN (SELECT ctid FROM t LIMIT 5)",
	} {
		if !statementText.MatchString(sql) || !unportable.MatchString(sql) {
			t.Errorf("%q would go unnoticed", sql)
		}
	}
	for _, sql := range []string{
		"SELECT 1 FROM groups WHERE group_token = ? FOR UPDATE SKIP LOCKED",
		"INSERT INTO keys (api_key) VALUES (?) ON CONFLICT (api_key) DO NOTHING",
	} {
		if word := unportable.FindString(sql); word != "" {
			t.Errorf("%q is refused for %s", sql, word)
		}
	}
}
