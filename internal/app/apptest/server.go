package apptest

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"signet/client"
	"signet/internal/app"
	"signet/internal/config"
	"signet/internal/store/enginetest"
	"signet/openapi/openapitest"
)

// Patience is how long a test waits for what takes moments, before it says that
// it does not come.
const Patience = 30 * time.Second

// Server is a running server on a directory of its own.
type Server struct {
	URL      string // without the final /v2
	Operator *Person
	Log      *Log

	t      testing.TB
	vendor config.Vendor
	checks *openapitest.Validator
	stop   func() // waits until the server has stopped
}

// Start runs a server with the default settings, as the test changes them, until
// the test ends. Whatever it logs as a warning or an error fails the test.
func Start(t testing.TB, changes ...func(*config.Config)) *Server {
	t.Helper()
	cfg := config.Default()
	dir := t.TempDir()
	cfg.Listen, cfg.Data, cfg.Database = "127.0.0.1:0", filepath.Join(dir, "data"), enginetest.Address(t, dir)
	for _, change := range changes {
		change(cfg)
	}
	var options []openapitest.Option
	if cfg.Vendor != config.Default().Vendor {
		options = append(options, openapitest.WithVendor(cfg.Vendor.Prefix, cfg.Vendor.Namespace))
	}
	s := &Server{Log: new(Log), t: t, vendor: cfg.Vendor, checks: openapitest.New(t, options...)}
	// Everything is logged, so that a test can look for what never may be.
	logger := slog.New(slog.NewTextHandler(s.Log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	a, err := app.Open(t.Context(), cfg, logger)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	s.stop = sync.OnceFunc(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("stop the server: %v", err)
		}
		s.wantQuietLog()
	})
	t.Cleanup(s.stop)
	s.URL = a.BaseURL()
	s.Operator = s.mustReadOperator(a.OperatorFile())
	return s
}

// Stop stops the server, as the end of the test does.
func (s *Server) Stop() { s.stop() }

// Same returns somebody of another server as a client of this one, which was made
// from that one's data.
func (s *Server) Same(p *Person) *Person {
	s.t.Helper()
	same := *p
	same.Client = s.mustConnect(&same)
	return &same
}

// mustReadOperator reads the credentials that the server left for its operator.
func (s *Server) mustReadOperator(path string) *Person {
	s.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	var credentials struct {
		Key    string `json:"api_key"`
		Secret string `json:"api_secret"`
	}
	if err := json.Unmarshal(text, &credentials); err != nil {
		s.t.Fatalf("%s: %v", path, err)
	}
	operator := &Person{Name: "operator", Key: credentials.Key, Secret: credentials.Secret}
	operator.Client = s.mustConnect(operator)
	self, err := operator.Client.Self(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	operator.Token = self.Token
	return operator
}

// NewHTTPClient returns a client with connections of its own, as every program
// has. It asks for no compression, follows no redirects, and holds whatever
// passes against the OpenAPI document.
func (s *Server) NewHTTPClient() *http.Client {
	transport := &http.Transport{DisableCompression: true}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     s.checks.RoundTripper(transport),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (s *Server) mustConnect(p *Person) *client.Client {
	s.t.Helper()
	c, err := client.New(s.URL, p.Key, p.Secret, client.WithHTTPClient(s.NewHTTPClient()), client.WithVendor(s.vendor.Prefix, s.vendor.Namespace))
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s *Server) wantQuietLog() {
	s.t.Helper()
	for line := range strings.Lines(s.Log.String()) {
		if strings.Contains(line, "level=ERROR") || strings.Contains(line, "level=WARN") {
			s.t.Errorf("the server logged %s", line)
		}
	}
}

// Log collects what a server writes. It is safe for concurrent use.
type Log struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

// Write appends to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns everything that was logged so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
