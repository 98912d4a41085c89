package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"signet/client"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// mustTakeOver starts a process that takes the server's place, and waits until the one before has
// ended well.
func (s *server) mustTakeOver(more ...string) {
	s.t.Helper()
	before, args := s.current(), s.args
	s.args = append(args[:len(args):len(args)], append(more, "--take-over")...)
	p := s.mustLaunch()
	s.args = args
	s.mustListen(p)
	s.wantEnd(before)
}

// strict has everybody's calls made once: what fails is not tried again.
func (c *campaign) strict(s *server) {
	c.t.Helper()
	once := func(p *person) { p.Client = s.client(p.key, p.secret, client.WithRetry(client.NoRetry())) }
	once(&c.reader.person)
	once(&c.hoarder)
	for _, sender := range c.senders {
		once(&sender.person)
	}
}

// follower reads a queue by event streams, one after another.
type follower struct {
	t         *testing.T
	transport client.Transport

	mu       sync.Mutex // guards what follows
	messages []string   // ids, as they came
	ended    int        // streams that the server asked to open again
}

// follow reads until ctx ends. The streams continue where they were, by the id of the last event.
func (f *follower) follow(ctx context.Context, p person) {
	for event, err := range p.Events(ctx, client.StreamOptions{Transport: f.transport, Signals: true}) {
		if err != nil {
			if ctx.Err() == nil {
				f.t.Errorf("a stream: %v", err)
			}
			return
		}
		f.mu.Lock()
		for _, m := range messagesOf(f.t, event) {
			f.messages = append(f.messages, m.id)
		}
		if event.Kind == client.EventReconnect {
			f.ended++
		}
		f.mu.Unlock()
	}
}

func (f *follower) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.messages)
}

// idler is a client that keeps a connection of its own, which waits most of the time.
type idler struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func mustIdle(t *testing.T, address string) *idler {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &idler{t, conn, bufio.NewReader(conn)}
}

// call makes a call on the connection, which stays open.
func (i *idler) call() {
	i.t.Helper()
	_, err := fmt.Fprintf(i.conn, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if err == nil {
		var answer *http.Response
		if answer, err = http.ReadResponse(i.in, nil); err == nil {
			_, err = io.Copy(io.Discard, answer.Body)
			if answer.StatusCode != http.StatusOK || answer.Close {
				i.t.Errorf("a connection that is kept got %s, close %t", answer.Status, answer.Close)
			}
		}
	}
	if err != nil {
		i.t.Errorf("a connection that is kept: %v", err)
	}
}

// wantNothingMissed has people send, poll and follow streams while disturb runs, and reports each
// call that failed or had to be made twice, each message that is lost, and each event that a stream
// missed. changes is how often streams were ended. disturb calls settle before and after each thing that it
// does: everybody is at work then.
func wantNothingMissed(t *testing.T, s *server, changes int, disturb func(settle func())) {
	t.Helper()
	c := newCampaign(t, s.mustPeople(campaigners()...), s.http, 0)
	c.strict(s)
	followers := []*follower{{t: t, transport: client.ServerSentEvents}, {t: t, transport: client.WebSocket}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var following sync.WaitGroup
	for _, f := range followers {
		following.Go(func() { f.follow(ctx, s.again(c.hoarder)) })
	}
	settle := func() {
		c.waitForProgress(200)
		eventually(t, "the streams are open", func() bool { return s.mustReadMetrics()["signet_streams"] == len(followers) })
	}
	c.wage(5*time.Minute, func() { disturb(settle) })
	if t.Failed() {
		return
	}
	if n := repeats(c.senders); n > 0 {
		t.Errorf("%d messages were sent twice", n)
	}
	queue := readQueue(t.Context(), t, c.hoarder)
	for _, f := range followers {
		eventually(t, "the streams have read everything", func() bool { return f.count() >= len(queue) })
	}
	cancel()
	following.Wait()
	for _, f := range followers {
		for i, m := range queue {
			if i >= len(f.messages) || f.messages[i] != m.id {
				t.Errorf("a stream (transport %d) has %d messages and not message %d of %d in its place", f.transport,
					len(f.messages), i, len(queue))
				break
			}
		}
		if len(f.messages) > len(queue) {
			t.Errorf("a stream (transport %d) has %d messages of %d", f.transport, len(f.messages), len(queue))
		}
		if f.ended != changes {
			t.Errorf("a stream (transport %d) was asked to open again %d times, want %d", f.transport, f.ended, changes)
		}
	}
	t.Logf("%d messages, none of which was sent twice", c.total())
}

// again is somebody with a client that reconnects.
func (s *server) again(p person) person {
	return person{s.client(p.key, p.secret, persistent), p.token, p.key, p.secret}
}

// TestNoCallFailsWhileProgramsFollowOneAnother hands a busy server over several times: to processes
// that somebody starts, and to those that the server starts itself.
func TestNoCallFailsWhileProgramsFollowOneAnother(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := mustServe(t, freshDirectory(t), unlimited...)
	kept := mustIdle(t, s.address())
	kept.call()
	newcomers := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // each call a connection
	wantNothingMissed(t, s, 4, func(settle func()) {
		var coming sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		coming.Go(func() {
			for ctx.Err() == nil {
				answer, err := newcomers.Get("http://" + s.address() + "/v2/user/me") // refused, and answered
				if err != nil || answer.StatusCode != http.StatusUnauthorized {
					t.Errorf("a newcomer got %v, %v", answer, err)
					return
				}
				answer.Body.Close()
			}
		})
		for range 2 {
			settle()
			s.mustTakeOver()
			kept.call()
		}
		for range 2 {
			settle()
			s.mustUpgrade()
			kept.call()
		}
		settle()
		stop()
		coming.Wait()
	})
	wantPauses(t, s, 4)
	s.endChain()
	s.wantQuietLog()
	wantSoundFiles(t, s.dir)
	wantNothingUnfinished(t, s.dir)
}

// wantPauses tells how long clients waited; how long that may be is for another test.
func wantPauses(t *testing.T, s *server, want int) {
	t.Helper()
	pauses := 0
	for line := range strings.Lines(s.log.String()) {
		if _, pause, found := strings.Cut(line, "pause="); found {
			pauses++
			t.Logf("a pause of %s", strings.TrimSpace(pause))
		}
	}
	if pauses != want {
		t.Errorf("%d pauses were logged, want %d", pauses, want)
	}
}

// mustUpgrade runs "signet upgrade" beside the server.
func (s *server) mustUpgrade() {
	s.t.Helper()
	if out, err := exec.Command(program, "upgrade", "--data", s.dir).CombinedOutput(); err != nil {
		s.t.Errorf("signet upgrade: %v: %s", err, out)
	}
}

// endChain ends the process that the server's own process has started, and waits for it: it has the
// ends of the pipes.
func (s *server) endChain() {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "lock"))
	if err == nil {
		err = exec.Command("kill", strings.TrimSpace(string(text))).Run()
	}
	if err != nil {
		s.t.Errorf("end process %s: %v", text, err)
	}
	s.wantEnd(s.current())
}

// Over TLS connections cannot be passed on: clients are asked to leave them, over HTTP/1.1 and
// HTTP/2.
func TestNoCallOverTLSFailsWhileProgramsFollowOneAnother(t *testing.T) {
	t.Parallel()
	const name = "messages.test"
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(strings.NewReplacer("/", " ").Replace(protocol), func(t *testing.T) {
			t.Parallel()
			a := mustCertify(t, name)
			cert, key := a.mustWrite(t, t.TempDir())
			s := newServer(t, freshDirectory(t), append([]string{"--tls-cert", cert, "--tls-key", key}, unlimited...)...)
			s.trust(name, a.roots)
			s.http.Transport.(*http.Transport).ForceAttemptHTTP2 = protocol == "HTTP/2.0"
			s.mustStart()
			answer, err := s.http.Get(s.base + "/readyz")
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.Proto != protocol {
				t.Fatalf("the clients speak %s", answer.Proto)
			}
			wantNothingMissed(t, s, 2, func(settle func()) {
				for range 2 {
					settle()
					s.mustTakeOver()
				}
				settle()
			})
			wantPauses(t, s, 2)
			s.stop()
			s.wantQuietLog()
		})
	}
}

// TestServerGoesOnWhereItsSuccessorCannotStart: what is wrong is found before the server lets go of
// anything, or it opens its data again.
func TestServerGoesOnWhereItsSuccessorCannotStart(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := mustServe(t, freshDirectory(t), unlimited...)
	kept := mustIdle(t, s.address())
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	other := filepath.Join(t.TempDir(), "master.json")
	if out, err := exec.Command(program, "keys", "generate", "--out", other).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	process := s.current()
	wantNothingMissed(t, s, 1, func(settle func()) {
		for _, wrong := range [][]string{
			{"--limits.burst=many"},                          // its settings
			{"--listen", "127.0.0.1:0", "--tls.cert", "x"},   // what they are together
			{"--metrics.listen", taken.Addr().String()},      // an address
			{"--brand.logo", filepath.Join(s.dir, "absent")}, // a file
			{"--master-key", "file:" + other},                // what only opening the data shows
		} {
			settle()
			command := exec.Command(program, append([]string{"serve", "--listen", "127.0.0.1:0", "--data", s.dir, "--take-over"},
				wrong...)...)
			command.Env = []string{}
			out, err := command.CombinedOutput()
			if err == nil {
				t.Errorf("%s: it ended without an error:\n%s", wrong, out)
			}
			kept.call()
			settle()
		}
	})
	if !strings.Contains(s.log.String(), "the program that was to take over does not serve: this server goes on") {
		t.Error("the log does not tell of the successor that could not open the data")
	}
	select {
	case <-process.ended:
		t.Error("the server has ended")
	default:
		s.stop()
	}
	s.wantQuietLogBut("was to take over")
}

// TestLaterVersionTakesOverAndAnEarlierOneDoesNot: the program in its place is replaced by one that
// brings the data to a later version, and then by the earlier one again.
func TestLaterVersionTakesOverAndAnEarlierOneDoesNot(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	next := mustBuildLater(t, false)
	place := filepath.Join(t.TempDir(), "signet")
	put := func(binary string) {
		t.Helper()
		temp := place + ".new"
		if err := os.Symlink(binary, temp); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(temp, place); err != nil {
			t.Fatal(err)
		}
	}
	put(program)
	s := newServer(t, freshDirectory(t), unlimited...)
	s.prepare = func(c *exec.Cmd) { c.Path, c.Args[0] = place, place }
	s.mustStart()
	wantNothingMissed(t, s, 1, func(settle func()) {
		settle()
		put(next)
		s.mustUpgrade()
		settle()
		put(program)
		out, err := exec.Command(program, "upgrade", "--data", s.dir).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "the data has version 2, and this server knows versions up to 1") {
			t.Errorf("the earlier version took over, or it is not said why not: %v, %s", err, out)
		}
		settle()
	})
	s.endChain()
	s.wantQuietLogBut("that was to take over does not", "the upgrade failed")
}

// TestNoCallOnPostgreSQLFailsWhileProgramsFollowOneAnother: there a program could serve beside the other, but not
// in its directory.
func TestNoCallOnPostgreSQLFailsWhileProgramsFollowOneAnother(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := mustServe(t, freshDirectory(t), append([]string{"--database", postgrestest.URL(t)}, unlimited...)...)
	wantNothingMissed(t, s, 2, func(settle func()) {
		for range 2 {
			settle()
			s.mustTakeOver()
		}
		settle()
	})
	wantPauses(t, s, 2)
	s.stop()
	s.wantQuietLog()
}
