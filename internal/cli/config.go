package cli

import "signet/internal/config"

// configCommands are about the configuration file.
type configCommands struct {
	Describe describeCommand `cmd:"" help:"Print every setting with its default and its meaning, as a configuration file."`
	Test     testCommand     `cmd:"" help:"Check a configuration file and the environment without starting anything."`
}

type describeCommand struct{}

// Run prints the settings.
func (describeCommand) Run(con *console) error { return config.Describe(con.stdout) }

type testCommand struct {
	File string `arg:"" optional:"" help:"Configuration file; without one, the file that SIGNET_CONFIG names, if any."`
}

// Run reports everything that would keep a server from starting with this
// configuration.
func (t *testCommand) Run(con *console) error {
	from := config.Sources{File: t.File, Environ: con.env}
	if _, err := config.Load(from); err != nil {
		return wrongConfiguration{err}
	}
	if path := from.Path(); path != "" {
		con.printf("%s: ok\n", path)
	} else {
		con.printf("no configuration file; the environment is ok\n")
	}
	return nil
}
