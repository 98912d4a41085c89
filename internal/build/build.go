// Package build says which build a program is.
package build

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Info returns what the Go toolchain took from the repository when it built the
// program: the version, which is the tag or a name that it made of the commit, and
// the commit. Where it could not tell they are "(devel)" and "unknown".
func Info() (version, commit string) {
	version, commit = "(devel)", "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, commit
	}
	if info.Main.Version != "" {
		version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			commit = setting.Value
		case "vcs.modified":
			if setting.Value == "true" {
				commit += "+dirty"
			}
		}
	}
	return version, commit
}

// Line is what a program prints as its version: what it was built with and for, too.
func Line(program string) string {
	version, _ := Info()
	return fmt.Sprintf("%s %s %s %s/%s", program, version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
