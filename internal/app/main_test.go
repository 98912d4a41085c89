package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"signet/internal/config"
	"signet/internal/testenv"
)

func TestMain(m *testing.M) {
	testenv.Clear()
	if text := os.Getenv(asServer); text != "" {
		if err := serveUntilKilled(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// harness stands in for everything above the network: handlers that wait when a
// test says so, and a record of what the server did in which order.
type harness struct {
	mu        sync.Mutex // guards all below
	did       []string
	exists    bool   // the operator account
	key       string // as it was made
	secret    string
	createErr error
	storeErr  error

	handler http.Handler
	streams chan struct{} // closed when event streams are to end
}

func newHarness(handler http.HandlerFunc) *harness {
	return &harness{handler: handler, streams: make(chan struct{})}
}

func (h *harness) assemble(context.Context, surroundings) (*system, error) {
	return &system{
		handler:        func(location) (http.Handler, error) { return h.handler, nil },
		operatorExists: h.operatorExists, firstOperator: h.firstOperator, ready: h.ready, alive: h.ready,
		tidy:           func(context.Context) error { h.note("files tidied"); return nil },
		background:     []func(context.Context){func(ctx context.Context) { <-ctx.Done(); h.note("task ended") }},
		endStreams:     func() { h.note("streams ended"); close(h.streams) },
		awaitLastWords: func(context.Context) int { return 0 },
		awaitStreams:   func(context.Context) int { return 0 }, cutStreams: func() {},
		close: func() error { h.note("store closed"); return nil },
	}, nil
}

func (h *harness) note(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.did = append(h.did, what)
}

func (h *harness) ready(context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.storeErr
}

func (h *harness) operatorExists(context.Context) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.exists, nil
}

func (h *harness) firstOperator(_ context.Context, key, secret string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.createErr == nil {
		h.exists, h.key, h.secret = true, key, secret
	}
	return h.createErr
}

func settings(t testing.TB) *config.Config {
	t.Helper()
	cfg := config.Default()
	cfg.Listen = "127.0.0.1:0"
	cfg.Data = filepath.Join(t.TempDir(), "data")
	return cfg
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func mustOpen(t *testing.T, cfg *config.Config, h *harness) *App {
	t.Helper()
	a, err := open(t.Context(), cfg, quiet(), Pace{}, h.assemble)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// mustRun serves until stop is called, which returns what Run returned.
func mustRun(t testing.TB, a *App) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	stop = sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() { stop() })
	return stop
}

// caller keeps no connections, which would outlive the test.
var caller = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}

func mustDo(t *testing.T, method, url string, header ...string) (*http.Response, string) {
	t.Helper()
	return mustFetch(t, caller, method, url, header...)
}

// mustFetch makes a call with headers, names and values in turn.
func mustFetch(t *testing.T, client *http.Client, method, url string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

func wantStatus(t *testing.T, answer *http.Response, want int) {
	t.Helper()
	if answer.StatusCode != want {
		t.Errorf("%s %s answered %d, want %d", answer.Request.Method, answer.Request.URL, answer.StatusCode, want)
	}
}

func mustReadJSON(t *testing.T, path string) map[string]any {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.NewDecoder(bytes.NewReader(content)).Decode(&fields); err != nil {
		t.Fatalf("%s: %v in %s", path, err, content)
	}
	return fields
}

func mustWrite(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}
