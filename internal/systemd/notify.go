package systemd

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// Notifier tells systemd how the program is doing. The nil Notifier, of a program that systemd did not start,
// tells nobody. It is safe for concurrent use.
type Notifier struct {
	address  *net.UnixAddr
	watchdog time.Duration
}

// NewNotifier returns the one of this process, or nil. variable reads the environment.
func NewNotifier(variable func(string) string) *Notifier {
	name := variable(notifySocket)
	if name == "" {
		return nil
	}
	n := &Notifier{address: &net.UnixAddr{Name: name, Net: "unixgram"}}
	process := variable(watchdogOf)
	period, err := strconv.ParseInt(variable(watchdogPeriod), 10, 64)
	if err == nil && period > 0 && (process == "" || process == strconv.Itoa(os.Getpid())) {
		n.watchdog = time.Duration(period) * time.Microsecond
	}
	return n
}

// Watchdog is within what time systemd wants to hear Alive, or it ends the program; 0: it does not watch.
func (n *Notifier) Watchdog() time.Duration {
	if n == nil {
		return 0
	}
	return n.watchdog
}

// Ready says that the program serves, and after Reloading that this is over.
func (n *Notifier) Ready(status string) error { return n.tell("READY=1", line(status)) }

// Reloading says that the program reads its settings again.
func (n *Notifier) Reloading() error {
	return n.tell("RELOADING=1", fmt.Sprintf("MONOTONIC_USEC=%d", monotonic().Microseconds()))
}

// Stopping says that the program ends.
func (n *Notifier) Stopping(status string) error { return n.tell("STOPPING=1", line(status)) }

// Status says in a line for people how the program is doing.
func (n *Notifier) Status(status string) error { return n.tell(line(status)) }

// Alive is what the watchdog waits for.
func (n *Notifier) Alive() error { return n.tell("WATCHDOG=1") }

// KeepAlive says so to the watchdog, where there is one, whenever alive has returned, until ctx ends. tell gets
// the error of each time, nil where systemd has heard.
func (n *Notifier) KeepAlive(ctx context.Context, alive func(context.Context), tell func(error)) {
	period := n.Watchdog()
	if period == 0 {
		return
	}
	tick := time.NewTicker(period / 2)
	defer tick.Stop()
	for {
		if alive(ctx); ctx.Err() != nil {
			return
		}
		tell(n.Alive())
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Succeeded says that another process is the program from now on. systemd believes it of a process of the
// same service.
func (n *Notifier) Succeeded(process int) error {
	return n.tell(fmt.Sprintf("MAINPID=%d", process), "READY=1")
}

// line is a status, in one line whatever it says.
func line(status string) string { return "STATUS=" + strings.ReplaceAll(status, "\n", "; ") }

// patience is how long systemd may take to hear: a program is not to wait for its manager.
const patience = time.Second

// tell sends assignments, a line each, in one datagram.
func (n *Notifier) tell(assignments ...string) error {
	if n == nil {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, n.address)
	if err != nil {
		return fmt.Errorf("tell systemd: %w", err)
	}
	defer conn.Close()
	_ = conn.SetWriteDeadline(time.Now().Add(patience))
	if _, err := conn.Write([]byte(strings.Join(assignments, "\n"))); err != nil {
		return fmt.Errorf("tell systemd: %w", err)
	}
	return nil
}
