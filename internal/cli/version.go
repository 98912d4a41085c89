package cli

import "signet/internal/build"

type versionCommand struct{}

func (versionCommand) Run(con *console) error {
	con.printf("%s\n", build.Line(program))
	return nil
}

func version() string {
	version, _ := build.Info()
	return version
}
