// Command stage is what the tests of the pages play on: it starts the built server, on the engine that
// SIGNET_TEST_ENGINE asks for, and stands in front of it. What browsers send and get passes through it, is held to the
// OpenAPI document, and can be cut off.
//
// It owns servers and what lies on disk for them, and ends with them when nobody holds its standard input any more,
// also where the tests were killed. It does not know what a test does. It says on standard output where it takes
// commands:
//
//	POST /servers         {"args": [...]}: starts a server; answers with a described
//	POST /servers/N/stop  ends it; answers with all that it has printed
//	POST /servers/N/cut   ends its connections with browsers, and lets none through
//	POST /servers/N/mend  lets them through again
//	POST /servers/N/kill  lets its connections with browsers die without a word
//	GET  /servers/N/said  what it has printed
//	GET  /servers/N/log   what it has logged
//	GET  /problems        what was not as the document has it, once
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"

	"signet/internal/testenv"
	"signet/openapi/openapitest"
)

func main() {
	testenv.Clear()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "stage:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	dir, err := os.MkdirTemp("", "signet-stage-")
	if err != nil {
		return err
	}
	s := &stage{test: &collector{dir: dir}}
	defer func() { err = errors.Join(err, s.end(), os.RemoveAll(dir)) }()
	if s.program, err = testenv.Build(dir); err != nil {
		return err
	}
	s.validator = openapitest.New(s.test)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	commands := &http.Server{Handler: s.commands()}
	go func() { _ = commands.Serve(listener) }() // until it is closed
	fmt.Printf("http://%s\n", listener.Addr())
	told, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until nobody holds it
		stop()
	}()
	<-told.Done()
	return commands.Close()
}

// stage is what the tests of one worker have.
type stage struct {
	program   string
	test      *collector
	validator *openapitest.Validator

	mu      sync.Mutex // guards servers
	servers []*server
}

// described tells a test of a server.
type described struct {
	ID       int         `json:"id"`
	URL      string      `json:"url"`    // for browsers: through the stage
	Direct   string      `json:"direct"` // of the server itself
	Operator credentials `json:"operator"`
}

// credentials are a key and its secret, as the TypeScript client takes them.
type credentials struct {
	Key    string `json:"key"`
	Secret string `json:"secret"`
}

func (s *stage) commands() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /servers", command(func(r *http.Request) (any, error) {
		var asked struct{ Args []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			return nil, err
		}
		return s.start(asked.Args)
	}))
	one := func(pattern string, do func(*server) any) {
		mux.Handle(pattern, command(func(r *http.Request) (any, error) {
			id, err := strconv.Atoi(r.PathValue("id"))
			s.mu.Lock()
			defer s.mu.Unlock()
			if err != nil || id < 0 || id >= len(s.servers) {
				return nil, fmt.Errorf("there is no server %q", r.PathValue("id"))
			}
			return do(s.servers[id]), nil
		}))
	}
	one("POST /servers/{id}/stop", func(one *server) any { return one.stop() })
	one("POST /servers/{id}/cut", func(one *server) any { one.front.set(true); return nil })
	one("POST /servers/{id}/mend", func(one *server) any { one.front.set(false); return nil })
	one("POST /servers/{id}/kill", func(one *server) any { one.front.kill(); return nil })
	one("GET /servers/{id}/said", func(one *server) any { return one.hasSaid() })
	one("GET /servers/{id}/log", func(one *server) any { return one.log() })
	mux.Handle("GET /problems", command(func(*http.Request) (any, error) { return s.test.take(), nil }))
	return mux
}

// command answers with JSON, or with what went wrong.
func command(do func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := do(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(answer) // whoever asked finds out
	})
}

func (s *stage) start(args []string) (*described, error) {
	one, err := serve(s, args)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.servers = append(s.servers, one)
	return &described{len(s.servers) - 1, one.front.url, one.url, one.operator}, nil
}

// end ends all servers.
func (s *stage) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.servers {
		one.stop()
	}
	return s.test.end()
}
