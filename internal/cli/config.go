package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"signet/internal/config"
	"signet/internal/maintain"
)

type configCommands struct {
	Describe describeCommand   `cmd:"" help:"Print every setting with its default and its meaning, as a configuration file."`
	Show     showConfigCommand `cmd:"" help:"Print the settings in force, and where each was said."`
	Test     testCommand       `cmd:"" help:"Check a configuration file, the environment, and the files they name, without starting anything."`
}

type describeCommand struct{}

func (describeCommand) Run(con *console) error { return config.Describe(con.stdout) }

type showConfigCommand struct {
	serverSettings
	JSON bool `name:"json" help:"Print JSON, an array of settings."`
}

func (showConfigCommand) Help() string {
	return `It takes the configuration file, the environment and the flags as "signet serve" does. Passwords in
addresses are hidden.`
}

func (s *showConfigCommand) Run(con *console) error {
	all, err := config.Show(s.sources(con))
	if err != nil {
		return wrongConfiguration{err}
	}
	if s.JSON {
		return con.json(all)
	}
	lines := make([]string, len(all))
	for i, e := range all {
		lines[i] = cells(e.Key, cmp.Or(e.Value, `""`), e.Source)
	}
	return con.lines(lines...)
}

type testCommand struct {
	File string `arg:"" optional:"" help:"Configuration file; without one, the file that SIGNET_CONFIG names, if any."`
}

// Run reports everything that would keep a server from starting with this
// configuration, as far as this machine knows, and what has no effect.
func (t *testCommand) Run(ctx context.Context, con *console) error {
	from := config.Sources{File: t.File, Environ: con.env}
	cfg, err := loadConfig(from)
	if err != nil {
		return err
	}
	problems, warnings := maintain.CheckSettings(ctx, cfg, con.variable)
	for _, text := range warnings {
		fmt.Fprintf(con.stderr, "signet: warning: %s\n", text)
	}
	if err := errors.Join(problems...); err != nil {
		return wrongConfiguration{err}
	}
	if path := from.Path(); path != "" {
		con.printf("%s: ok\n", path)
	} else {
		con.printf("no configuration file; the environment is ok\n")
	}
	return nil
}
