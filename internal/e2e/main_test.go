package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	// The program is built and run, not imported. This makes "go test" see that
	// these tests depend on its code, and not answer from its cache.
	_ "signet/internal/cli"

	"signet/internal/testenv"
)

// program is the path of the binary under test.
var program string

func TestMain(m *testing.M) {
	if os.Getenv(asCurl) != "" {
		os.Exit(curl(os.Args[1:], os.Stdout, os.Stderr))
	}
	testenv.Clear()
	dir, err := os.MkdirTemp("", "signet-e2e-")
	if err == nil {
		program, err = build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build the program:", err)
		os.Exit(1)
	}
	// Pebble has no way to be stopped.
	pebble := goleak.IgnoreAnyFunction("github.com/letsencrypt/pebble/v2/va.VAImpl.processTasks")
	goleak.VerifyTestMain(m, pebble, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir) // it lies where the system cleans up
		os.Exit(code)
	}))
}

// build makes the binary as "make build" does: static, and without the race
// detector, whose memory and speed say nothing of the program's.
func build(dir string) (string, error) {
	path := filepath.Join(dir, "signet")
	command := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "signet/cmd/signet")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, output)
	}
	return path, nil
}
