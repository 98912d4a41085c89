package cli

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"signet/internal/config"
)

func TestHealthAsksTheServerOfThisMachine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", dir)
	address := strings.TrimPrefix(mustReadOperator(t, dir).Base_URL, "http://")
	_, port, _ := strings.Cut(address, ":")
	for name, args := range map[string][]string{
		"its address":   {"--listen", address},
		"all addresses": {"--listen", "0.0.0.0:" + port, "--insecure-http"},
		"no host":       {"--listen", ":" + port, "--insecure-http"},
		"live":          {"--listen", address, "--live"},
	} {
		code, stdout, stderr := run(t, nil, append([]string{"health"}, args...)...)
		if code != exitDone || stdout == "" || stderr != "" {
			t.Errorf("%s: exit code %d, printed %q and %q, want 0 and what the server says", name, code, stdout, stderr)
		}
	}
	if code, _, stderr := run(t, []string{"SIGNET_LISTEN=" + address, "HTTP_PROXY=http://127.0.0.1:1"},
		"health"); code != exitDone {
		t.Errorf("by the server's own variable, past a proxy: exit code %d, %s", code, stderr)
	}
	s.stop()
	code, stdout, stderr := run(t, nil, "health", "--listen", address)
	if code != exitFailed || stdout != "" || !strings.Contains(stderr, "does not answer") {
		t.Errorf("a server that is gone: exit code %d, printed %q and %q, want 1 and that it does not answer", code, stdout,
			stderr)
	}
}

func TestHealthOfAServerThatIsNotReady(t *testing.T) {
	away := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			http.Error(w, "stopping", http.StatusServiceUnavailable)
		}
	}))
	defer away.Close()
	where := []string{"--listen", away.Listener.Addr().String(), "--tls.cert", "cert.pem", "--tls.key", "key.pem"}
	code, stdout, stderr := run(t, nil, append([]string{"health"}, where...)...)
	if code != exitFailed || stdout != "" || stderr != "signet: stopping\n" {
		t.Errorf("exit code %d, printed %q and %q, want 1 and what the server said", code, stdout, stderr)
	}
	if code, _, stderr := run(t, nil, append([]string{"health", "--live"}, where...)...); code != exitDone {
		t.Errorf("it lives: exit code %d, %s", code, stderr)
	}
}

func TestWhereAServerIsOnItsOwnMachine(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080",
		"0.0.0.0:8080":   "http://127.0.0.1:8080",
		":8080":          "http://127.0.0.1:8080",
		"[::]:8080":      "http://[::1]:8080",
		"10.1.2.3:80":    "http://10.1.2.3:80",
	} {
		got, transport, err := ownAddress(&config.Config{Listen: listen})
		if err != nil || got != want {
			t.Errorf("%s: %s, error %v, want %s", listen, got, err, want)
		}
		transport.CloseIdleConnections()
	}
	if code, _, stderr := run(t, nil, "health", "--listen", "127.0.0.1:0"); code != exitWrong ||
		!strings.Contains(stderr, "port 0") {
		t.Errorf("port 0: exit code %d and %q, want 2 and why", code, stderr)
	}
}
