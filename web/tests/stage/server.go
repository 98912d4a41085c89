package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"signet/internal/app/apptest"
	"signet/internal/store/enginetest"
)

// patience is how long a server may take to listen on a machine with other work.
const patience = 60 * time.Second

// server is a process on a directory of its own.
type server struct {
	url      string // of the server itself, without the final /v2
	operator credentials
	front    *front

	process *os.Process
	ended   chan struct{}
	logged  string // the file

	mu   sync.Mutex // guards said
	said string     // on standard output
}

// serve starts the program, on PostgreSQL where SIGNET_TEST_ENGINE is "postgres", and a front before it, whose address
// the arguments have as {front}.
func serve(on *stage, args []string) (*server, error) {
	var dir, data string
	all := []string{"serve", "--listen", "127.0.0.1:0", "--egress.webhooks", "hooks.example.com"}
	err := on.test.try(func() {
		dir = on.test.TempDir()
		data = filepath.Join(dir, "data")
		all = append(all, "--data", data)
		if database := enginetest.Address(on.test, dir); database != "" {
			ring, master := apptest.SharedKeys(on.test)
			all = append(all, "--database", database, "--keyring", ring, "--master-key", master)
		}
	})
	if err != nil {
		return nil, err
	}
	s := &server{ended: make(chan struct{}), logged: filepath.Join(dir, "log")}
	if s.front, err = newFront(); err != nil {
		return nil, err
	}
	log, err := os.Create(s.logged)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	for _, arg := range args {
		all = append(all, strings.ReplaceAll(arg, "{front}", s.front.url))
	}
	command := exec.Command(on.program, all...)
	command.Env = []string{} // nothing from the environment of the tests
	command.Stderr = log
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	s.process = command.Process
	ready := make(chan struct{})
	go func() {
		defer close(s.ended)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if s.hears(lines.Text()) {
				close(ready)
			}
		}
		_ = command.Wait() // the tests have asked all that they want to know
	}()
	select {
	case <-ready:
		if s.operator, err = readOperator(data); err == nil {
			err = s.front.open(s.url, on.test, on.validator)
		}
	case <-s.ended:
		err = fmt.Errorf("the server has ended:\n%s", s.log())
	case <-time.After(patience):
		err = errors.New("the server does not listen")
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// hears takes a line that the server prints, and reports whether it is the last one that every start prints.
func (s *server) hears(line string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said += line + "\n"
	if address, _, found := strings.Cut(strings.TrimPrefix(line, "Listening on "), ", base URL "); found {
		s.url = "http://" + address
	}
	return strings.HasPrefix(line, "Operator credentials: ")
}

// stop ends the server, and its front with it, and returns what it has printed.
func (s *server) stop() string {
	_ = s.process.Signal(syscall.SIGTERM) // it may have ended
	<-s.ended
	s.front.close()
	return s.hasSaid()
}

func (s *server) hasSaid() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said
}

func (s *server) log() string {
	text, err := os.ReadFile(s.logged)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// readOperator reads what the server leaves for its first operator.
func readOperator(dir string) (credentials, error) {
	text, err := os.ReadFile(filepath.Join(dir, "operator.json"))
	if err != nil {
		return credentials{}, err
	}
	var left struct {
		Key    string `json:"api_key"`
		Secret string `json:"api_secret"`
	}
	err = json.Unmarshal(text, &left)
	return credentials{left.Key, left.Secret}, err
}
