package systemd

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// variables reads an environment of the test's own.
func variables(of map[string]string) func(string) string {
	return func(name string) string { return of[name] }
}

// mustListen is systemd's end of NOTIFY_SOCKET.
func mustListen(t *testing.T, name string) *net.UnixConn {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func mustHear(t *testing.T, conn *net.UnixConn) string {
	t.Helper()
	text := make([]byte, 4096)
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	n, err := conn.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(text[:n])
}

func TestNotifierSpeaksTheProtocol(t *testing.T) {
	dir, err := os.MkdirTemp("", "notify") // shorter than that of the test
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{filepath.Join(dir, "notify"), "@signet-test-" + strconv.Itoa(os.Getpid())} {
		systemd := mustListen(t, name)
		n := NewNotifier(variables(map[string]string{"NOTIFY_SOCKET": name}))
		for _, c := range []struct {
			say  func() error
			want string
		}{
			{func() error { return n.Ready("listens on :8080") }, "READY=1\nSTATUS=listens on :8080"},
			{n.Alive, "WATCHDOG=1"},
			{func() error { return n.Status("two\nlines") }, "STATUS=two; lines"},
			{func() error { return n.Succeeded(17) }, "MAINPID=17\nREADY=1"},
			{func() error { return n.Stopping("stops") }, "STOPPING=1\nSTATUS=stops"},
		} {
			if err := c.say(); err != nil {
				t.Fatal(err)
			}
			if got := mustHear(t, systemd); got != c.want {
				t.Errorf("it says %q, want %q", got, c.want)
			}
		}
		before := monotonic()
		if err := n.Reloading(); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(mustHear(t, systemd), "\n")
		at, found := strings.CutPrefix(lines[len(lines)-1], "MONOTONIC_USEC=")
		usec, err := strconv.ParseInt(at, 10, 64)
		if lines[0] != "RELOADING=1" || !found || err != nil ||
			usec < before.Microseconds() || usec > monotonic().Microseconds() {
			t.Errorf("reloading, it says %q, want the time of the monotonic clock", lines)
		}
	}
}

func TestNobodyIsToldWithoutSystemd(t *testing.T) {
	n := NewNotifier(variables(nil))
	if err := n.Ready("ready"); err != nil || n.Watchdog() != 0 {
		t.Errorf("it answers %v, and watches every %v", err, n.Watchdog())
	}
	gone := NewNotifier(variables(map[string]string{"NOTIFY_SOCKET": "/nowhere/notify"}))
	if err := gone.Ready("ready"); err == nil {
		t.Error("a socket that is not there was told")
	}
}

func TestWatchdogIsForTheProcessThatItNames(t *testing.T) {
	for _, c := range []struct {
		process, period string
		want            time.Duration
	}{
		{"", "30000000", 30 * time.Second},
		{strconv.Itoa(os.Getpid()), "30000000", 30 * time.Second},
		{"1", "30000000", 0},
		{"", "", 0},
		{"", "0", 0},
		{"", "soon", 0},
	} {
		n := NewNotifier(variables(map[string]string{"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_PID": c.process,
			"WATCHDOG_USEC": c.period}))
		if got := n.Watchdog(); got != c.want {
			t.Errorf("of process %q and period %q it is %v, want %v", c.process, c.period, got, c.want)
		}
	}
}

func TestSocketsAreForTheProcessThatTheyName(t *testing.T) {
	for _, process := range []string{"", "1"} {
		sockets, err := Sockets(variables(map[string]string{"LISTEN_PID": process, "LISTEN_FDS": "1"}))
		if err != nil || len(sockets) > 0 {
			t.Errorf("for process %q there are %v, %v", process, sockets, err)
		}
	}
	_, err := Sockets(variables(map[string]string{"LISTEN_PID": strconv.Itoa(os.Getpid()), "LISTEN_FDS": "x"}))
	if err == nil {
		t.Error("x sockets were taken")
	}
}

func TestSuccessorGetsWhatIsForIt(t *testing.T) {
	got := ForSuccessor([]string{"LISTEN_PID=1", "LISTEN_FDS=1", "LISTEN_FDNAMES=a", "WATCHDOG_PID=1", "WATCHDOG_USEC=5",
		"NOTIFY_SOCKET=/run/x", "SIGNET_DATA=/d"})
	if want := []string{"WATCHDOG_USEC=5", "NOTIFY_SOCKET=/run/x", "SIGNET_DATA=/d"}; !slices.Equal(got, want) {
		t.Errorf("it gets %q, want %q", got, want)
	}
}
