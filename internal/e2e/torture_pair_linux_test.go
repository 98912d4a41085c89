package e2e

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"signet/client"
	"signet/internal/blob/s3test"
	"signet/internal/testenv"
)

const (
	// behind is by how much a standby that follows may be behind.
	behind = time.Second

	// pairSenders send while servers of a pair are killed.
	pairSenders = 6

	// pairPace is from one message of a sender to the next: a server that has lost its place to the other compares
	// all of its pages, and with a store that grows for half an hour as fast as it can nobody would wait for that.
	pairPace = 20 * time.Millisecond

	tortureKills = 300 // of servers and connections, where the torture is all that runs
)

// pair is two servers of which one follows the other.
type pair struct {
	t       *testing.T
	key     string
	bucket  *s3test.Bucket // by which one follows the other; nil: over the network
	s3      string         // its host and port
	first   *member
	standby *member
	http    *http.Client // dials the one that is the first now

	mu sync.Mutex // guards first and standby, for http
}

// member is one of a pair.
type member struct {
	*server
	link *testenv.Link // to where the other one connects, or from here to the bucket
}

// mustPair starts a server and a standby of it.
func mustPair(t *testing.T, args ...string) *pair {
	t.Helper()
	p := &pair{t: t}
	p.mustStart(args)
	return p
}

// mustStart starts both.
func (p *pair) mustStart(args []string) {
	t := p.t
	t.Helper()
	p.key = filepath.Join(t.TempDir(), "standby.key")
	if err := os.WriteFile(p.key, []byte("0123456789abcdef0123456789abcdef"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.first, p.standby = p.member(args), p.member(args)
	transport := &http.Transport{DialContext: p.dial, MaxIdleConnsPerHost: 128, DisableCompression: true}
	p.http = &http.Client{Transport: transport}
	t.Cleanup(transport.CloseIdleConnections)
	p.first.serveAlone(p.standby)
	p.first.mustStart()
	p.bringKeys()
	p.standby.follow(p.first)
	p.standby.mustStart()
}

func (p *pair) member(args []string) *member {
	m := &member{server: newServer(p.t, freshDirectory(p.t), args...)}
	m.args = append(m.args[:len(m.args):len(m.args)], "--standby.key", "file:"+p.key)
	if p.bucket != nil {
		m.link = testenv.NewBroadLink(p.t, p.s3)
		m.args = append(m.args, p.places(m)...)
		return m
	}
	m.link = testenv.NewLinkTo(p.t, func() string {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.between
	})
	m.args = append(m.args, "--standby.listen", "127.0.0.1:0")
	return m
}

// places are the flags that say where a member's attachments and its bucket are.
func (p *pair) places(m *member) []string {
	return []string{"--blobs", p.bucket.Location("prefix=files"), "--standby.bucket",
		p.bucket.Through(m.link.Addr(), "prefix=pair")}
}

// settings are the flags with which a command promotes a member.
func (p *pair) settings(m, first *member) []string {
	flags := []string{"--data", m.dir, "--standby.key", "file:" + p.key}
	if p.bucket != nil {
		return append(append(flags, p.places(m)...), "--standby-of", "bucket")
	}
	return append(flags, "--standby-of", first.url())
}

// url is where the other one reaches a member.
func (m *member) url() string { return "http://" + m.link.Addr() }

// serveAlone has the next process serve, and ask the other one whether it took over.
func (m *member) serveAlone(other *member) {
	if other.byBucket() {
		return
	}
	m.role("--standby.peer", other.url())
}

func (m *member) byBucket() bool { return slices.Contains(m.args, "--standby.bucket") }

// follow has the next process follow another one.
func (m *member) follow(first *member) {
	if first.byBucket() {
		m.role("--standby-of", "bucket")
		return
	}
	m.role("--standby-of", first.url())
}

// role replaces the last argument.
func (m *member) role(flag, url string) {
	if n := len(m.args); strings.HasPrefix(m.args[n-2], "--standby.peer") || m.args[n-2] == "--standby-of" {
		m.args = m.args[:n-2]
	}
	m.args = append(m.args[:len(m.args):len(m.args)], flag, url)
}

// bringKeys copies what an administrator brings to a standby.
func (p *pair) bringKeys() {
	p.t.Helper()
	err := os.MkdirAll(p.standby.dir, 0o700)
	for _, name := range []string{"master.json", "audit.key", "operator.json"} {
		text, fault := os.ReadFile(filepath.Join(p.first.dir, name))
		if err == nil {
			err = fault
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(p.standby.dir, name), text, 0o600)
		}
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *pair) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	p.mu.Lock()
	at := p.first.address()
	p.mu.Unlock()
	var d net.Dialer
	return d.DialContext(ctx, "tcp", at)
}

var asOf = regexp.MustCompile(`^standby: it has all that was confirmed until (\S+)\n`)

// has is until when a standby has all that was confirmed; zero where it does not say so.
func (m *member) has() time.Time {
	answer, err := m.http.Get(anyServer + "/readyz")
	if err != nil {
		return time.Time{}
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if found := asOf.FindSubmatch(text); found != nil {
		at, _ := time.Parse(time.RFC3339Nano, string(found[1]))
		return at
	}
	return time.Time{}
}

// awaitStandby waits until the standby has all that was confirmed before the call.
func (p *pair) awaitStandby() {
	p.t.Helper()
	now := time.Now()
	eventually(p.t, "the standby has everything", func() bool { return p.standby.has().After(now) })
}

// promote makes the standby the first, and returns until when it has everything that the other confirmed;
// zero: all that it ever did.
func (p *pair) promote() (until time.Time) {
	p.t.Helper()
	process := p.standby.current()
	out, err := p.standby.command(append([]string{"promote", "--listen", "127.0.0.1:0"},
		p.settings(p.standby, p.first)...)...)
	if err != nil {
		p.t.Fatalf("signet promote: %v\n%s", err, out)
	}
	if !strings.Contains(out, "all that it confirmed is here") {
		_, rest, _ := strings.Cut(out, "confirmed until ")
		at, _, _ := strings.Cut(rest, " ")
		if until, err = time.Parse(time.RFC3339Nano, at); err != nil {
			p.t.Fatalf("signet promote says %q", out)
		}
	}
	eventually(p.t, "the standby serves", func() bool {
		select {
		case <-process.ended:
			p.t.Fatalf("the standby ended when it was promoted:\n%s", p.standby.log.tail())
		default:
		}
		answer, err := p.standby.http.Get(anyServer + "/readyz")
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.first, p.standby = p.standby, p.first
	return until
}

// demote makes a standby of the server that was the first.
func (p *pair) demote(args ...string) {
	p.t.Helper()
	if out, err := p.standby.command(append([]string{"demote", "--data", p.standby.dir}, args...)...); err != nil {
		p.t.Fatalf("signet demote: %v\n%s", err, out)
	}
	p.standby.follow(p.first)
	p.standby.mustStart()
}

// confirmedMessage is a message that a server confirmed.
type confirmedMessage struct {
	body string
	at   time.Time // after the answer
}

// outpost sends to somebody whose queue nobody reads, and notes what was confirmed when.
type outpost struct {
	person
	number    int
	confirmed []confirmedMessage
	sent      atomic.Int64
}

func (o *outpost) run(ctx context.Context, t *testing.T, over *atomic.Bool) {
	pace := time.NewTicker(pairPace)
	defer pace.Stop()
	for n := 0; !over.Load(); n++ {
		<-pace.C
		m := client.Outgoing{Recipient: "reader", Body: fmt.Sprintf("%d/%d", o.number, n),
			RequestID: fmt.Sprintf("%d-%d", o.number, n)}
		if o.number == 0 {
			m.Attachment = &client.Upload{Name: "file.txt", Content: strings.NewReader(strings.Repeat(m.Body+"\n", 1+n%500))}
		}
		if _, err := o.Send(ctx, m); err != nil {
			t.Errorf("message %s: %v", m.Body, err)
			return
		}
		o.confirmed = append(o.confirmed, confirmedMessage{m.Body, time.Now()})
		o.sent.Add(1)
	}
}

// loss is a time within which what was confirmed may be lost: the first was killed at its end.
type loss struct{ from, to time.Time }

// disturbance is what is done to a pair.
type disturbance string

const (
	killFirst      disturbance = "kill the first"
	stopFirst      disturbance = "stop the first"
	killStandby    disturbance = "kill the standby"
	breakLinks     disturbance = "break connections"
	cutLinks       disturbance = "cut the network"
	freeze         disturbance = "freeze the standby"
	fillDisk       disturbance = "let the standby write nothing"
	killAndPromote disturbance = "kill the first, promote the standby"
	switchRoles    disturbance = "promote the standby while the first is there"
	comeBack       disturbance = "promote the standby while the first is cut off, and mend"
)

var disturbances = []disturbance{killFirst, killStandby, breakLinks, stopFirst, freeze, cutLinks, fillDisk,
	switchRoles, killAndPromote, comeBack}

// disturb does it. It returns when messages may have been lost.
func (p *pair) disturb(what disturbance) (lost loss) {
	p.t.Helper()
	moment := func(most time.Duration) { time.Sleep(rand.N(most)) } // not a wait: the disturbance itself
	switch what {
	case killFirst:
		p.first.kill()
		p.first.mustStart()
	case stopFirst:
		p.first.stop()
		p.first.mustStart()
	case killStandby:
		p.standby.kill()
		moment(50 * time.Millisecond)
		p.standby.mustStart()
	case breakLinks:
		for range 3 {
			p.first.link.Break()
			moment(100 * time.Millisecond)
		}
	case cutLinks:
		p.first.link.Cut()
		moment(500 * time.Millisecond)
		p.first.link.Mend()
	case freeze:
		p.standby.signal(syscall.SIGSTOP)
		moment(500 * time.Millisecond)
		p.standby.signal(syscall.SIGCONT)
	case fillDisk:
		fileLimit{}.strike(p.t, p.standby.server)
		moment(500 * time.Millisecond)
		fileLimit{}.mend(p.t, p.standby.server)
	case killAndPromote:
		p.awaitStandby()
		moment(300 * time.Millisecond)
		p.first.kill()
		lost.to = time.Now()
		lost.from = p.promote()
		p.demote("--force") // nobody could tell it
	case switchRoles:
		p.awaitStandby()
		process := p.first.current()
		if until := p.promote(); !until.IsZero() {
			p.t.Errorf("the first was there, and the standby has only what was confirmed until %v", until)
		}
		<-process.ended
		p.demote()
	case comeBack:
		p.awaitStandby()
		process := p.first.current()
		p.first.link.Cut()
		if p.bucket == nil { // else the standby reads what the first has put there
			p.standby.link.Cut()
		}
		lost.from = p.promote()
		p.first.link.Mend()
		p.standby.link.Mend()
		<-process.ended // it was told
		lost.to = time.Now()
		p.demote()
	}
	return lost
}

// TestTorturePair kills the servers of a pair, their connections and their network, while many send and roles
// change, and then looks for what was lost beyond the last second before a server was lost, doubled, or damaged.
func TestTorturePair(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	torturePair(t, mustPair(t, unlimited...))
}

// TestTorturePairByABucket does the same where neither reaches the other.
func TestTorturePairByABucket(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	server := s3test.Shared(t)
	p := &pair{t: t, bucket: server.Bucket(t), s3: server.Addr()}
	p.mustStart(unlimited)
	torturePair(t, p)
}

func torturePair(t *testing.T, p *pair) {
	t.Helper()
	todo := disturbances
	_, whole := testenv.Torture(t)
	if whole {
		todo = nil
		for range tortureKills {
			todo = append(todo, disturbances[rand.IntN(len(disturbances))])
		}
	}
	names := []string{"reader"}
	for i := range pairSenders {
		names = append(names, fmt.Sprintf("sender%d", i))
	}
	people := p.first.mustPeople(names...)
	for i := range people {
		people[i].Client = mustConnect(t, anyServer, p.http, people[i].key, people[i].secret, persistent)
	}
	outposts := make([]*outpost, pairSenders)
	var over atomic.Bool
	var running sync.WaitGroup
	for i := range outposts {
		outposts[i] = &outpost{person: people[1+i], number: i}
		running.Go(func() { outposts[i].run(t.Context(), t, &over) })
	}
	p.awaitStandby()
	var losses []loss
	most := time.Duration(0)
	for n, what := range todo {
		t.Logf("%d: %s", n+1, what)
		goal := outposts[0].sent.Load() + 5
		eventually(t, "messages are confirmed", func() bool { return t.Failed() || outposts[0].sent.Load() >= goal })
		if lost := p.disturb(what); !lost.to.IsZero() && !lost.from.IsZero() {
			losses = append(losses, lost)
			if what == killAndPromote {
				most = max(most, lost.to.Sub(lost.from))
			}
			if whole && most > behind {
				t.Errorf("%d: the standby was %v behind", n+1, most)
			}
		}
		if t.Failed() {
			break
		}
	}
	over.Store(true)
	running.Wait()
	if t.Failed() {
		return
	}
	t.Logf("a standby of a server that was killed was %v behind at most", most)
	p.awaitStandby()
	wantConfirmed(t, readQueue(t.Context(), t, people[0]), outposts, losses)
	p.first.stop()
	p.standby.stop()
	p.wantSound(p.first)
	if out, err := p.standby.command(p.verify(p.standby)...); err != nil {
		t.Errorf("signet verify, of the copy: %v\n%s", err, out)
	}
	// The standby has all that the first had: it is as good as that one.
	if out, err := p.standby.command(append([]string{"promote"}, p.settings(p.standby, p.first)...)...); err != nil {
		t.Fatalf("signet promote: %v\n%s", err, out)
	}
	p.wantSound(p.standby)
}

// verify is the command that looks at all that a member keeps.
func (p *pair) verify(m *member) []string {
	command := []string{"verify", "--full", "--data", m.dir}
	if p.bucket != nil {
		command = append(command, "--blobs", p.bucket.Location("prefix=files"))
	}
	return command
}

// wantSound wants everything in a directory to be as a server wrote it.
func (p *pair) wantSound(m *member) {
	p.t.Helper()
	if out, err := m.command(p.verify(m)...); err != nil {
		p.t.Errorf("signet verify: %v\n%s", err, out)
	}
	wantSoundFiles(p.t, m.dir)
}

// wantConfirmed reports messages that were confirmed and are not there, but those that may have been lost, and
// those that are there twice.
func wantConfirmed(t *testing.T, got []received, outposts []*outpost, losses []loss) {
	t.Helper()
	times := map[string]int{}
	for _, r := range got {
		if times[r.body]++; times[r.body] == 2 {
			t.Errorf("message %s is there twice", r.body)
		}
	}
	gone, all := 0, 0
	for _, o := range outposts {
		for _, m := range o.confirmed {
			all++
			if times[m.body] > 0 {
				continue
			}
			mayBeLost := false
			for _, lost := range losses {
				mayBeLost = mayBeLost || m.at.After(lost.from) && !m.at.After(lost.to)
			}
			if gone++; !mayBeLost {
				t.Errorf("message %s was confirmed at %v, and is gone; it could be lost in %v", m.body, m.at, losses)
			}
		}
	}
	t.Logf("%d messages were confirmed, and %d of them lost with the last moments of %d servers", all, gone, len(losses))
}
