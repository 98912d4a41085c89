package testenv

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Tool builds the program of a module of its own, which lies in a folder below a package, and returns its path in Go's
// cache. Such a program has dependencies that the module itself is not to have.
func Tool(ofPackage, folder, name string) (path string, err error) {
	dir, err := output(exec.Command("go", "list", "-f", "{{.Dir}}", ofPackage))
	if err != nil {
		return "", fmt.Errorf("find the module of the %s: %w", name, err)
	}
	command := exec.Command("go", "-C", dir+"/"+folder, "tool", "-n", name)
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if path, err = output(command); err != nil {
		return "", fmt.Errorf("build the %s: %w", name, err)
	}
	return path, nil
}

func output(command *exec.Cmd) (string, error) {
	text, err := command.Output()
	if told, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w\n%s", err, told.Stderr)
	}
	return strings.TrimSpace(string(text)), err
}
