package app

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/internal/systemd"
)

// listenForSystemd is systemd's end of what a Notifier says.
func listenForSystemd(t *testing.T) (*net.UnixConn, *systemd.Notifier) {
	t.Helper()
	dir, err := os.MkdirTemp("", "notify") // shorter than that of the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	variables := map[string]string{"NOTIFY_SOCKET": filepath.Join(dir, "notify"), "WATCHDOG_USEC": "2000"}
	ear, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: variables["NOTIFY_SOCKET"], Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ear.Close() })
	return ear, systemd.NewNotifier(func(name string) string { return variables[name] })
}

// heard returns what was said and not read yet, at most so many messages. It waits for none.
func heard(t *testing.T, ear *net.UnixConn, most int) (messages []string) {
	t.Helper()
	text := make([]byte, 4096)
	for range most {
		if err := ear.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		n, err := ear.Read(text)
		if err != nil {
			return messages
		}
		messages = append(messages, string(text[:n]))
	}
	return messages
}

// The watchdog hears of a store that answers, whatever that is, and nothing of one that does not: then
// systemd ends the server.
func TestWatchdogHearsNothingWhileTheStoreHangs(t *testing.T) {
	ear, notifier := listenForSystemd(t)
	l := &life{Life: Life{Systemd: notifier}, log: quiet()}
	asked, answers := make(chan struct{}), make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.watch(ctx, func(ctx context.Context) error {
			asked <- struct{}{}
			select {
			case err := <-answers:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	for _, answer := range []error{nil, errDraining} {
		<-asked
		if got := heard(t, ear, 1); len(got) > 0 {
			t.Errorf("before the store has answered it says %q", got)
		}
		answers <- answer
		text := make([]byte, 64)
		if err := ear.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if n, err := ear.Read(text); err != nil || string(text[:n]) != "WATCHDOG=1" {
			t.Errorf("after the store has answered %v it says %q, %v", answer, text[:n], err)
		}
	}
	<-asked // and there is no answer
	cancel()
	<-ended
	if got := heard(t, ear, 1); len(got) > 0 {
		t.Errorf("while the store hangs it says %q", got)
	}
}

// What the watchdog asks reaches the writer of the embedded store, and a reader.
func TestWatchdogAsksTheWriter(t *testing.T) {
	a, err := Open(t.Context(), settings(t), quiet())
	if err != nil {
		t.Fatal(err)
	}
	if err := a.alive(t.Context()); err != nil {
		t.Errorf("the store answers %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := a.alive(t.Context()); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a store that is closed answers %v", err)
	}
}
