// Package natstest gives tests a real NATS server, in process, on a free port of
// 127.0.0.1. It knows how to stop it and to start it again; it knows nothing of
// what is said through it. It is imported by tests only.
package natstest

import (
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// patience is how long the server may take to start, or to stop.
const patience = 10 * time.Second

// Server is a NATS server that ends with the test.
type Server struct {
	options server.Options
	running *server.Server
}

// Start starts a server, with the settings that the test changes.
func Start(t testing.TB, changes ...func(*server.Options)) *Server {
	t.Helper()
	s := &Server{options: server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true}}
	for _, change := range changes {
		change(&s.options)
	}
	s.Restart(t)
	t.Cleanup(func() { s.Stop(t) })
	return s
}

// URL is where the server is, also while it is stopped.
func (s *Server) URL() string { return "nats://" + s.Addr() }

// URLAs is the same address with a user and a password.
func (s *Server) URLAs(user, password string) string {
	u := url.URL{Scheme: "nats", User: url.UserPassword(user, password), Host: s.Addr()}
	return u.String()
}

// Addr is the host and port that the server listens on.
func (s *Server) Addr() string {
	return (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: s.options.Port}).String()
}

// Stop ends all connections and the server.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	if s.running == nil {
		return
	}
	s.running.Shutdown()
	s.running.WaitForShutdown()
	s.running = nil
}

// Restart starts a stopped server, at the same address. What was said meanwhile
// nobody has heard: NATS core keeps nothing.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	options := s.options // the server changes what it is given
	running, err := server.NewServer(&options)
	if err != nil {
		t.Fatalf("start NATS: %v", err)
	}
	running.Start()
	if !running.ReadyForConnections(patience) {
		running.Shutdown()
		t.Fatal("NATS does not start")
	}
	s.running = running
	s.options.Port = running.Addr().(*net.TCPAddr).Port
}

// Subscriptions returns how many subscriptions clients have.
func (s *Server) Subscriptions() int { return int(s.running.NumSubscriptions()) }
