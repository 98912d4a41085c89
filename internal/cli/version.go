package cli

import (
	"fmt"
	"runtime"

	"signet/internal/app"
)

type versionCommand struct{}

func (versionCommand) Run(con *console) error {
	con.printf("%s\n", versionLine())
	return nil
}

// versionLine is the version, and what the program was built with and for.
func versionLine() string {
	return fmt.Sprintf("signet %s %s %s/%s", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func version() string {
	version, _ := app.Build()
	return version
}
