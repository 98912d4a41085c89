package e2e

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for what takes moments, before it says that
// it does not come.
const patience = 30 * time.Second

// server is a "signet serve" on a directory: one process after another.
type server struct {
	t       *testing.T
	program string // the binary under test, or another version of it
	listen  string // any free port of this machine, or always the same
	dir     string
	args    []string
	env     []string     // "NAME=value" each
	base    string       // the base URL of its clients
	http    *http.Client // dials the process that runs now, whatever the URL's host
	log     log          // of all processes

	prepare func(*exec.Cmd) // changes how a process is started; nil: it does not

	mu      sync.Mutex // guards all below
	process *process
	addr    string // of the last process that listened
	plain   string // where it redirects to HTTPS
	between string // where the other server of its pair connects
}

// process is one life of a server.
type process struct {
	command   *exec.Cmd
	listening chan struct{} // closed when it has said so
	baseURL   string        // set before listening is closed
	ended     chan struct{} // closed when it has ended
	code      int           // set before ended is closed; -1: by a signal
}

// anyServer is the base URL of clients: their connections go where the server is.
const anyServer = "http://signet.test"

// newServer prepares a server on a directory, which starts nothing yet.
func newServer(t *testing.T, dir string, args ...string) *server {
	t.Helper()
	s := &server{t: t, program: program, listen: "127.0.0.1:0", dir: dir, args: args, base: anyServer}
	transport := &http.Transport{DialContext: s.dial, MaxIdleConnsPerHost: 128, DisableCompression: true}
	s.http = &http.Client{Transport: transport}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		s.kill()
		if t.Failed() {
			t.Logf("the server logged:\n%s", s.log.tail())
		}
	})
	return s
}

// mustServe starts a server on a directory and waits until it listens. It ends
// with the test at the latest.
func mustServe(t *testing.T, dir string, args ...string) *server {
	t.Helper()
	s := newServer(t, dir, args...)
	s.mustStart()
	return s
}

// freshDirectory names a data directory that does not exist yet.
func freshDirectory(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "data")
}

// unlimited lets one key send and call as often as it can.
var unlimited = []string{"--limits.messages-per-day=0", "--limits.requests-per-second=0"}

func (s *server) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", s.address())
}

// address is where the server listens, or did last.
func (s *server) address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addr
}

func (s *server) current() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// mustLaunch starts a process and does not wait for it to listen.
func (s *server) mustLaunch() *process {
	s.t.Helper()
	p := &process{listening: make(chan struct{}), ended: make(chan struct{})}
	p.command = exec.Command(s.program, append([]string{"serve", "--listen", s.listen, "--data", s.dir}, s.args...)...)
	p.command.Env = append([]string{}, s.env...) // nothing from the environment of the tests
	p.command.Stderr = &s.log
	if s.prepare != nil {
		s.prepare(p.command)
	}
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	s.process = p
	s.mu.Unlock()
	go s.watch(p, bufio.NewScanner(stdout))
	return p
}

// watch reads what a process prints, until it ends.
func (s *server) watch(p *process, lines *bufio.Scanner) {
	for lines.Scan() {
		s.mu.Lock()
		if plain, found := strings.CutPrefix(lines.Text(), "Redirecting to HTTPS from "); found {
			s.plain = plain
		}
		if between, found := strings.CutPrefix(lines.Text(), "The other server of the pair connects to "); found {
			s.between = between
		}
		if where, base, found := strings.Cut(lines.Text(), ", base URL "); found {
			s.addr = strings.TrimPrefix(where, "Listening on ") // another one where a standby is promoted
			if p.baseURL == "" {
				p.baseURL = base
				close(p.listening)
			}
		}
		s.mu.Unlock()
	}
	_ = p.command.Wait() // its code tells as much
	p.code = p.command.ProcessState.ExitCode()
	close(p.ended)
}

// mustStart starts a process and waits until it listens.
func (s *server) mustStart() {
	s.t.Helper()
	s.mustListen(s.mustLaunch())
}

// mustListen waits until a process listens.
func (s *server) mustListen(p *process) {
	s.t.Helper()
	select {
	case <-p.listening:
	case <-p.ended:
		s.t.Fatalf("the server ended with %d before it listened:\n%s", p.code, s.log.tail())
	case <-time.After(patience):
		s.t.Fatalf("the server does not listen:\n%s", s.log.tail())
	}
}

// signal sends the process a signal and returns it.
func (s *server) signal(signal syscall.Signal) *process {
	s.t.Helper()
	p := s.current()
	if err := p.command.Process.Signal(signal); err != nil {
		s.t.Errorf("signal %v: %v", signal, err)
	}
	return p
}

// wantEnd waits until a process has ended by itself, with exit code 0.
func (s *server) wantEnd(p *process) {
	s.t.Helper()
	select {
	case <-p.ended:
		if p.code != 0 {
			s.t.Errorf("the server ended with %d, want 0", p.code)
		}
	case <-time.After(patience):
		s.t.Error("the server does not end")
	}
}

// stop asks the process to stop, as a service manager does.
func (s *server) stop() {
	s.t.Helper()
	s.wantEnd(s.signal(syscall.SIGTERM))
}

// kill ends the process, if one runs, at once and with nothing put in order.
func (s *server) kill() {
	if p := s.current(); p != nil {
		_ = p.command.Process.Kill() // it may have ended
		<-p.ended
	}
}

// wantQuietLog reports everything in the log that points at a defect.
func (s *server) wantQuietLog() {
	s.t.Helper()
	s.wantQuietLogBut()
}

// wantQuietLogBut is wantQuietLog that passes over lines with one of the expected texts.
func (s *server) wantQuietLogBut(expected ...string) {
	s.t.Helper()
	for line := range strings.Lines(s.log.String()) {
		if slices.ContainsFunc(expected, func(text string) bool { return strings.Contains(line, text) }) {
			continue
		}
		for _, word := range []string{"level=ERROR", "panic", "goroutine ", "DATA RACE"} {
			if strings.Contains(line, word) {
				s.t.Errorf("the server logged %s", line)
				break
			}
		}
	}
}

// eventually waits until something holds, asking again and again.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain: %s", patience, what)
		}
		<-tick.C
	}
}
