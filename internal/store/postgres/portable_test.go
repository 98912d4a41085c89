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
var unportable = regexp.MustCompile(`(?i)\b(SERIAL|BIGSERIAL|SEQUENCE|NEXTVAL|IDENTITY|AUTOINCREMENT|TRIGGER|LISTEN|NOTIFY|PG_NOTIFY|PG_ADVISORY\w*|LOCK\s+TABLE|FOREIGN\s+KEY|REFERENCES)\b`)

// statementText tells SQL from the other texts of the code.
var statementText = regexp.MustCompile(`\b(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|WITH|SET|BEGIN)\b`)

func TestTheSQLCanBeSpreadOverServers(t *testing.T) {
	statements := 0
	for _, directory := range []string{".", ".."} {
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
			ast.Inspect(parsed, func(n ast.Node) bool {
				literal, ok := n.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(literal.Value)
				if err != nil || !statementText.MatchString(text) {
					return true
				}
				statements++
				if word := unportable.FindString(text); word != "" {
					t.Errorf("%s: %s in %.200q", file, word, text)
				}
				return true
			})
		}
	}
	if statements < 100 {
		t.Errorf("only %d statements were looked at", statements)
	}
}
