package systemd

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// The variables that systemd sets. They are for the process that it starts, and not for those which
// that one starts.
const (
	listenProcess  = "LISTEN_PID"
	listenCount    = "LISTEN_FDS"
	listenNames    = "LISTEN_FDNAMES"
	notifySocket   = "NOTIFY_SOCKET"
	watchdogPeriod = "WATCHDOG_USEC"
	watchdogOf     = "WATCHDOG_PID"
)

// firstDescriptor is that of the first socket.
const firstDescriptor = 3

// Socket is one that systemd has opened.
type Socket struct {
	Name     string // FileDescriptorName= of its unit, which is the unit's name where it is not set
	Listener net.Listener
}

// Sockets returns those that systemd has opened for this process, none where there are none. variable reads the
// environment. It is called once: the descriptors are closed, but for those in the listeners.
func Sockets(variable func(string) string) (sockets []Socket, err error) {
	if process := variable(listenProcess); process == "" || process != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	n, err := strconv.Atoi(variable(listenCount))
	if err != nil || n < 0 {
		return nil, fmt.Errorf("%s is %q, want how many sockets there are", listenCount, variable(listenCount))
	}
	names := strings.Split(variable(listenNames), ":")
	for i := range n {
		name := ""
		if i < len(names) {
			name = names[i]
		}
		f := os.NewFile(uintptr(firstDescriptor+i), name)
		l, fault := net.FileListener(f)
		fault = errors.Join(fault, f.Close())
		if fault != nil {
			err = errors.Join(err, fmt.Errorf("socket %d (%s) of systemd: %w", i, name, fault))
			continue
		}
		sockets = append(sockets, Socket{name, l})
	}
	if err != nil {
		for _, s := range sockets {
			err = errors.Join(err, s.Listener.Close())
		}
		return nil, err
	}
	return sockets, nil
}

// ForSuccessor returns the environment of a process that takes this one's place: sockets are passed to it in
// another way, and it is the one then that the watchdog watches.
func ForSuccessor(environ []string) (out []string) {
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case listenProcess, listenCount, listenNames, watchdogOf:
		default:
			out = append(out, entry)
		}
	}
	return out
}
