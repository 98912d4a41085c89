package apptest

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"signet/client"
	"signet/internal/app"
	"signet/internal/config"
	"signet/internal/seal"
	"signet/internal/store/enginetest"
	"signet/internal/store/postgrestest"
	"signet/internal/testlog"
	"signet/openapi/openapitest"
)

// Patience is how long a test waits for what takes moments, before it says that
// it does not come.
const Patience = 30 * time.Second

// pace is that of the servers of tests, which wait for what a server does by itself.
var pace = app.Pace{
	Await: 50 * time.Millisecond, Outage: 50 * time.Millisecond, Quiet: 500 * time.Millisecond,
	Alone: 200 * time.Millisecond, Connected: 500 * time.Millisecond,
}

// Server is a running server on a directory of its own.
type Server struct {
	URL      string // without the final /v2
	Operator *Person
	Log      *testlog.Log

	address string // that it listens on
	t       testing.TB
	cfg     *config.Config
	checks  *openapitest.Validator
	allowed []string // what may be in the log of warnings
	stop    func()
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
	if cfg.Database != "" && cfg.Keyring == "" { // it may not stay alone
		cfg.Keyring, cfg.MasterKey = SharedKeys(t)
	}
	s, operatorFile := run(t, cfg)
	s.Operator = s.mustReadOperator(operatorFile)
	return s
}

// SharedKeys returns the settings keyring and master_key for servers that share a
// database.
func SharedKeys(t testing.TB) (keyring, masterKey string) {
	t.Helper()
	text, err := seal.NewMasterKey()
	path := filepath.Join(t.TempDir(), "master.json")
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return postgrestest.URL(t), "file:" + path
}

// Another runs one more server on the same database, with the same attachments and
// settings but for its own directory and address, as the test changes them, until the
// test ends.
func (s *Server) Another(changes ...func(*config.Config)) *Server {
	s.t.Helper()
	cfg := *s.cfg
	cfg.Data = filepath.Join(s.t.TempDir(), "data")
	if cfg.Blobs == "" {
		cfg.Blobs = filepath.Join(s.cfg.Data, "blobs")
	}
	for _, change := range changes {
		change(&cfg)
	}
	other, _ := run(s.t, &cfg)
	other.Operator = other.As(s.Operator)
	return other
}

// run runs a server until the test ends, or Stop.
func run(t testing.TB, cfg *config.Config) (s *Server, operatorFile string) {
	t.Helper()
	var options []openapitest.Option
	if cfg.Vendor != config.Default().Vendor {
		options = append(options, openapitest.WithVendor(cfg.Vendor.Prefix, cfg.Vendor.Namespace))
	}
	s = &Server{Log: new(testlog.Log), t: t, cfg: cfg, checks: openapitest.New(t, options...)}
	for _, text := range []string{
		"made a master key", "made a key ring", // told at a first start
		"the key ring is on the PostgreSQL server of the database", // which tests share
	} {
		s.Allow(text)
	}
	// Everything is logged, so that a test can look for what never may be.
	logger := slog.New(slog.NewTextHandler(s.Log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	a, err := app.OpenAt(t.Context(), cfg, logger, pace)
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
	s.URL, s.address = a.BaseURL(), "http://"+a.Addr().String()
	if cfg.BaseURL != "" {
		s.URL = s.address // of what others reach by another name
	}
	return s, a.OperatorFile()
}

// Address is the server's URL without any proxy, for plain HTTP.
func (s *Server) Address() string { return s.address }

// Stop stops the server before the test ends.
func (s *Server) Stop() { s.stop() }

// Allow lets warnings that hold a text be in the log.
func (s *Server) Allow(text string) { s.allowed = append(s.allowed, text) }

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
	c, err := client.New(s.URL, p.Key, p.Secret, client.WithHTTPClient(s.NewHTTPClient()),
		client.WithVendor(s.cfg.Vendor.Prefix, s.cfg.Vendor.Namespace))
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s *Server) wantQuietLog() {
	s.t.Helper()
	for line := range strings.Lines(s.Log.String()) {
		allowed := func(text string) bool { return strings.Contains(line, text) }
		if (strings.Contains(line, "level=ERROR") || strings.Contains(line, "level=WARN")) &&
			!slices.ContainsFunc(s.allowed, allowed) {
			s.t.Errorf("the server logged %s", line)
		}
	}
}
