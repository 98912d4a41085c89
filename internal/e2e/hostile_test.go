package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"signet/client"
	"signet/internal/testenv"
)

// connections is how many clients misbehave at a time.
const connections = 64

// TestHostileClientsHarmNobody sends what no client should from many connections
// at once, while a good client goes on with its work.
func TestHostileClientsHarmNobody(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := mustServe(t, freshDirectory(t), unlimited...)
	names := []string{"alice", "bob", "mallory"}
	for i := range connections / 4 { // as a key has eight uploads at a time
		names = append(names, fmt.Sprint("mallory", i))
	}
	people := s.mustPeople(names...)
	alice, bob, mallories := people[0], people[1], people[2:]

	ctx, finish := context.WithCancel(t.Context())
	defer finish()
	var good, bad sync.WaitGroup
	good.Go(func() { workOn(ctx, t, s, alice, bob) })
	for i := range connections {
		bad.Go(func() {
			attacks := hostileRequests(mallories[i%len(mallories)])
			order := rand.New(rand.NewPCG(1, uint64(i))).Perm(len(attacks))
			for _, k := range order[:len(order)/2] {
				attacks[k].run(t, s.address())
			}
		})
	}
	bad.Wait()
	finish()
	good.Wait()

	var metrics map[string]int
	eventually(t, "no call is left over", func() bool {
		metrics = s.mustReadMetrics()
		return metrics["signet_http_requests_in_flight"] == 0
	})
	if n := metrics["signet_http_panics_total"]; n != 0 {
		t.Errorf("%d calls panicked", n)
	}
	for series, n := range metrics {
		if strings.HasPrefix(series, "signet_http_requests_total{") && strings.Contains(series, `class="5xx"`) && n != 0 {
			t.Errorf("%s is %d, want 0", series, n)
		}
	}
	s.stop()
	s.wantQuietLog()
	wantSoundFiles(t, s.dir)
	wantNothingUnfinished(t, s.dir)
}

// workOn sends, reads and acknowledges until ctx ends, and reports what does not
// succeed at the first attempt, or takes too long.
func workOn(ctx context.Context, t *testing.T, s *server, alice, bob person) {
	once := client.WithRetry(client.NoRetry())
	sender, reader := s.client(alice.key, alice.secret, once), s.client(bob.key, bob.secret, once)
	n := 0
	for ; ctx.Err() == nil; n++ {
		call, cancel := context.WithTimeout(t.Context(), patience)
		sent, err := sender.Send(call, client.Outgoing{Recipient: "bob", Body: "still there?"})
		var events []client.Event
		if err == nil {
			events, err = reader.Poll(call, client.PollOptions{Wait: time.Second})
		}
		if err == nil {
			err = reader.Ack(call, ids(events)...)
		}
		cancel()
		if err != nil || len(events) != 1 {
			t.Errorf("while others misbehaved: sent %+v, received %d events, %v", sent, len(events), err)
			return
		}
	}
	if n == 0 {
		t.Error("the good client did nothing")
	}
}

// attack is bytes that a client sends, and how it goes on.
type attack struct {
	name string
	text string
	then func(c net.Conn) // nil: it sends no more, and reads what comes
	// want lists the statuses of the answers that are read; "" where there may be
	// none, or any that is not the server's fault, until the connection ends.
	want string
}

// run carries the attack out on a connection of its own, and reports an answer
// that it should not have got.
func (a *attack) run(t *testing.T, address string) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Errorf("%s: %v", a.name, err)
		return
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = io.WriteString(c, a.text) // the server may have had enough before its end
		if a.then != nil {
			a.then(c)
		}
	}()
	got, err := statuses(c, len(strings.Fields(a.want)))
	c.Close()
	<-written
	if errors.Is(err, errTimeout) {
		t.Errorf("%s: the server neither answers nor ends the connection; so far %v", a.name, got)
	}
	text := strings.Trim(fmt.Sprint(got), "[]")
	if a.want != "" && text != a.want {
		t.Errorf("%s: answered %q (%v), want %q", a.name, text, err, a.want)
	}
	for _, status := range got {
		// HTTP itself prescribes these two, for a version and for a transfer encoding
		// that a server does not know; net/http answers them before anybody asks.
		if status >= 500 && status != http.StatusNotImplemented && status != http.StatusHTTPVersionNotSupported {
			t.Errorf("%s: answered %v, which blames the server", a.name, got)
		}
	}
}

var errTimeout = errors.New("timeout")

// statuses reads so many answers, or with 0 all until the connection ends, and
// returns their statuses, but for 100 Continue.
func statuses(c net.Conn, most int) (out []int, err error) {
	r := bufio.NewReader(c)
	for most == 0 || len(out) < most {
		answer, err := http.ReadResponse(r, nil)
		if err != nil {
			var timeout net.Error
			if errors.As(err, &timeout) && timeout.Timeout() {
				err = errTimeout
			}
			return out, err
		}
		if answer.StatusCode != http.StatusContinue {
			out = append(out, answer.StatusCode)
		}
		if answer.StatusCode == http.StatusSwitchingProtocols {
			// From here on it is the client who says nothing any more.
			_ = c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
			_, _ = io.Copy(io.Discard, r)
			return out, nil
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			return out, err
		}
	}
	return out, nil
}
