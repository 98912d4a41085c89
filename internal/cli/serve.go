package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"signet/internal/app"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/systemd"
)

type serveCommand struct {
	serverSettings
	TakeOver   bool `help:"Take the place of the server that runs on the same data, without a gap; where none runs, start as usual."`
	ServeMoved bool `help:"Serve the old data of an installation that was moved to a database."`
}

func (serveCommand) Help() string {
	return `It needs no configuration and stores in ./data. The first start makes the operator account and writes its
key and secret to operator.json in that directory.

With standby_of it follows another server, and serves nobody before "signet promote".

SIGTERM and SIGINT stop it: new requests are refused, running ones finish, and it exits with 0. A second signal
ends it at once. SIGHUP makes it read its certificate and log.level again. SIGUSR2, or "signet upgrade", makes it
start its program anew, which may be a new version, and hand over to that one: no client is refused.

Under systemd it takes over sockets (FileDescriptorName=listen, redirect_listen, metrics.listen), says when it is
ready (Type=notify), and answers the watchdog for as long as its store answers.`
}

// Run serves until ctx ends. What is read by people says where the server listens, and
// where the operator's credentials are, on standard output; where the log is read by
// programs it says so in the log, and why it ended as well, so that all that the
// server writes is in one format.
func (s *serveCommand) Run(ctx context.Context, con *console) error {
	from := s.sources(con)
	settings := config.LogOf(from)
	level := new(slog.LevelVar)
	level.Set(settings.SlogLevel())
	log := newLogger(settings.Format, level, con.stderr)
	err := s.serve(ctx, con, from, log, level)
	if err == nil || settings.Format != "json" {
		return err
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		log.Error("the server ends", "error", line)
	}
	return told{err}
}

func (s *serveCommand) serve(ctx context.Context, con *console, from config.Sources, log *slog.Logger,
	level *slog.LevelVar) error {
	cfg, err := loadConfig(from)
	if err != nil {
		return err
	}
	if old := home.Moved(cfg); old != nil && !s.ServeMoved {
		return wrongConfiguration{old}
	} else if old != nil {
		log.Warn("this is old data, whose installation was moved: what is taken here is in no other place", "error", old)
	}
	notifier := systemd.NewNotifier(con.env.Variable)
	sockets, err := systemd.Sockets(con.env.Variable)
	if err != nil {
		return err
	}
	before := newFollowing(ctx, log)
	defer before.end()
	r := &reloading{from: from, log: log, level: level, settings: cfg.Effective()}
	life := app.Life{
		Sockets: sockets, Systemd: notifier, TakeOver: s.TakeOver, Program: con.startAnew(),
		Reload: r.reload, Opened: func(server *app.App) {
			before.end()
			if cfg.Log.Format != "json" {
				printAddresses(con, server)
			}
		},
	}
	// A service manager says so, also where there is nothing to reload. For somebody at a
	// terminal the signal means that it was closed, and the server ends.
	if cfg.TLS.Cert != "" || con.env.Variable("INVOCATION_ID") != "" {
		hangups := make(chan os.Signal, 1)
		signal.Notify(hangups, syscall.SIGHUP)
		defer signal.Stop(hangups)
		life.Reloads = hangups
	}
	serves, err := before.run(ctx, con, cfg, &life)
	if err != nil || !serves {
		return err
	}
	if err := app.LimitMemory(); err != nil {
		log.Warn("the limit of this container's memory is not known", "error", err)
	}
	if upgradeSignal != nil {
		upgrades := make(chan os.Signal, 1)
		signal.Notify(upgrades, upgradeSignal)
		defer signal.Stop(upgrades)
		life.Upgrades = upgrades
	}
	err = app.Live(ctx, cfg, log, life)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // told to stop before it had started
	}
	return err
}

// startAnew returns what prepares this command again, of the program as it is then in its place; nil
// where that could not outlast this process.
func (c *console) startAnew() func() *exec.Cmd {
	stdout, isFile := c.stdout.(*os.File)
	stderr, areFiles := c.stderr.(*os.File)
	path, err := exec.LookPath(os.Args[0])
	if err == nil {
		path, err = filepath.Abs(path) // and not where a link leads, which may lead elsewhere then
	}
	if !isFile || !areFiles || err != nil {
		return nil
	}
	return func() *exec.Cmd {
		command := exec.Command(path, c.args...)
		if !slices.Contains(c.args, takeOver) {
			command.Args = append(command.Args, takeOver)
		}
		command.Env = systemd.ForSuccessor(c.env)
		command.Stdout, command.Stderr = stdout, stderr
		return command
	}
}

// takeOver is the flag of a server that takes another one's place.
const takeOver = "--take-over"

// printStandby says where the other server of a pair connects.
func printStandby(con *console, addr net.Addr) {
	if addr != nil {
		con.printf("The other server of the pair connects to %s\n", addr)
	}
}

func printAddresses(con *console, server *app.App) {
	printStandby(con, server.StandbyAddr())
	if addr := server.RedirectAddr(); addr != nil {
		con.printf("Redirecting to HTTPS from %s\n", addr)
	}
	con.printf("Listening on %s, base URL %s\n", server.Addr(), server.BaseURL())
	if file := server.OperatorFile(); file != "" {
		con.printf("Operator credentials: %s\n", file)
	}
	if pages := server.Pages(); pages != "" {
		con.printf("Pages: %s\n", pages)
	}
	if link := server.FirstLink(); link != "" {
		con.printf("To set it up, open this in a browser on this machine. It works once, for an hour:\n  %s\n", link)
	}
}

// withhold keeps structs, lists and maps out of the log: they may hold anything. A type
// that may be logged has a text of its own.
func withhold(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindAny {
		return a
	}
	switch value := a.Value.Any().(type) {
	case error, fmt.Stringer, *slog.Source, nil:
		return a
	default:
		return slog.String(a.Key, fmt.Sprintf("(%T)", value))
	}
}

func newLogger(format string, level slog.Leveler, w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: withhold}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
