package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/testenv"
	"signet/internal/testlog"
)

func answerOK(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }

func TestOpenMakesAPrivateDirectory(t *testing.T) {
	cfg := settings(t)
	mustOpen(t, cfg, newHarness(answerOK))
	info, err := os.Stat(cfg.Data)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("mode of the data directory is %v, want 0700", info.Mode().Perm())
	}
}

// Also files whose directory is closed: a copy of the whole, or a mount elsewhere, may not be.
func TestFilesThatOthersMayReadAreTold(t *testing.T) {
	cfg := pairSettings(t)
	cfg.Keyring = "file:" + filepath.Join(t.TempDir(), "ring")
	start := func() string {
		t.Helper()
		log := new(testlog.Log)
		a, err := Open(t.Context(), cfg, slog.New(slog.NewTextHandler(log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		return log.String()
	}
	const told = "is open to other users of this machine"
	if log := start() + start(); strings.Contains(log, told) {
		t.Errorf("of files as the server makes them it says %s", log)
	}
	for _, path := range []string{home.Database(cfg.Data), strings.TrimPrefix(cfg.Keyring, "file:"),
		strings.TrimPrefix(cfg.Standby.Key, "file:"), filepath.Join(cfg.Data, home.OperatorFile)} {
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		if log := start(); strings.Count(log, told) != 1 || !strings.Contains(log, "file="+path+" mode=-rw-r--r--") {
			t.Errorf("of %s with mode 0644 it says %s", path, log)
		}
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSecondServerOnADirectoryIsRefused(t *testing.T) {
	cfg := settings(t)
	first := mustOpen(t, cfg, newHarness(answerOK))
	_, err := open(t.Context(), cfg, quiet(), Pace{}, newHarness(answerOK).assemble)
	if err == nil {
		t.Fatal("a second server opened the directory of a running one")
	}
	if !strings.Contains(err.Error(), cfg.Data) {
		t.Errorf("the refusal does not name the directory: %v", err)
	}
	// The refusal left no trace in what belongs to the first one.
	if got := mustReadJSON(t, first.OperatorFile())["base_url"]; got != first.BaseURL() {
		t.Errorf("base_url is %v, want that of the running server, %s", got, first.BaseURL())
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, cfg, newHarness(answerOK))
}

func TestOpenThatFailsLeavesNothingOpen(t *testing.T) {
	free, err := testenv.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	cfg := settings(t)
	cfg.Listen = free

	broken := errors.New("data of a newer version")
	_, err = open(t.Context(), cfg, quiet(), Pace{},
		func(context.Context, surroundings) (*system, error) { return nil, broken })
	if !errors.Is(err, broken) {
		t.Fatalf("got error %v, want %v", err, broken)
	}
	h := newHarness(answerOK)
	h.createErr = errors.New("disk full")
	if _, err = open(t.Context(), cfg, quiet(), Pace{}, h.assemble); !errors.Is(err, h.createErr) {
		t.Fatalf("got error %v, want %v", err, h.createErr)
	}
	if len(h.did) != 1 || h.did[0] != "store closed" {
		t.Errorf("after the failure the server did %q, want the store closed", h.did)
	}
	mustOpen(t, cfg, newHarness(answerOK)) // the same port and directory
}

func TestOpenRefusesInvalidSettings(t *testing.T) {
	cfg := settings(t)
	cfg.Limits.Burst = -1
	_, err := open(t.Context(), cfg, quiet(), Pace{}, newHarness(answerOK).assemble)
	if err == nil || !strings.Contains(err.Error(), "limits.burst") {
		t.Errorf("got error %v, want one about limits.burst", err)
	}
	if _, err := os.Stat(cfg.Data); err == nil {
		t.Error("the data directory was made nevertheless")
	}
}

func TestOpenRefusesATakenPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	address := taken.Addr().String()
	for flag, change := range map[string]func(*config.Config){
		"--listen":         func(cfg *config.Config) { cfg.Listen = address },
		"--metrics.listen": func(cfg *config.Config) { cfg.Metrics.Listen = address },
	} {
		h, cfg := newHarness(answerOK), settings(t)
		change(cfg)
		_, err := open(t.Context(), cfg, quiet(), Pace{}, h.assemble)
		if err == nil {
			t.Fatalf("%s: opened with a port that is taken", flag)
		}
		for _, want := range []string{address, flag, "another program", "end it, or choose another"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is not in the error: %v", flag, want, err)
			}
		}
		if home.Exists(cfg.Data) || len(h.did) > 0 {
			t.Errorf("%s: it made a data directory for a server that cannot listen, and did %q", flag, h.did)
		}
	}
}

// Also of a directory that is there and empty, as a volume is at first.
func TestTakenPortLeavesAnEmptyDirectoryEmpty(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	cfg := settings(t)
	cfg.Listen = taken.Addr().String()
	if err := os.Mkdir(cfg.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), cfg, quiet()); err == nil {
		t.Fatal("opened with a port that is taken")
	}
	if entries, err := os.ReadDir(cfg.Data); err != nil || len(entries) > 0 {
		t.Errorf("the directory holds %v, %v, want nothing", entries, err)
	}
}

// While the data is looked at and brought up to date, a client, or the balancer before
// it, finds a closed port and goes elsewhere. What is wrong with the data is said also
// where the port is taken.
func TestStartLooksAtItsDataBeforeItOpensAPort(t *testing.T) {
	free, err := testenv.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	cfg := settings(t)
	cfg.Listen = free
	h := newHarness(answerOK)
	a, err := open(t.Context(), cfg, quiet(), Pace{}, func(ctx context.Context, in surroundings) (*system, error) {
		if conn, err := net.Dial("tcp", cfg.Listen); err == nil {
			conn.Close()
			t.Error("the port is open before the data was looked at")
		}
		return h.assemble(ctx, in)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()

	other := settings(t)
	other.Listen = a.Addr().String()
	if err := os.MkdirAll(filepath.Join(other.Data, "blobs"), 0o700); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("data of a newer version")
	_, err = open(t.Context(), other, quiet(), Pace{},
		func(context.Context, surroundings) (*system, error) { return nil, broken })
	if !errors.Is(err, broken) {
		t.Errorf("with a taken port and broken data it says %v, want %v", err, broken)
	}
}

func TestADataPathThatIsAFileIsRefused(t *testing.T) {
	cfg := settings(t)
	cfg.Data = filepath.Join(t.TempDir(), "file")
	mustWrite(t, cfg.Data, "", 0o600)
	if _, err := open(t.Context(), cfg, quiet(), Pace{}, newHarness(answerOK).assemble); err == nil {
		t.Error("opened with a file for the data directory")
	}
}

func TestCloseMayBeCalledTwice(t *testing.T) {
	h := newHarness(answerOK)
	a := mustOpen(t, settings(t), h)
	if err := errors.Join(a.Close(), a.Close()); err != nil {
		t.Error(err)
	}
	if len(h.did) != 1 {
		t.Errorf("closing twice did %q, want the store closed once", h.did)
	}
}

func TestBaseURL(t *testing.T) {
	tcp := func(ip string, port int) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: port} }
	for _, test := range []struct {
		listen    string
		addr      net.Addr
		encrypted bool
		name      string
		want      string
	}{
		{"127.0.0.1:0", tcp("127.0.0.1", 4321), false, "", "http://127.0.0.1:4321"},
		{"0.0.0.0:8080", tcp("0.0.0.0", 8080), false, "", "http://127.0.0.1:8080"},
		{":8080", tcp("::", 8080), false, "", "http://[::1]:8080"},
		{"[::1]:8080", tcp("::1", 8080), false, "", "http://[::1]:8080"},
		{"localhost:0", tcp("127.0.0.1", 4321), false, "", "http://localhost:4321"},
		{":8443", tcp("::", 8443), true, "", "https://[::1]:8443"},
		{":8443", tcp("::", 8443), true, "messages.example.com", "https://messages.example.com:8443"},
		{":443", tcp("::", 443), true, "messages.example.com", "https://messages.example.com"},
		{"[::1]:443", tcp("::1", 443), true, "", "https://[::1]"},
	} {
		if got := baseURL(test.listen, test.addr, test.encrypted, test.name); got != test.want {
			t.Errorf("listen %q at %v, encrypted %v for %q, gives %s, want %s", test.listen, test.addr, test.encrypted,
				test.name, got, test.want)
		}
	}
}

func TestBaseURLThatIsSetWins(t *testing.T) {
	for set, want := range map[string]string{
		"https://messages.example.com/": "https://messages.example.com",
		"https://example.com/messages":  "https://example.com/messages",
	} {
		cfg := settings(t)
		cfg.BaseURL = set
		if got := mustOpen(t, cfg, newHarness(answerOK)).BaseURL(); got != want {
			t.Errorf("base_url %q gives %s, want %s", set, got, want)
		}
	}
}
