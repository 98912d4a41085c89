package cli

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"signet/internal/app"
	"signet/internal/config"
	"signet/internal/standby"
	"signet/internal/succession"
)

// following is the time of a server as a standby, and what systemd hears of it.
type following struct {
	log     *slog.Logger
	hears   context.Context // ends when systemd hears of the server, or it stops
	stop    context.CancelFunc
	telling sync.WaitGroup
}

func newFollowing(ctx context.Context, log *slog.Logger) *following {
	f := &following{log: log}
	f.hears, f.stop = context.WithCancel(ctx)
	return f
}

// end ends what systemd is told. It may be called twice.
func (f *following) end() {
	f.stop()
	f.telling.Wait()
}

func (f *following) tell(err error) {
	if err != nil {
		f.log.Warn("systemd does not hear", "error", err)
	}
}

// run runs a standby, where the data directory and the settings say so, until ctx ends or it is promoted. It
// reports whether the directory is to be served then: until end the watchdog hears that the program is alive,
// which may take long to open what it has copied.
func (f *following) run(ctx context.Context, con *console, cfg *config.Config, life *app.Life) (serves bool,
	err error) {
	role, err := succession.RoleOf(cfg, f.log)
	if err != nil || role == standby.First {
		return err == nil, err
	}
	if len(life.Sockets) > 0 {
		for _, socket := range life.Sockets {
			err = errors.Join(err, socket.Listener.Close())
		}
		return false, wrongConfiguration{errors.Join(errors.New("a standby opens its sockets itself: "+
			"\"systemctl disable --now signet.socket\""), err)}
	}
	follower, err := app.OpenStandby(ctx, cfg, f.log)
	if err != nil {
		return false, err
	}
	if cfg.Log.Format != "json" {
		printStandby(con, follower.StandbyAddr())
		con.printf("Listening on %s, base URL %s\n", follower.Addr(), follower.BaseURL())
		con.printf("A standby of %s: it serves nobody before \"signet promote\"\n", follower.Of())
	}
	ready := func() { f.tell(life.Systemd.Ready("a standby of " + follower.Of())) }
	ready()
	f.telling.Go(func() { life.Systemd.KeepAlive(f.hears, func(context.Context) {}, f.tell) })
	var hearing sync.WaitGroup
	follows, over := context.WithCancel(ctx)
	hearing.Go(func() {
		for {
			select {
			case <-life.Reloads: // after follows it is the server's to hear
				f.tell(life.Systemd.Reloading())
				life.Reload()
				follower.Reload()
				ready()
			case <-follows.Done():
				return
			}
		}
	})
	serves, err = follower.Run(ctx)
	over()
	hearing.Wait()
	if !serves {
		f.tell(life.Systemd.Stopping("stopping"))
	}
	return serves, err
}
