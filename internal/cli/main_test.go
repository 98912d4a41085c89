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

// TestMain stands for the program where it is called by its name: signet bench starts
// itself again, as the floor and as a server.
func TestMain(m *testing.M) {
	if os.Args[0] == "signet" {
		ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		code := Run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
		release()
		os.Exit(code)
	}
	testenv.Clear()
	dir, err := os.MkdirTemp("", "signet-cli-")
	if err == nil {
		_, err = testenv.Build(dir)
	}
	if err == nil {
		err = os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
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
