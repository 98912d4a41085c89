package installtest

import (
	"bufio"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// server is one that runs from a package or an image.
type server struct {
	t         *testing.T
	command   *exec.Cmd
	base      string
	log       strings.Builder
	successor int // the process of the version that has taken its place; 0: none has
}

// start starts a server, and waits until it says where it listens.
func start(t *testing.T, command *exec.Cmd) *server {
	t.Helper()
	s := &server{t: t, command: command}
	command.Stderr = &s.log
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for s.base == "" && lines.Scan() {
		_, s.base, _ = strings.Cut(lines.Text(), "base URL ")
	}
	if s.base == "" {
		_ = command.Wait() // what it logged says more
		t.Fatalf("the server did not start:\n%s", &s.log)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }() // until it ends
	return s
}

// wantReady asks the server whether it is.
func (s *server) wantReady() {
	s.t.Helper()
	answer, err := http.Get(s.base + "/readyz")
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK {
		s.t.Errorf("/readyz answers %d: %s", answer.StatusCode, text)
	}
	page, err := http.Get(s.base + "/")
	if err != nil {
		s.t.Fatal(err)
	}
	defer page.Body.Close()
	text, _ := io.ReadAll(page.Body)
	if page.StatusCode != http.StatusOK || !strings.Contains(string(text), "<title>Signet") {
		s.t.Errorf("the page is %d %.100q", page.StatusCode, text)
	}
}

// stop ends the server as systemd does.
func (s *server) stop() {
	s.t.Helper()
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	if err := s.command.Wait(); err != nil {
		s.t.Errorf("the server ended with %v:\n%s", err, &s.log)
	}
}

// succeededBy notes from what an upgrade says which process has taken the server's place.
func (s *server) succeededBy(said, version string) {
	s.t.Helper()
	found := regexp.MustCompile(`Version v` + regexp.QuoteMeta(version) + ` serves, as process (\d+)`).
		FindStringSubmatch(said)
	if found == nil {
		s.t.Fatalf("an upgrade hands over to nobody:\n%s", said)
	}
	s.successor, _ = strconv.Atoi(found[1]) // it has digits only
	s.t.Cleanup(func() {
		if s.successor != 0 { // the test has ended before
			_ = syscall.Kill(s.successor, syscall.SIGKILL)
		}
	})
}

// stopSuccessor ends the process that has taken the server's place, and waits for both: they log to the
// same pipe.
func (s *server) stopSuccessor() {
	s.t.Helper()
	if err := syscall.Kill(s.successor, syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	s.successor = 0
	if err := s.command.Wait(); err != nil {
		s.t.Errorf("the server that handed over ended with %v:\n%s", err, &s.log)
	}
}

// startService starts the server of the installed unit: with its user, its variables and its
// directory of state, which systemd would make.
func (m *machine) startService() *server {
	m.t.Helper()
	unit := m.must("cat /usr/lib/systemd/system/signet.service")
	value := func(key string) string {
		found := regexp.MustCompile(`(?m)^` + key + `=(.*)$`).FindStringSubmatch(unit)
		if found == nil {
			m.t.Fatalf("the unit has no %s:\n%s", key, unit)
		}
		return found[1]
	}
	user, state := value("User"), "/var/lib/"+value("StateDirectory")
	m.must("install -d -m " + value("StateDirectoryMode") + " -o " + user + " -g " + value("Group") + " " + state)
	args := append([]string{"setpriv", "--reuid", user, "--regid", value("Group"), "--init-groups", "--no-new-privs",
		"env", "-i", "-C", "/", value("Environment")}, strings.Fields(value("ExecStart"))...)
	return start(m.t, m.command(args...))
}
