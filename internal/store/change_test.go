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
	taking := regexp.MustCompile(`DELETE FROM (events|messages)\b|UPDATE messages SET (recalled|ends)`)
	silent := []string{
		"Tx.DeleteEventsAt",     // acknowledged: another stream of the account may still write it
		"Tx.ReplaceStatusEvent", // only messages are taken from memory
		"Tx.deleteUpdates",
		"Tx.supersede", "Tx.supersedeAbroad", "Tx.withdrawNotices",
	}
	var found []string
	for _, directory := range slices.Concat([]string{"."}, rooms) {
		s := newSources(t, directory)
		for _, st := range s.in(t, directory) {
			by := named(directory, st.by)
			if taking.MatchString(st.sql) && !slices.Contains(silent, by) && !slices.Contains(found, by) {
				found = append(found, by)
				if !calls(s.functions[st.by], "NoteWithdrawn") {
					t.Errorf("%s does not tell that it takes something out of queues: %.80s", by, st.sql)
				}
			}
		}
	}
	if len(found) < 6 {
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
