package cli

import (
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"signet/internal/app"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/systemd"
)

// mustPair starts a server that a standby can follow, and returns the settings of one, as flags.
func mustPair(t *testing.T) (flags []string) {
	t.Helper()
	key := filepath.Join(t.TempDir(), "standby.key")
	if err := os.WriteFile(key, []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	common := []string{"--listen", "127.0.0.1:0", "--standby.key", "file:" + key}
	dir := filepath.Join(t.TempDir(), "data")
	first := mustServe(t, nil, append(common, "--standby.listen", "127.0.0.1:0", "--data", dir)...)
	at, found := strings.CutPrefix(first.lines[0], "The other server of the pair connects to ")
	if !found {
		t.Fatalf("the server says %q", first.lines)
	}
	data := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{home.MasterFile, home.AuditKeyFile, home.OperatorFile} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(data, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return append(common, "--standby-of", "http://"+at, "--data", data)
}

// ear is systemd's end of what a program says.
type ear struct {
	*net.UnixConn
	t       *testing.T
	address string
}

func mustHear(t *testing.T) *ear {
	t.Helper()
	dir, err := os.MkdirTemp("", "notify") // shorter than that of the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	e := &ear{t: t, address: filepath.Join(dir, "notify")}
	if e.UnixConn, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: e.address, Net: "unixgram"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// until reads until something is said that begins so.
func (e *ear) until(begin string) {
	e.t.Helper()
	if err := e.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		e.t.Fatal(err)
	}
	text := make([]byte, 4096)
	for {
		n, err := e.Read(text)
		if err != nil {
			e.t.Fatalf("it does not say %q: %v", begin, err)
		}
		if strings.HasPrefix(string(text[:n]), begin) {
			return
		}
	}
}

// forget drops what was said until now.
func (e *ear) forget() {
	e.t.Helper()
	if err := e.SetReadDeadline(time.Unix(1, 0)); err != nil {
		e.t.Fatal(err)
	}
	raw, err := e.SyscallConn()
	if err != nil {
		e.t.Fatal(err)
	}
	text := make([]byte, 4096)
	err = raw.Control(func(fd uintptr) {
		for {
			if _, _, err := syscall.Recvfrom(int(fd), text, syscall.MSG_DONTWAIT); err != nil {
				return
			}
		}
	})
	if err != nil {
		e.t.Fatal(err)
	}
}

// SIGHUP, which ends a program that does not hear it, has a standby reload, as it has a server.
func TestStandbyReloads(t *testing.T) {
	kept := make(chan os.Signal, 1)
	signal.Notify(kept, syscall.SIGHUP) // where the standby does not hear it, this test still ends
	defer signal.Stop(kept)
	e := mustHear(t)
	s := mustServe(t, []string{"INVOCATION_ID=one", "NOTIFY_SOCKET=" + e.address}, mustPair(t)...)
	e.until("READY=1\nSTATUS=a standby of")
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	e.until("RELOADING=1")
	e.until("READY=1\nSTATUS=a standby of")
	if code := s.stop(); code != 0 {
		t.Errorf("exit code is %d; it logged %s", code, s.stderr)
	}
}

// A standby that was promoted may take long to open what it has copied. The watchdog hears meanwhile that it
// is alive.
func TestPromotedStandbyIsAliveBeforeItServes(t *testing.T) {
	e := mustHear(t)
	flags := mustPair(t)
	cfg := config.Default()
	cfg.Listen, cfg.Standby.Key, cfg.StandbyOf, cfg.Data = "127.0.0.1:0", flags[3], flags[5], flags[7]
	variables := map[string]string{"NOTIFY_SOCKET": e.address, "WATCHDOG_USEC": "20000"}
	life := app.Life{Systemd: systemd.NewNotifier(func(name string) string { return variables[name] })}
	f := newFollowing(t.Context(), slog.New(slog.DiscardHandler))
	defer f.end()
	done := make(chan error, 1)
	go func() {
		serves, err := f.run(t.Context(), &console{stdout: io.Discard, stderr: io.Discard}, cfg, &life)
		if err == nil && !serves {
			err = context.Canceled
		}
		done <- err
	}()
	e.until("READY=1")
	for { // until it has a whole copy
		code, stdout, stderr := run(t, nil, append([]string{"promote"}, flags...)...)
		if code == 0 {
			break
		}
		if !strings.Contains(stderr, "no whole copy yet") && !strings.Contains(stderr, "serves") {
			t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	e.forget()
	e.until("WATCHDOG=1")
}
