package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// tags are those of "make build" (docs/dependencies.md).
const tags = "-tags=nopgxregisterdefaulttypes"

// Build builds signet into a directory as "make build" does: static, stripped, and
// without the race detector, whose memory and speed say nothing of the program's. It
// returns the program's path. A package whose tests run the program imports
// internal/cli, so that "go test" sees that they depend on its code. Where
// SIGNET_TEST_PROGRAM names a program that was built so already, the path leads to that one.
func Build(dir string) (string, error) { return build(dir, "signet", "SIGNET_TEST_PROGRAM") }

// BuildOnPath is Build into a new directory, which it puts first on the PATH. The caller removes it.
func BuildOnPath() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "signet-built-"); err == nil {
		_, err = Build(dir)
	}
	if err == nil {
		err = os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	return dir, err
}

// BuildBench is Build for signet-bench, whose code is in internal/benchcli. The variable is
// SIGNET_TEST_BENCH.
func BuildBench(dir string) (string, error) { return build(dir, "signet-bench", "SIGNET_TEST_BENCH") }

func build(dir, program, variable string) (string, error) {
	path := filepath.Join(dir, program)
	if built := os.Getenv(variable); built != "" {
		return path, os.Symlink(built, path)
	}
	command := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", tags, "-o", path, "signet/cmd/"+program)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", program, err, output)
	}
	return path, nil
}
