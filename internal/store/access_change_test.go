package store

import (
	"go/ast"
	"regexp"
	"slices"
	"testing"
)

// losing is what may take access away: of keys, of places in organizations, and of rights. What
// only adds rows takes none.
var losing = regexp.MustCompile(`^(UPDATE|DELETE FROM) (keys|memberships) |^UPDATE accounts SET .*\bdisabled = |` +
	`^DELETE FROM accounts |^(INSERT INTO|DELETE FROM) organization_erasures `)

// untold are the functions with such statements that note nothing, and why.
var untold = map[string]string{
	"Tx.PutMembership":           "title and department open nothing, and a forged row becomes one that counts",
	"Tx.LabelKey":                "what people call a key opens nothing",
	"Tx.TouchKeys":               "a use ends nothing",
	"Tx.QueueNoticeOnce":         "which notices a key takes away is asked for in the transaction that does it",
	"Tx.NoteNoticed":             "likewise",
	"authorship.ForgetAuthor":    "who issued a key opens nothing",
	"erasure.endMembers":         "they are out since the organization ended, which was noted",
	"erasure.FinishAccount":      "it was closed before, which was noted",
	"erasure.FinishOrganization": "nothing is left of it",
}

// noting are the functions that note it.
var noting = []string{"NoteAccess", "NoteAccessOfAll", "noteAccessByKeys"}

// Whoever changes what may end somebody's access tells the servers, in the same transaction.
func TestWhatTakesAccessAwayIsNoted(t *testing.T) {
	told := map[string]bool{}
	losers := map[string]bool{}
	for _, directory := range slices.Concat([]string{"."}, rooms) {
		s := newSources(t, directory)
		for _, statement := range s.in(t, directory) {
			if losing.MatchString(statement.sql) {
				losers[named(directory, statement.by)] = true
			}
		}
		telling := slices.Clone(noting)
		for name, f := range s.given { // a part of those that call it
			if f.Body != nil && callsAny(f.Body, noting) {
				telling = append(telling, name)
			}
		}
		for name, f := range s.functions {
			told[named(directory, name)] = f.Body != nil && callsAny(f.Body, telling)
		}
	}
	if len(losers) < 10 {
		t.Errorf("only %d functions were found: %v", len(losers), losers)
	}
	for by := range losers {
		why, excused := untold[by]
		switch {
		case told[by] && excused:
			t.Errorf("%s notes what it does, and is excused: %s", by, why)
		case !told[by] && !excused:
			t.Errorf("%s may take access away, and no server hears of it: have it call one of %v, or say in untold why not", by,
				noting)
		}
	}
	for by := range untold {
		if !losers[by] {
			t.Errorf("%s need not be excused", by)
		}
	}
}

// callsAny reports whether a function calls one of some methods.
func callsAny(body *ast.BlockStmt, names []string) (calls bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			name, _, _ := calleeOf(call)
			calls = calls || slices.Contains(names, name)
		}
		return !calls
	})
	return calls
}
