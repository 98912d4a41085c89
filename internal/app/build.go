package app

import "runtime/debug"

// Build returns what the Go toolchain took from the repository when it built the
// program: the version, which is the tag or a name that it made of the commit, and
// the commit. Where it could not tell they are "(devel)" and "unknown".
func Build() (version, commit string) {
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
