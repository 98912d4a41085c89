package webpushtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Push is what a push service was given.
type Push struct {
	Path   string
	Header http.Header
	Body   []byte
}

// Service is a push service on 127.0.0.1, over plain HTTP.
type Service struct {
	URL string

	mu     sync.Mutex // guards what follows
	got    []Push
	answer func(Push) (status int, header http.Header)
	told   chan struct{}
}

// NewService starts one, which takes everything.
func NewService(t testing.TB) *Service {
	t.Helper()
	s := &Service{told: make(chan struct{}, 1)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Answer says what it answers from now on; nil: 201.
func (s *Service) Answer(with func(Push) (status int, header http.Header)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = with
}

// Take returns what it was given since the last time.
func (s *Service) Take() []Push {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	return got
}

// Told receives when it was given something.
func (s *Service) Told() <-chan struct{} { return s.told }

// ServeHTTP is part of http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // whoever sent it has left
	}
	p := Push{Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	s.mu.Lock()
	s.got = append(s.got, p)
	answer := s.answer
	s.mu.Unlock()
	status := http.StatusCreated
	if answer != nil {
		var header http.Header
		status, header = answer(p)
		for name, values := range header {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(status)
	select {
	case s.told <- struct{}{}:
	default:
	}
}
