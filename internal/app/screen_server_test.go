package app

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/client"
	"signet/internal/clock"
	"signet/internal/config"
	"signet/internal/home"
)

// asServer has the tests' program be a server, whose settings it holds.
const asServer = "SIGNET_TEST_SERVER"

// serverSettings are those of a server in a process of its own.
type serverSettings struct {
	Data, Database     string
	Keyring, MasterKey string        // empty: its own
	Ahead              time.Duration // by how much its clock is
}

// serveUntilKilled is a server that takes from its standard input by how much its clock is
// ahead, and says that it has understood.
func serveUntilKilled(text string) error {
	var given serverSettings
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return err
	}
	cfg := config.Default()
	cfg.Listen, cfg.Data, cfg.Database = "127.0.0.1:0", given.Data, given.Database
	cfg.Keyring, cfg.MasterKey = given.Keyring, cmp.Or(given.MasterKey, cfg.MasterKey)
	local := []string{"127.0.0.1"}
	cfg.Egress = config.Egress{Push: local, Webhooks: local, Networks: local}
	cfg.Limits.MessagesPerDay, cfg.Limits.RequestsPerSecond = 0, 0
	cfg.Expiry.Sweep = 100 * time.Millisecond
	var ahead atomic.Int64
	ahead.Store(int64(given.Ahead))
	at := func(ctx context.Context, in surroundings) (*system, error) {
		in.clock = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		in.elapsed = func() time.Duration { return clock.Elapsed() + time.Duration(ahead.Load()) }
		in.offset = func(context.Context) (time.Duration, error) { return 0, nil }
		return assemble(ctx, in)
	}
	a, err := open(context.Background(), cfg, quiet(), Pace{}, at)
	if err != nil {
		return err
	}
	fmt.Println(a.BaseURL())
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel() // the test has ended
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); fmt.Println("understood") {
			n, err := strconv.ParseInt(lines.Text(), 10, 64)
			if err != nil {
				return
			}
			ahead.Store(n)
		}
	}()
	return a.Run(ctx)
}

// mortal is a server in a process of its own, that is killed and started again on the same
// data, and whose clock goes as the test says.
type mortal struct {
	t     *testing.T
	given serverSettings
	addr  atomic.Value // where it listens, or did last

	mu      sync.Mutex // guards all below: one thing is done to it at a time
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	lives   int
}

func mustBeMortal(t *testing.T, database string) *mortal {
	t.Helper()
	return mustBeMortalAt(t, serverSettings{Database: database})
}

// mustBeMortalAt is mustBeMortal for settings without a directory, which it gets.
func mustBeMortalAt(t *testing.T, given serverSettings) *mortal {
	t.Helper()
	given.Data = filepath.Join(t.TempDir(), "data")
	m := &mortal{t: t, given: given}
	m.addr.Store("")
	if err := m.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.end()
	})
	return m
}

func (m *mortal) start() error {
	text, err := json.Marshal(m.given)
	if err != nil {
		return err
	}
	m.process = exec.Command(os.Args[0])
	m.process.Env = append(os.Environ(), asServer+"="+string(text))
	m.process.Stderr = os.Stderr
	if m.in, err = m.process.StdinPipe(); err != nil {
		return err
	}
	out, err := m.process.StdoutPipe()
	if err != nil {
		return err
	}
	m.out = bufio.NewReader(out)
	if err := m.process.Start(); err != nil {
		return err
	}
	m.lives++
	base, err := m.out.ReadString('\n')
	if err != nil {
		return fmt.Errorf("the server does not say where it listens: %w", err)
	}
	m.addr.Store(base[len("http://") : len(base)-1])
	return nil
}

func (m *mortal) end() {
	_ = m.process.Process.Kill() // it may have ended, which Wait tells too
	_ = m.process.Wait()
}

// kill ends the server with nothing put in order, and starts it again.
func (m *mortal) kill() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end()
	return m.start()
}

// lived is how often it was started.
func (m *mortal) lived() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lives
}

// wait lets time pass by the server's clock.
func (m *mortal) wait(d time.Duration) {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.given.Ahead += d
	_, err := fmt.Fprintln(m.in, int64(m.given.Ahead))
	if err == nil {
		_, err = m.out.ReadString('\n')
	}
	if err != nil {
		m.t.Fatalf("the server does not understand what time it is: %v", err)
	}
}

// now is the time by the server's clock.
func (m *mortal) now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Now().Add(m.given.Ahead)
}

// line is how one client's connections go to a server, which can be cut.
type line struct {
	to        *mortal
	transport *http.Transport
	mu        sync.Mutex // guards open
	open      map[net.Conn]bool
}

func (m *mortal) line() *line {
	l := &line{to: m, open: map[net.Conn]bool{}}
	l.transport = &http.Transport{DialContext: l.dial, DisableCompression: true}
	m.t.Cleanup(l.transport.CloseIdleConnections)
	return l
}

func (l *line) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", l.to.addr.Load().(string))
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[c] = true
	return c, nil
}

// cut ends all connections, whatever goes over them.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		_ = c.Close() // it may have ended
	}
	clear(l.open)
}

// client makes calls over the line, each until it succeeds.
func (l *line) client(key, secret string) *client.Client {
	l.to.t.Helper()
	c, err := client.New("http://signet.test", key, secret, client.WithHTTPClient(&http.Client{Transport: l.transport}),
		client.WithRetry(client.RetryPolicy{Attempts: 1 << 30, MinDelay: 5 * time.Millisecond,
			MaxDelay: 50 * time.Millisecond, MaxWait: time.Minute}))
	if err != nil {
		l.to.t.Fatal(err)
	}
	return c
}

// operator is the client of the operator.
func (m *mortal) operator() *client.Client {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.given.Data, "operator.json"))
	if err != nil {
		m.t.Fatal(err)
	}
	fields := home.Credentials{}
	if err := json.Unmarshal(text, &fields); err != nil {
		m.t.Fatal(err)
	}
	return m.line().client(fields.Text(home.FieldKey), fields.Text(home.FieldSecret))
}
