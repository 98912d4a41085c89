package webtest

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"

	// The program is built and run, not imported. This makes "go test" see that
	// these tests depend on its code, and not answer from its cache.
	_ "signet/internal/cli"

	"signet/internal/testenv"
)

// moduleRoot is where the project is from here.
const moduleRoot = ".."

// program is the path of the server under test.
var program string

func TestMain(m *testing.M) {
	testenv.Clear()
	dir, err := os.MkdirTemp("", "signet-webtest-")
	if err == nil {
		err = compile()
	}
	if err == nil {
		program, err = testenv.Build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir) // it lies where the system cleans up
		os.Exit(code)
	}))
}

// compile makes the pages, where they are not up to date.
func compile() error {
	command := exec.Command("make", "--no-print-directory", "-s", "-C", moduleRoot, "pages")
	output, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("make pages: %w\n%s", err, output)
	}
	return nil
}
