// Package browsertest starts the built server, and browsers in front of it, for the tests
// of pages and of the TypeScript client. It holds each browser to what pages promise: they
// call what the OpenAPI document has, and nothing of another host, and they leave no error
// behind. It is imported by tests only.
package browsertest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/store/enginetest"
)

// Patience is how long a test waits for what takes moments, before it says that it does
// not come.
const Patience = 60 * time.Second

// Server is a server of its own, on a directory of its own.
type Server struct {
	URL      string // without the final /v2
	Operator Credentials

	stop func()

	mu   sync.Mutex // guards said
	said string     // on standard output
}

// Credentials are a key and its secret.
type Credentials struct{ Key, Secret string }

// Serve starts the program as a server that ends with the test, on PostgreSQL where
// SIGNET_TEST_ENGINE is "postgres".
func Serve(t testing.TB, program string, args ...string) *Server {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	args = append([]string{"serve", "--listen", "127.0.0.1:0", "--data", data}, args...)
	if database := enginetest.Address(t, dir); database != "" {
		ring, master := apptest.SharedKeys(t)
		args = append(args, "--database", database, "--keyring", ring, "--master-key", master)
	}
	var log bytes.Buffer
	command := exec.Command(program, args...)
	command.Env = []string{} // nothing from the environment of the tests
	command.Stderr = &log
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	s := &Server{}
	ready, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if s.hears(lines.Text()) {
				close(ready)
			}
		}
		_ = command.Wait() // the tests have asked all that they want to know
	}()
	s.stop = func() {
		_ = command.Process.Signal(syscall.SIGTERM) // it may have ended
		<-ended
	}
	t.Cleanup(func() {
		s.stop()
		if t.Failed() {
			t.Logf("the server logged:\n%s", log.String())
		}
	})
	select {
	case <-ready:
		s.Operator = mustReadOperator(t, data)
		return s
	case <-ended:
	case <-time.After(Patience):
	}
	t.Fatal("the server does not listen")
	return nil
}

// hears takes a line that the server prints, and reports whether it is the last one that
// a start prints.
func (s *Server) hears(line string) bool {
	s.mu.Lock()
	s.said += line + "\n"
	s.mu.Unlock()
	if _, base, found := strings.Cut(line, ", base URL "); found {
		s.URL = strings.TrimSuffix(base, "/v2")
	}
	return strings.HasPrefix(line, "Operator credentials: ")
}

// Stop ends the server, and returns what it has printed.
func (s *Server) Stop() string {
	s.stop()
	return s.hasSaid()
}

func (s *Server) hasSaid() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said
}

// FirstLink is the link of a first start, which is the last that it prints.
func (s *Server) FirstLink(t testing.TB) string {
	t.Helper()
	for until := time.Now().Add(Patience); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if _, secret, found := strings.Cut(s.hasSaid(), s.URL+"/console#first="); found {
			if secret, _, ended := strings.Cut(secret, "\n"); ended {
				return s.URL + "/console#first=" + secret
			}
		}
	}
	t.Fatalf("the server prints no link:\n%s", s.hasSaid())
	return ""
}

// mustReadOperator reads what the server leaves for its first operator.
func mustReadOperator(t testing.TB, dir string) Credentials {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "operator.json"))
	if err != nil {
		t.Fatal(err)
	}
	var left struct {
		Key    string `json:"api_key"`
		Secret string `json:"api_secret"`
	}
	if err := json.Unmarshal(text, &left); err != nil {
		t.Fatal(err)
	}
	return Credentials{left.Key, left.Secret}
}

// Connect returns the Go client for a key.
func Connect(t testing.TB, url, key, secret string) *client.Client {
	t.Helper()
	c, err := client.New(url, key, secret)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
