package cli

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) {
	testscript.Main(withoutLeaks{m}, map[string]func(){"signet": signet})
}

// signet is the program of the scripts.
func signet() {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	release()
	os.Exit(code)
}

// withoutLeaks fails a run that leaves goroutines behind.
type withoutLeaks struct{ m *testing.M }

func (w withoutLeaks) Run() int {
	testenv.Clear()
	code := w.m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
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

// TestScripts runs the command lines in testdata against the program.
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
