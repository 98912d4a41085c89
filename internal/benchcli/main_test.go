package benchcli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"signet/internal/cli"
	"signet/internal/testenv"
)

// TestMain stands for the program where that starts itself again, as the floor. It puts
// the server that is measured on the PATH.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "floor-server" {
		ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		code := Run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
		release()
		os.Exit(code)
	}
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

// TestScripts runs the command lines in testdata.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){program: runScript},
		UpdateScripts:       *update,
	})
}

// runScript carries out a command line.
func runScript(ts *testscript.TestScript, neg bool, args []string) {
	if code := Run(context.Background(), args, nil, ts.Stdout(), ts.Stderr()); neg && code != exitWrong ||
		!neg && code != exitDone {
		ts.Fatalf("%q: exit code %d", args, code)
	}
}

// run carries out a command line.
func run(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, problems bytes.Buffer
	code = Run(t.Context(), args, env, &out, &problems)
	return code, out.String(), problems.String()
}

// mustServe starts a server and returns its data directory.
func mustServe(t *testing.T, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	ctx, stop := context.WithCancel(context.Background())
	r, w := io.Pipe()
	var log bytes.Buffer
	code := make(chan int, 1)
	go func() {
		result := cli.Run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0", "--data", dir}, args...), nil, w, &log)
		w.Close()
		code <- result
	}()
	end := sync.OnceValue(func() int { stop(); return <-code })
	t.Cleanup(func() { end() })
	for out, told := bufio.NewScanner(r), 0; told < 2; told++ {
		if !out.Scan() {
			t.Fatalf("the server ended with %d:\n%s", end(), &log)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	return dir
}

func mustReadOperator(t *testing.T, dir string) (fields struct{ Base_URL, API_Key, API_Secret string }) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "operator.json"))
	if err == nil {
		err = json.Unmarshal(content, &fields)
	}
	if err != nil {
		t.Fatal(err)
	}
	return fields
}
