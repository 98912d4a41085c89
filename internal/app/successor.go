package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"signet/internal/build"
	"signet/internal/config"
	"signet/internal/handover"
	"signet/internal/home"
	"signet/internal/store"
	"signet/internal/store/postgres"
	"signet/internal/store/sqlite"
)

// preparing is how long a program may take until it has looked at its settings and the data,
// while the server that runs still serves.
const preparing = time.Minute

// errUpgrading says that the program was started already.
var errUpgrading = errors.New("a program that was started to take this server's place is still at it")

// answerDoor meets those who come to take the server's place, one after the other, until the door is
// closed.
func (l *life) answerDoor(ctx context.Context, a *App, door *handover.Door) {
	for {
		next, request, err := door.Next()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			l.log.Warn("who came to take this server's place was not heard", "error", err)
			return
		case request != nil:
			if err := l.upgrade(request); err != nil {
				request.Answer("", 0, err)
			}
		default:
			if l.receive(ctx, a, next) {
				return
			}
		}
	}
}

// receive gives a program the sockets, and has the server make room for it once it is prepared.
func (l *life) receive(ctx context.Context, a *App, next *handover.Successor) (leaves bool) {
	version, _ := build.Info()
	patience, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	err := next.Offer(patience, version, l.mark(a.network.sockets()))
	if err == nil {
		select {
		case a.next <- next:
			return true
		case <-ctx.Done():
			err = errDraining
		}
	}
	l.log.Error("a program that was to take over does not: this server goes on", "version", next.Version, "process",
		next.Process, "error", err)
	next.Refuse(err)
	l.settle(next.Process, "", err)
	return false
}

// upgrade starts the program anew, to take this server's place. Who asked hears how it ended.
func (l *life) upgrade(request *handover.Request) error {
	if l.Program == nil {
		return errors.New("this server does not know how its program is started")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked != nil {
		return errUpgrading
	}
	command := l.Program()
	if err := command.Start(); err != nil {
		return fmt.Errorf("start the program anew: %w", err)
	}
	u := &attempt{process: command.Process.Pid, request: request}
	l.asked = u
	l.log.Info("the program was started anew, to take over", "program", command.Path, "process", u.process)
	go func() { // ends with the process, or with this one
		err := command.Wait()
		l.settle(u.process, "", fmt.Errorf("process %d has ended before it served (%s); the log says why", u.process,
			outcome(err)))
	}()
	return nil
}

// outcome is how a process ended, for people.
func outcome(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// settle tells who asked for an upgrade how it ended. The first reason counts: that a program ends
// which was refused tells nothing new.
func (l *life) settle(process int, version string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.asked
	if u == nil || u.process != process {
		return
	}
	l.asked = nil
	if u.request != nil {
		u.request.Answer(version, process, err)
	}
	if err != nil {
		l.log.Error("the upgrade failed: this server goes on", "process", process, "error", err)
	}
}

// wantKnown refuses data that this program could not open, while another server has it.
func wantKnown(ctx context.Context, cfg *config.Config) (err error) {
	var engine store.Engine
	if cfg.Database != "" {
		engine, err = postgres.Open(ctx, cfg.Database, postgres.Options{Connections: 1})
	} else {
		engine, err = sqlite.Open(home.Database(cfg.Data), sqlite.Options{Beside: true})
	}
	if err != nil {
		return err
	}
	return errors.Join(store.WantKnown(ctx, engine, store.Today()), engine.Close())
}
