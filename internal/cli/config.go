package cli

import (
	"cmp"
	"context"
	"errors"

	"signet/client"
	"signet/internal/config"
	"signet/internal/offline"
)

type configCommands struct {
	Describe describeCommand   `cmd:"" help:"Print every setting with its default and its meaning, as a configuration file."`
	Show     showConfigCommand `cmd:"" help:"Print the settings in force, and where each one comes from."`
	Test     testCommand       `cmd:"" help:"Check a configuration file, the environment, and the files they name, without starting anything."`
}

type describeCommand struct {
	Commented bool              `help:"Put a comment sign before each setting, so that the file changes nothing."`
	Given     map[string]string `arg:"" optional:"" name:"setting" help:"With --commented: settings that are in force nevertheless, as KEY=VALUE."`
}

func (describeCommand) Help() string {
	return `The packages have such a file in /etc/signet. Example:

  signet config describe --commented data=/var/lib/signet`
}

func (d *describeCommand) Run(con *console) error {
	if d.Commented {
		if err := config.DescribeCommented(con.stdout, d.Given); err != nil {
			return wrongConfiguration{err}
		}
		return nil
	}
	if len(d.Given) > 0 {
		return wrongConfiguration{errors.New("settings go with --commented")}
	}
	return config.Describe(con.stdout)
}

type showConfigCommand struct {
	serverSettings
	Server bool `help:"Ask the running server for its settings."`
}

func (showConfigCommand) Help() string {
	return `It reads the configuration file, the environment and the flags as "signet serve" does. Passwords in
addresses are hidden.

With --server it asks the running server, which may have been started with other settings: as the operator of
the server whose data directory the settings name, or with SIGNET_API_KEY and SIGNET_API_SECRET at SIGNET_URL.

Example:

  signet config show --server --data /var/lib/signet`
}

func (s *showConfigCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	if s.Server {
		return s.ask(ctx, con, cfg)
	}
	return showSettings(con, cfg.Effective(), func(e config.Effective) string {
		return cells(e.Key, cmp.Or(e.Value, `""`), cmp.Or(e.Origin, string(e.Source)))
	})
}

// ask shows the settings of the server that runs.
func (s *showConfigCommand) ask(ctx context.Context, con *console, cfg *config.Config) error {
	c, err := accessTo(cfg.Data).ProvideClient(con)
	if err != nil {
		return err
	}
	all, err := c.Settings(ctx)
	if err != nil {
		return err
	}
	return showSettings(con, all, func(e client.ServerSetting) string {
		return cells(e.Key, cmp.Or(e.Value, `""`), cmp.Or(e.Origin, e.Source))
	})
}

func showSettings[T any](con *console, all []T, line func(T) string) error {
	return table(con, all, nil, "", line)
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
	problems, warnings := offline.CheckSettings(ctx, cfg, con.env.Variable)
	for _, text := range warnings {
		con.note("warning: %s", text)
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
