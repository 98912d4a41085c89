package webtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"signet/client"
)

// patience is how long a server may take to start or to end.
const patience = 20 * time.Second

// server is a server of its own, on a directory of its own.
type server struct {
	url      string
	operator credentials
}

// credentials are a key and its secret.
type credentials struct {
	Key    string `json:"key"`
	Secret string `json:"secret"`
}

// mustServe starts a server that ends with the test.
func mustServe(t *testing.T, args ...string) server {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	var log bytes.Buffer
	command := exec.Command(program, append([]string{"serve", "--listen", "127.0.0.1:0", "--data", dir}, args...)...)
	command.Env = []string{} // nothing from the environment of the tests
	command.Stderr = &log
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	listening, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if _, base, found := strings.Cut(lines.Text(), ", base URL "); found {
				listening <- strings.TrimSuffix(base, "/v2")
			}
		}
		_ = command.Wait() // the tests have asked all that they want to know
	}()
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM) // it may have ended
		<-ended
		if t.Failed() {
			t.Logf("the server logged:\n%s", log.String())
		}
	})
	select {
	case url := <-listening:
		return server{url: url, operator: mustReadOperator(t, dir)}
	case <-ended:
	case <-time.After(patience):
	}
	t.Fatal("the server does not listen")
	return server{}
}

// mustReadOperator reads what the server leaves for its first operator.
func mustReadOperator(t *testing.T, dir string) credentials {
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
	return credentials(left)
}

// mustConnect returns the Go client for a key.
func mustConnect(t *testing.T, url string, as credentials) *client.Client {
	t.Helper()
	c, err := client.New(url, as.Key, as.Secret)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
