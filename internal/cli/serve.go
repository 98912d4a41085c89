package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"signet/internal/app"
	"signet/internal/config"
	"signet/internal/home"
)

type serveCommand struct {
	serverSettings
	ServeMoved bool `help:"Serve the old data of an installation that was moved to a database."`
}

func (serveCommand) Help() string {
	return `It needs no configuration and stores in ./data. The first start makes the operator account and writes its
key and secret to operator.json in that directory.

SIGTERM and SIGINT stop it: new requests are refused, running ones finish, and it exits with 0. A second signal
ends it at once. SIGHUP makes it read its certificate again.`
}

// Run serves until ctx ends. What is read by people says where the server listens, and
// where the operator's credentials are, on standard output; where the log is read by
// programs it says so in the log, and why it ended as well, so that all that the
// server writes is in one format.
func (s *serveCommand) Run(ctx context.Context, con *console) error {
	from := s.sources(con)
	settings := config.LogOf(from)
	log := newLogger(settings, con.stderr)
	err := s.serve(ctx, con, from, log)
	if err == nil || settings.Format != "json" {
		return err
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		log.Error("the server ends", "error", line)
	}
	return told{err}
}

func (s *serveCommand) serve(ctx context.Context, con *console, from config.Sources, log *slog.Logger) error {
	cfg, err := loadConfig(from)
	if err != nil {
		return err
	}
	if old := home.Moved(cfg); old != nil && !s.ServeMoved {
		return wrongConfiguration{old}
	} else if old != nil {
		log.Warn("this is old data, whose installation was moved: what is taken here is in no other place", "error", old)
	}
	server, err := app.Open(ctx, cfg, log)
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return nil // told to stop before it had started
		}
		return err
	}
	// A service manager says so, also where there is nothing to reload. For somebody at a
	// terminal the signal means that it was closed, and the server ends.
	if cfg.TLS.Cert != "" || con.env.Variable("INVOCATION_ID") != "" {
		defer reloadOnHangup(server)()
	}
	if cfg.Log.Format != "json" {
		printAddresses(con, server)
	}
	if err := app.LimitMemory(); err != nil {
		log.Warn("the limit of this container's memory is not known", "error", err)
	}
	return server.Run(ctx)
}

func printAddresses(con *console, server *app.App) {
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

// reloadOnHangup makes SIGHUP mean that a certificate was replaced, as programs that
// renew certificates say it. It returns what ends that.
func reloadOnHangup(server *app.App) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	var watching sync.WaitGroup
	watching.Go(func() {
		for range hangups {
			server.Reload()
		}
	})
	return func() {
		signal.Stop(hangups)
		close(hangups)
		watching.Wait()
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

func newLogger(settings config.Log, w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: settings.SlogLevel(), ReplaceAttr: withhold}
	if settings.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
