package cli

import "signet/internal/build"

type versionCommand struct{}

func (versionCommand) Run(con *console) error {
	if con.asJSON {
		version, commit := build.Info()
		return con.json(map[string]string{"version": version, "commit": commit})
	}
	con.printf("%s\n", build.Line(program))
	return nil
}

func version() string {
	version, _ := build.Info()
	return version
}
