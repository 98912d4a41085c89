package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"signet/internal/testenv"
)

// unit is a unit of systemd, as deploy has it: the values of each key.
type unit map[string][]string

func mustReadUnit(t *testing.T, name string) unit {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	u := unit{}
	for _, m := range regexp.MustCompile(`(?m)^(\w+)=(.*)$`).FindAllStringSubmatch(string(text), -1) {
		u[m[1]] = append(u[m[1]], m[2])
	}
	return u
}

// manager stands in for systemd: it has the directories, the socket and the ear of a service.
type manager struct {
	t      *testing.T
	state  string // %S
	socket net.Listener
	notify string      // path of the socket on which it hears
	heard  chan string // messages, as they came
	pid    string      // MAINPID
}

func newManager(t *testing.T) *manager {
	t.Helper()
	m := &manager{t: t, state: t.TempDir()}
	dir, err := os.MkdirTemp("", "notify") // shorter than that of the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	m.notify, m.heard = filepath.Join(dir, "notify"), make(chan string, 10_000)
	ear, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: m.notify, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for text := make([]byte, 4096); ; {
			n, err := ear.Read(text)
			if err != nil {
				return
			}
			m.heard <- string(text[:n])
		}
	}()
	t.Cleanup(func() { ear.Close(); <-ended })
	if m.socket, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.socket.Close() })
	return m
}

// command is what a line of a unit runs, with the unit's environment.
func (m *manager) command(u unit, line string) *exec.Cmd {
	m.t.Helper()
	words := strings.Fields(strings.NewReplacer("%S", m.state, "$MAINPID", m.pid).Replace(line))
	if words[0] == "/usr/local/bin/signet" {
		words[0] = program
	}
	c := exec.Command(words[0], words[1:]...)
	c.Env = []string{"INVOCATION_ID=0123", "NOTIFY_SOCKET=" + m.notify, "WATCHDOG_USEC=200000"}
	for _, entry := range u["Environment"] {
		c.Env = append(c.Env, strings.ReplaceAll(entry, "%S", m.state))
	}
	return c
}

// give has a process find the socket, as systemd does it: by its own number.
func (m *manager) give(c *exec.Cmd, name string) {
	m.t.Helper()
	f, err := m.socket.(*net.TCPListener).File()
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { f.Close() })
	c.ExtraFiles = []*os.File{f}
	c.Env = append(c.Env, "LISTEN_FDS=1", "LISTEN_FDNAMES="+name)
	shell, err := exec.LookPath("sh")
	if err != nil {
		m.t.Fatal(err)
	}
	c.Args = append([]string{shell, "-c", `LISTEN_PID=$$ exec "$@"`, shell, c.Path}, c.Args[1:]...)
	c.Path = shell
}

// mustHear waits for a message with an assignment, and returns it. What is said before is passed over.
func (m *manager) mustHear(assignment string) (message []string) {
	m.t.Helper()
	late := time.After(patience)
	for {
		select {
		case text := <-m.heard:
			message := strings.Split(text, "\n")
			if slices.ContainsFunc(message, func(line string) bool { return strings.HasPrefix(line, assignment) }) {
				return message
			}
		case <-late:
			m.t.Fatalf("%s is not said", assignment)
		}
	}
}

// wantTimersWork runs what the timers start, and looks for what that makes.
func (m *manager) wantTimersWork() {
	m.t.Helper()
	for file, made := range map[string]string{"signet-backup.service": "signet-backups/signet-2*/manifest.json",
		"signet-keys-export.service": "signet-keys/keyring"} {
		u := mustReadUnit(m.t, file)
		for _, dir := range strings.Fields(u["StateDirectory"][0]) {
			if err := os.MkdirAll(filepath.Join(m.state, dir), 0o700); err != nil {
				m.t.Fatal(err)
			}
		}
		for range 2 { // the second beside what the first has left
			if out, err := m.command(u, u["ExecStart"][0]).CombinedOutput(); err != nil {
				m.t.Errorf("%s: %v: %s", file, err, out)
			}
		}
		if found, err := filepath.Glob(filepath.Join(m.state, made)); err != nil || len(found) == 0 {
			m.t.Errorf("%s made no %s", file, made)
		}
	}
}

// TestUnitsOfSystemdRunTheProgram runs what the units of deploy say as systemd would: the server with its
// socket, its reload and its hand-over, and beside it what the timers start.
func TestUnitsOfSystemdRunTheProgram(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	m := newManager(t)
	service := mustReadUnit(t, "signet.service")
	name := mustReadUnit(t, "signet.socket")["FileDescriptorName"][0]
	if service["Type"][0] != "notify" || service["WatchdogSec"] == nil {
		t.Error("the service is not of Type=notify with a watchdog")
	}
	settings := filepath.Join(t.TempDir(), "signet.yaml")
	configure := func(level, burst string) {
		t.Helper()
		text := "log:\n  level: " + level + "\nlimits:\n  burst: " + burst + "\n"
		if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	configure("info", "100")
	s := newServer(t, filepath.Join(m.state, "signet"))
	s.prepare = func(c *exec.Cmd) {
		own := m.command(service, service["ExecStart"][0])
		c.Path, c.Args, c.Env = own.Path, own.Args, append(own.Env, "SIGNET_CONFIG="+settings)
		m.give(c, name)
	}
	s.mustStart()
	ready := m.mustHear("READY=1")
	if !strings.Contains(strings.Join(ready, " "), m.socket.Addr().String()) {
		t.Errorf("its status is %q, want where it serves", ready)
	}
	if s.address() != m.socket.Addr().String() {
		t.Errorf("it listens on %s, want the socket of systemd", s.address())
	}
	m.mustHear("WATCHDOG=1")
	m.mustHear("WATCHDOG=1")

	m.pid = strconv.Itoa(s.current().command.Process.Pid)
	configure("debug", "200")
	if out, err := m.command(service, service["ExecReload"][0]).CombinedOutput(); err != nil {
		t.Fatalf("reload: %v: %s", err, out)
	}
	reloading := m.mustHear("RELOADING=1")
	if !strings.HasPrefix(reloading[len(reloading)-1], "MONOTONIC_USEC=") {
		t.Errorf("reloading, it says %q", reloading)
	}
	m.mustHear("READY=1")
	if log := s.log.String(); !strings.Contains(log, "level=debug") || !strings.Contains(log, "settings=limits.burst") {
		t.Errorf("it does not say what was reloaded, and what was not:\n%s", log)
	}

	m.wantTimersWork()

	s.signal(syscall.SIGUSR2)
	message := m.mustHear("MAINPID=")
	m.mustHear("READY=1") // of the new process
	holder, err := os.ReadFile(filepath.Join(s.dir, "lock"))
	if err != nil || message[0] != "MAINPID="+strings.TrimSpace(string(holder)) {
		t.Errorf("it says %q, and the data is that of process %s (%v)", message, holder, err)
	}
	m.mustHear("WATCHDOG=1")

	// A restart: somebody connects while no server runs.
	s.endChain()
	m.mustHear("STOPPING=1")
	conn, err := net.Dial("tcp", m.socket.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	waiting := &idler{t: t, conn: conn}
	if _, err := fmt.Fprint(conn, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	s.mustStart()
	m.mustHear("READY=1")
	waiting.read()
	s.stop()
	s.wantQuietLog()
}

// TestNoCallFailsWhileSystemdRestartsTheServer: the socket stays, and clients are asked to leave their
// connections before the server ends.
func TestNoCallFailsWhileSystemdRestartsTheServer(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	m := newManager(t)
	s := newServer(t, freshDirectory(t), unlimited...)
	s.prepare = func(c *exec.Cmd) { m.give(c, "signet.socket") } // as where no name is set
	s.mustStart()
	wantNothingMissed(t, s, 2, func(settle func()) {
		for range 2 {
			settle()
			s.stop()
			s.mustStart()
		}
		settle()
	})
	s.stop()
	s.wantQuietLog()
}

// What systemd gives is refused where the server cannot use it, and what is in clear is not made open
// to other machines by a socket either.
func TestSocketsOfSystemdThatDoNotFitAreRefused(t *testing.T) {
	t.Parallel()
	open, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	local, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []net.Listener{open, local} {
		defer l.Close()
	}
	for want, give := range map[string]struct {
		socket interface{ File() (*os.File, error) }
		twice  bool
	}{
		"is open to other machines": {open.(*net.TCPListener), false},
		"is not one of TCP":         {local.(*net.UnixListener), false},
		"want FileDescriptorName=":  {open.(*net.TCPListener), true},
	} {
		f, err := give.socket.File()
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" serve --data "$1"`, program, freshDirectory(t))
		c.Env, c.ExtraFiles = []string{"LISTEN_FDS=1"}, []*os.File{f}
		if give.twice {
			c.Env, c.ExtraFiles = []string{"LISTEN_FDS=2", "LISTEN_FDNAMES=listen:listen"}, []*os.File{f, f}
		}
		out, err := c.CombinedOutput()
		if ended := new(exec.ExitError); !errors.As(err, &ended) || !strings.Contains(string(out), want) {
			t.Errorf("it ended with %v and said %s, want that it %s", err, out, want)
		}
		f.Close()
	}
}

// read reads the answer to what was asked before.
func (i *idler) read() {
	i.t.Helper()
	if i.in == nil {
		i.in = bufio.NewReader(i.conn)
	}
	answer, err := http.ReadResponse(i.in, nil)
	if err != nil {
		i.t.Errorf("who waited while no server ran: %v", err)
		return
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		i.t.Errorf("who waited while no server ran got %s", answer.Status)
	}
}
