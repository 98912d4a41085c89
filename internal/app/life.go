package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"

	"signet/internal/build"
	"signet/internal/config"
	"signet/internal/handover"
	"signet/internal/store/sqlite"
	"signet/internal/systemd"
)

// Life is what a server is given for its life, beside its settings. All of it may be left out.
type Life struct {
	Sockets  []systemd.Socket  // that systemd has opened, in place of the settings' own; they outlast the server
	Systemd  *systemd.Notifier // who is told how it is doing
	TakeOver bool              // the server takes the place of the one that runs on its data
	Pace     Pace

	// Program starts the program anew, to take this server's place; nil: it cannot be started.
	Program  func() *exec.Cmd
	Upgrades <-chan os.Signal // asks for a new start of the program; nil: never
	Reloads  <-chan os.Signal // asks to read anew what may be replaced while the server runs; nil: never
	Reload   func()           // reads what the caller has to read anew; nil: nothing

	Opened func(*App) // is called once the server listens, the first time
}

// life is a Life that runs.
type life struct {
	Life
	cfg *config.Config
	log *slog.Logger

	managed map[string]bool // the settings whose sockets are the service manager's

	mu    sync.Mutex // guards asked
	asked *attempt   // the program that was started, until it has taken over or ended; nil: none
}

// attempt is a program that was started to take the server's place.
type attempt struct {
	process int
	request *handover.Request // who waits for the end; nil: nobody
}

// Live opens a server and runs it until ctx ends. It gives the sockets on to a program that takes
// its place, and goes on where that one cannot open the data.
func Live(ctx context.Context, cfg *config.Config, log *slog.Logger, of Life) error {
	l := &life{Life: of, cfg: cfg, log: log, managed: map[string]bool{}}
	from, before, err := l.begin(ctx)
	if err != nil {
		return err
	}
	for opened := l.Opened; ; opened = nil {
		a, err := l.open(ctx, from)
		if err != nil {
			if before != nil {
				before.Refuse(err)
			}
			return err
		}
		if opened != nil {
			opened(a)
		}
		err = l.run(ctx, a, before)
		before = nil
		if a.left.next == nil {
			return err
		}
		if err != nil {
			log.Error("the server did not end in good order", "error", err) // who takes over finds out what that means
		}
		if err = l.depart(ctx, a); err == nil {
			return nil
		}
		log.Error("the program that was to take over does not serve: this server goes on", "error", err)
		stopped := a.left.stopped
		from = origin{sockets: a.left.sockets, conns: a.left.conns, stopped: &stopped}
	}
}

// begin finds out where the sockets come from.
func (l *life) begin(ctx context.Context) (from origin, before *handover.Predecessor, err error) {
	if from.sockets, err = l.adopt(); err != nil || !l.TakeOver {
		return from, nil, err
	}
	version, _ := build.Info()
	before, err = handover.Ask(ctx, l.cfg.Data, version)
	switch {
	case errors.Is(err, handover.ErrNobody):
		l.log.Info("nobody is there to take over from: this is a start as any other", "data", l.cfg.Data)
		return from, nil, nil
	case err != nil:
		return from, nil, err
	}
	l.log.Info("taking over", "from_version", before.Version, "from_process", before.Process)
	l.inherit(before.Sockets)
	from.sockets = append(from.sockets, before.Sockets...)
	stopped := new(time.Time)
	from.stopped = stopped
	from.release = func(ctx context.Context) error {
		err := wantKnown(ctx, l.cfg)
		if err == nil {
			*stopped, err = before.Prepared(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, handover.ErrEnded): // its sockets are here, and its data is free
			l.log.Warn("the server before has ended without a word; this one goes on", "error", err)
			*stopped = time.Now()
			return nil
		}
		return err
	}
	return from, before, nil
}

// open opens the server. One that goes on after another program has failed waits until that program's
// locks have ended.
func (l *life) open(ctx context.Context, from origin) (*App, error) {
	patience := time.Now().Add(lockPatience)
	for {
		a, err := openFrom(ctx, l.cfg, l.log, l.Pace, assemble, from)
		if !errors.Is(err, sqlite.ErrLocked) || from.stopped == nil || from.release != nil || time.Now().After(patience) {
			return a, err
		}
		time.Sleep(lockTick)
	}
}

const (
	lockPatience = 10 * time.Second
	lockTick     = 20 * time.Millisecond
)

// run runs a server, with what lasts as long as it does.
func (l *life) run(ctx context.Context, a *App, before *handover.Predecessor) error {
	a.shared = len(l.managed) > 0
	beside, end := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	door, err := handover.Open(a.dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		l.log.Debug("no other program can take this server's place without a gap", "error", err)
	case err != nil:
		l.log.Warn("no other program can take this server's place without a gap", "error", err)
	default:
		a.undo = append(a.undo, door.Close)
		running.Go(func() { l.answerDoor(beside, a, door) })
	}
	running.Go(func() { l.hear(beside, a) })
	running.Go(func() {
		l.settleIn(a, before)
		l.watch(beside, a.alive) // systemd hears nothing of a program that it does not know yet
	})
	stopped := context.AfterFunc(ctx, func() { l.tell(l.Systemd.Stopping("stopping")) })
	err = a.Run(ctx)
	stopped()
	end()
	if door != nil {
		err = errors.Join(err, door.Close())
	}
	running.Wait()
	return err
}

// settleIn tells that the server serves, and takes over the connections of the one before.
func (l *life) settleIn(a *App, before *handover.Predecessor) {
	<-a.serves
	for _, c := range a.from.conns {
		a.handed.Hand(c)
	}
	if before != nil {
		n := 0
		err := before.Serving(func(c net.Conn) { n++; a.handed.Hand(c) })
		l.log.Info("took over", "pause", time.Duration(a.pause.Load()).Round(time.Millisecond), "connections", n)
		if err != nil {
			l.log.Warn("connections of the server before are lost", "error", err)
		}
	}
	l.tell(l.Systemd.Ready(l.status(a)))
}

// status is what the service manager shows of the server.
func (l *life) status(a *App) string {
	version, _ := build.Info()
	return fmt.Sprintf("%s serves %s on %s", version, a.BaseURL(), a.Addr())
}

// hear does what signals ask for.
func (l *life) hear(ctx context.Context, a *App) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.Upgrades:
			if err := l.upgrade(nil); err != nil {
				l.log.Error("the program was not started anew", "error", err)
			}
		case <-l.Reloads:
			l.tell(l.Systemd.Reloading())
			if l.Reload != nil {
				l.Reload()
			}
			a.Reload()
			l.tell(l.Systemd.Ready(l.status(a)))
		}
	}
}

// tell logs what the service manager could not be told.
func (l *life) tell(err error) {
	if err != nil {
		l.log.Warn("systemd does not hear", "error", err)
	}
}

// watch tells the watchdog that the server is alive, as long as it is, until ctx ends.
func (l *life) watch(ctx context.Context, alive func(context.Context) error) {
	l.Systemd.KeepAlive(ctx, func(ctx context.Context) {
		if err := alive(ctx); err != nil && ctx.Err() == nil {
			l.log.Debug("the store has answered the watchdog", "error", err)
		}
	}, l.tell)
}

// depart gives everything to the program that takes the server's place, and waits until that one
// serves. After an error the program has let go of the data.
func (l *life) depart(ctx context.Context, a *App) error {
	left, next := &a.left, a.left.next
	beside, end := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	waiting.Go(func() { l.watch(beside, func(context.Context) error { return nil }) }) // while it is its turn
	err := next.Release(ctx, left.stopped)
	end()
	waiting.Wait()
	if err != nil {
		next.Refuse(cmp.Or(ctx.Err(), err))
		l.settle(next.Process, "", err)
		if ctx.Err() == nil {
			left.serving.close()
			return err
		}
		left.close() // it was told to stop, and so is the other one
		return nil
	}
	l.tell(l.Systemd.Succeeded(next.Process))
	if err := next.Hand(left.conns); err != nil {
		l.log.Warn("connections are lost", "error", err)
	}
	l.log.Info("handed over", "to_version", next.Version, "to_process", next.Process, "connections", len(left.conns))
	l.settle(next.Process, next.Version, nil)
	left.close()
	return nil
}
