package store

import (
	"go/ast"
	"regexp"
	"slices"
	"testing"
)

// What takes something out of a queue, or ends what is in one, has to say so: streams
// take from memory what they know to be queued (Observe).
func TestWhatIsTakenOutOfQueuesIsTold(t *testing.T) {
	wantTold(t, `DELETE FROM (events|messages)\b|UPDATE messages SET (recalled|ends)`, "NoteWithdrawn", 6,
		"Tx.DeleteEventsAt",     // acknowledged: another stream of the account may still write it
		"Tx.ReplaceStatusEvent", // only messages are taken from memory
		"Tx.deleteUpdates",
		"Tx.supersede", "Tx.supersedeAbroad", "Tx.withdrawNotices",
	)
}

// What changes people has to say so: searches show them from memory.
func TestChangesOfPeopleAreTold(t *testing.T) {
	wantTold(t, `(UPDATE|DELETE FROM) (accounts|memberships)\b|INSERT INTO memberships\b`, "NotePeople", 10,
		"Tx.SetPassword", "Tx.ForgetPasswords", // which nobody is shown
	)
}

// wantTold checks that who runs a statement of a pattern calls a method, but for some. At
// least as many functions do.
func wantTold(t *testing.T, pattern, method string, least int, silent ...string) {
	t.Helper()
	changing := regexp.MustCompile(pattern)
	var found []string
	for _, directory := range slices.Concat([]string{"."}, rooms) {
		s := newSources(t, directory)
		for _, st := range s.in(t, directory) {
			by := named(directory, st.by)
			if changing.MatchString(st.sql) && !slices.Contains(silent, by) && !slices.Contains(found, by) {
				found = append(found, by)
				if !calls(s.functions[st.by], method) {
					t.Errorf("%s does not call %s, and changes what observers know: %.80s", by, method, st.sql)
				}
			}
		}
	}
	if len(found) < least {
		t.Errorf("found only %v", found)
	}
}

// calls reports whether a function calls one of this name.
func calls(f *ast.FuncDecl, name string) (found bool) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			selector, ok := call.Fun.(*ast.SelectorExpr)
			found = found || ok && selector.Sel.Name == name
		}
		return true
	})
	return found
}
