package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) {
	testenv.Clear()
	dir, err := testenv.BuildOnPath()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// update writes again what the scripts compare with.
var update = flag.Bool("update", false, "write golden files again")

// TestScriptsAreReadToTheirEnds: testscript's own "stop" ends a script there and lets it
// pass; ours, which stops the server, is "halt".
func TestScriptsAreReadToTheirEnds(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("found %d scripts: %v", len(scripts), err)
	}
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		if regexp.MustCompile(`(?m)^stop\b`).Match(text) {
			t.Errorf("%s has a stop, behind which nothing is run: say halt", script)
		}
	}
}

// TestScripts runs the command lines in testdata against the program as it is built for
// people: each starts it anew, which would take four times as long with the race detector.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		// What each is to print is in the script; nothing is left unsaid.
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                scriptCommands,
		Setup:               prepareScript,
		UpdateScripts:       *update,
	})
}
