package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build builds the program into a directory as "make build" does: static, stripped, and
// without the race detector, whose memory and speed say nothing of the program's. It
// returns the program's path. A package whose tests run the program imports
// internal/cli, so that "go test" sees that they depend on its code. Where
// SIGNET_TEST_PROGRAM names a program that was built so already, the path leads to that one.
func Build(dir string) (string, error) {
	path := filepath.Join(dir, "signet")
	if built := os.Getenv("SIGNET_TEST_PROGRAM"); built != "" {
		return path, os.Symlink(built, path)
	}
	command := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "signet/cmd/signet")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, output)
	}
	return path, nil
}
