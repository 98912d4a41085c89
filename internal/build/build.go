// Package build says which build a program is.
package build

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
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

// Time returns when the commit was made that the program was built of; the zero time where
// the toolchain could not tell.
func Time() time.Time {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return time.Time{}
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.time" {
			at, _ := time.Parse(time.RFC3339, setting.Value) // zero where it is no time
			return at
		}
	}
	return time.Time{}
}

// Line is what a program prints as its version: what it was built with and for, too.
func Line(program string) string {
	version, _ := Info()
	return fmt.Sprintf("%s %s %s %s/%s", program, version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
