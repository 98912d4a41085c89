package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/alecthomas/kong"

	"signet/internal/app"
	"signet/internal/config"
)

// serveCommand runs a server until its context ends.
type serveCommand struct {
	File     string       `name:"config" placeholder:"FILE" help:"Configuration file [SIGNET_CONFIG]."`
	Settings kong.Plugins `embed:""`
}

// Help is printed by "signet serve --help".
func (serveCommand) Help() string {
	return `It needs no configuration and stores in ./data. The first start makes the operator account and writes its key and secret to operator.json in that directory.

SIGTERM and SIGINT stop it: new requests are refused, running ones finish, and it exits with 0. A second signal ends it at once. SIGHUP makes it read its certificate anew.`
}

// Run prints where the server listens and where the operator's credentials are,
// and then logs only.
func (s *serveCommand) Run(ctx context.Context, con *console) error {
	cfg, err := config.Load(config.Sources{File: s.File, Environ: con.env, Flags: settingTexts(s.Settings)})
	if err != nil {
		return wrongConfiguration{err}
	}
	server, err := app.Open(ctx, cfg, newLogger(cfg.Log, con.stderr))
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return nil // told to stop before it had started
		}
		return err
	}
	if cfg.TLS.Cert != "" {
		defer reloadOnHangup(server)()
	}
	if addr := server.RedirectAddr(); addr != nil {
		con.printf("Redirecting to HTTPS from %s\n", addr)
	}
	con.printf("Listening on %s, base URL %s\n", server.Addr(), server.BaseURL())
	if file := server.OperatorFile(); file != "" {
		con.printf("Operator credentials: %s\n", file)
	}
	defer collectSeldom()()
	return server.Run(ctx)
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

// withhold keeps values out of the log that nobody made for it: of a struct, a list or
// a map there is no telling what it holds. The types that may be logged have a text of
// their own.
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
