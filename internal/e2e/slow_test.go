package e2e

import (
	"bufio"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/client"
)

// slow is how many clients send a head, and how many send a body, a byte at a time.
const slow = 100

// slowP99 is for a machine that does nothing else (docs/operate/tls.md); elsewhere the 99th
// percentile says more about the machine than about the server, and the median is
// what is looked at.
var slowP99 = flag.Duration("slow.p99", 0, "fail where the 99th percentile of a good client's calls among slow ones "+
	"is above this")

// bearable is what half of a good client's calls take at most while others are slow.
const bearable = 200 * time.Millisecond

// slowClient is a connection whose client never finishes its request.
type slowClient struct {
	net.Conn
	name  string
	ended chan string // receives what it was answered, once it is cut
}

// mustDawdle opens a connection and sends the beginning of a request.
func mustDawdle(t *testing.T, address, name, beginning string) *slowClient {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, beginning); err != nil {
		t.Fatal(err)
	}
	s := &slowClient{c, name, make(chan string, 1)}
	go func() {
		answer, _ := io.ReadAll(bufio.NewReader(c)) // ends when the connection does, in whatever way
		s.ended <- string(answer)
	}()
	return s
}

// TestSlowClientsHoldUpNobody opens connections that send a byte now and then, as
// many as it takes to tie up a server that waits for them, while a good client goes
// on with its work and follows a stream.
func TestSlowClientsHoldUpNobody(t *testing.T) {
	t.Parallel()
	const patience = time.Second
	s := mustServe(t, freshDirectory(t),
		append(unlimited, "--timeouts.header="+patience.String(), "--timeouts.body="+patience.String(),
			"--timeouts.write="+patience.String())...)
	people := s.mustPeople("alice", "bob", "mallory")
	alice, bob, mallory := people[0], people[1], people[2]
	stream := mustFollow(t, s, bob)

	var alone []time.Duration
	for range 50 {
		alone = append(alone, mustWork(t, alice, bob)...)
	}
	slices.Sort(alone)

	head := "POST /v2/message HTTP/1.1\r\nHost: signet.test\r\nContent-Type: application/json\r\n" +
		"Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(mallory.key+":"+mallory.secret)) + "\r\n"
	var all []*slowClient
	for range slow {
		all = append(all, mustDawdle(t, s.address(), "head", head+"X-Slow: "),
			mustDawdle(t, s.address(), "body", head+"Content-Length: 100000\r\n\r\n"+`{"recipient":"bob","body":"`))
	}
	began := time.Now()
	var open atomic.Int64
	open.Store(int64(len(all)))
	var waiting sync.WaitGroup
	for _, c := range all {
		waiting.Go(func() {
			answer := <-c.ended
			open.Add(-1)
			if strings.Contains(answer, "HTTP/1.1 2") || c.name == "body" && !strings.Contains(answer, `"body_incomplete"`) {
				t.Errorf("a client with a slow %s was answered %q", c.name, answer)
			}
		})
	}

	// Each round of the good client is followed by a byte of each slow one.
	var took []time.Duration
	for open.Load() > 0 {
		if time.Since(began) > 20*patience {
			t.Fatalf("%d slow clients are not cut after %v", open.Load(), time.Since(began))
		}
		took = append(took, mustWork(t, alice, bob)...)
		for _, c := range all {
			_, _ = io.WriteString(c, "x") // fails once it is cut
		}
	}
	waiting.Wait()
	cut := time.Since(began)
	slices.Sort(took)
	half, p99 := took[len(took)/2], took[len(took)*99/100]
	t.Logf("%d slow clients were cut within %v; meanwhile %d calls of a good one took at most %v, p99 %v, median %v; "+
		"before, p99 %v, median %v",
		len(all), cut.Round(time.Millisecond), len(took), took[len(took)-1], p99, half, alone[len(alone)*99/100],
		alone[len(alone)/2])
	if len(took) < 30 || half > bearable {
		t.Errorf("the good client made %d calls while the slow ones were there, half of them in at most %v, want %v",
			len(took), half, bearable)
	}
	if *slowP99 > 0 && p99 > *slowP99 {
		t.Errorf("of the good client's calls 99 of 100 took at most %v, want %v", p99, *slowP99)
	}

	// What is long by its nature is still there.
	last, err := alice.Send(t.Context(), client.Outgoing{Recipient: "bob", Body: "the last one"})
	if err != nil {
		t.Fatal(err)
	}
	for stream.Scan() && !strings.Contains(stream.Text(), last.MessageID) {
	}
	if stream.Err() != nil {
		t.Errorf("the stream was cut: %v", stream.Err())
	}
	eventually(t, "no call is left over", func() bool { return s.inFlight(t) <= 1 }) // the stream
	s.wantQuietLog()
}

// mustWork sends a message, reads and acknowledges it, and returns how long each
// call took.
func mustWork(t *testing.T, alice, bob person) []time.Duration {
	t.Helper()
	ctx := t.Context()
	var took []time.Duration
	timed := func(what string, call func() error) {
		t.Helper()
		began := time.Now()
		if err := call(); err != nil {
			t.Fatalf("while others were slow: %s: %v", what, err)
		}
		took = append(took, time.Since(began))
	}
	var events []client.Event
	timed("send", func() error {
		_, err := alice.Send(ctx, client.Outgoing{Recipient: "bob", Body: "hello"})
		return err
	})
	timed("poll", func() (err error) {
		if events, err = bob.Poll(ctx, client.PollOptions{}); err == nil && len(events) == 0 {
			err = fmt.Errorf("nothing is there")
		}
		return err
	})
	timed("acknowledge", func() error { return bob.Ack(ctx, ids(events)...) })
	return took
}
