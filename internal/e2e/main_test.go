package e2e

import (
	"fmt"
	"os"
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
		program, err = testenv.Build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// Pebble has no way to be stopped.
	pebble := goleak.IgnoreAnyFunction("github.com/letsencrypt/pebble/v2/va.VAImpl.processTasks")
	goleak.VerifyTestMain(m, pebble, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir) // it lies where the system cleans up
		os.Exit(code)
	}))
}
