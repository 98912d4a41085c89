package main

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"signet/internal/testenv"
)

// asProgram makes the test binary be the program itself.
const asProgram = "SIGNET_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	testenv.Clear()
	os.Exit(m.Run())
}

// TestSignalsStopTheServer is the life of a server as a service manager sees it.
func TestSignalsStopTheServer(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(signal.String(), func(t *testing.T) {
			program, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "data")
			command := exec.CommandContext(t.Context(), program, "serve", "--listen", "127.0.0.1:0", "--data", dir)
			command.Env = []string{asProgram + "=1", "INVOCATION_ID=as-systemd-sets-it"} // nothing of whoever runs the tests
			var log bytes.Buffer
			command.Stderr = &log
			stdout, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(stdout)
			var first string
			for range 2 {
				if !lines.Scan() {
					t.Fatalf("the program ended: %v\n%s", command.Wait(), &log)
				}
				if first == "" {
					first = lines.Text()
				}
			}
			_, baseURL, found := strings.Cut(first, "base URL ")
			if !found {
				t.Fatalf("the first line is %q, want a base URL in it", first)
			}
			if err := command.Process.Signal(syscall.SIGHUP); err != nil { // as ExecReload of the service
				t.Fatal(err)
			}
			answer, err := http.Get(baseURL + "/healthz")
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				t.Errorf("/healthz answered %d, want 200", answer.StatusCode)
			}
			if err := command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := command.Wait(); err != nil {
				t.Errorf("%v, want exit code 0; it logged\n%s", err, &log)
			}
			for _, want := range []string{"level=INFO msg=starting version=", "level=INFO msg=ready address=",
				"level=INFO msg=stopped"} {
				if !strings.Contains(log.String(), want) {
					t.Errorf("the log lacks %q: %s", want, &log)
				}
			}
		})
	}
}
