package store

import (
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"
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

// raising are the functions with which accounts get other numbers. NoteAccessOfAll is none of them:
// where each account has a number of its own, all keep it.
var raising = []string{"RaiseAccess", "NoteAccess", "noteAccessByKeys"}

// unraised are the functions with such statements that leave the numbers as they are: those that
// are not told, but for the members of an organization that ended, which no row tells afterwards.
var unraised = func() map[string]string {
	out := maps.Clone(untold)
	delete(out, "erasure.endMembers")
	out["erasure.EndOrganization"] = "whoever relies on a number asks which organizations have ended, too (AskEnded)"
	return out
}()

// Whoever changes what may end somebody's access tells the servers, and replaces the numbers of
// those whose it is, in the same transaction.
func TestWhatTakesAccessAwayIsNoted(t *testing.T) {
	wantCalls(t, noting, untold)
	wantCalls(t, raising, unraised)
}

// What notes it replaces the number: it is one call.
func TestWhatIsNotedReplacesNumbers(t *testing.T) {
	noted := 0
	for _, directory := range slices.Concat([]string{"."}, rooms) {
		s := newSources(t, directory)
		for _, statement := range s.in(t, directory) {
			if !strings.HasPrefix(statement.sql, "INSERT INTO access_changes ") {
				continue
			}
			noted++
			if by := s.functions[statement.by]; by == nil || !callsAny(by.Body, []string{"RaiseAccess"}) {
				t.Errorf("%s notes a change, and leaves the numbers as they are", named(directory, statement.by))
			}
		}
	}
	if noted == 0 {
		t.Error("nothing notes a change")
	}
}

// wantCalls checks that what may take access away calls one of some functions, or is excused.
func wantCalls(t *testing.T, wanted []string, excuses map[string]string) {
	t.Helper()
	calls := map[string]bool{}
	losers := map[string]bool{}
	for _, directory := range slices.Concat([]string{"."}, rooms) {
		s := newSources(t, directory)
		for _, statement := range s.in(t, directory) {
			if losing.MatchString(statement.sql) {
				losers[named(directory, statement.by)] = true
			}
		}
		calling := slices.Clone(wanted)
		for name, f := range s.given { // a part of those that call it
			if f.Body != nil && callsAny(f.Body, wanted) {
				calling = append(calling, name)
			}
		}
		for name, f := range s.functions {
			calls[named(directory, name)] = f.Body != nil && callsAny(f.Body, calling)
		}
	}
	if len(losers) < 10 {
		t.Errorf("only %d functions were found: %v", len(losers), losers)
	}
	for by := range losers {
		why, excused := excuses[by]
		switch {
		case calls[by] && excused:
			t.Errorf("%s calls one of %v, and is excused: %s", by, wanted, why)
		case !calls[by] && !excused:
			t.Errorf("%s may take access away, and nobody hears of it: have it call one of %v, or say in untold why not", by,
				wanted)
		}
	}
	for by := range excuses {
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
