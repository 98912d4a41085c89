package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(con *console) error {
	con.printf("%s\n", versionLine())
	return nil
}

// versionLine is the version, and what the program was built with and for.
func versionLine() string {
	return fmt.Sprintf("signet %s %s %s/%s", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version is what the Go toolchain took from the repository at build time: the
// tag, or the commit, or "(devel)" where it could not tell.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
