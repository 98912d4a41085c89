package e2e

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"signet/client"
	"signet/internal/testenv"
)

const (
	slowBodies    = 1000
	slowBodyBytes = 250 << 10 // of each that are sent; the rest never comes
)

// slowBody is a body that begins at once and does not end before its test, or its
// client, says so.
type slowBody struct {
	beginning io.Reader
	released  <-chan struct{}
	closed    context.Context
	close     context.CancelFunc
}

func newSlowBody(released <-chan struct{}) *slowBody {
	b := &slowBody{beginning: strings.NewReader(slowBeginning), released: released}
	b.closed, b.close = context.WithCancel(context.Background())
	return b
}

var slowBeginning = `{"body":"` + strings.Repeat("x", slowBodyBytes)

func (b *slowBody) Read(p []byte) (int, error) {
	if n, err := b.beginning.Read(p); err == nil {
		return n, nil
	}
	select {
	case <-b.released:
	case <-b.closed.Done():
	}
	return 0, io.EOF
}

// Close ends a Read that waits.
func (b *slowBody) Close() error {
	b.close()
	return nil
}

// mustServeTLS starts a server whose clients may come by HTTP/2, and returns what makes
// a client with connections of its own.
func mustServeTLS(t *testing.T, args ...string) (*server, func() *http.Client) {
	t.Helper()
	const name = "messages.test"
	certificate := mustCertify(t, name)
	cert, key := certificate.mustWrite(t, t.TempDir())
	s := newServer(t, freshDirectory(t), append(args, "--tls-cert", cert, "--tls-key", key)...)
	s.trust(name, certificate.roots)
	s.mustStart()
	return s, func() *http.Client {
		transport := &http.Transport{DialContext: s.dial, ForceAttemptHTTP2: true, DisableCompression: true,
			TLSClientConfig: &tls.Config{RootCAs: certificate.roots, ServerName: name}}
		t.Cleanup(transport.CloseIdleConnections)
		return &http.Client{Transport: transport}
	}
}

// flood sends slow bodies over some 16 connections, as attempt makes their requests, and
// counts the answers by status as they come. wait ends when all have been answered.
func flood(ctx context.Context, t *testing.T, s *server, connect func() *http.Client,
	attempt func(n int, r *http.Request) (path string)) (answers func(status int) int, wait func(), release func()) {
	var counts [600]atomic.Int64
	var all sync.WaitGroup
	released := make(chan struct{})
	release = sync.OnceFunc(func() { close(released) })
	t.Cleanup(release)
	var through *http.Client
	for n := range slowBodies {
		if n%63 == 0 {
			through = connect()
			got, err := through.Get(s.current().baseURL + "/healthz") // so that there is one connection
			if err != nil {
				t.Fatal(err)
			}
			_ = got.Body.Close()
		}
		r, err := http.NewRequestWithContext(ctx, "POST", s.current().baseURL, newSlowBody(released))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.URL.Path = attempt(n, r)
		on := through
		all.Go(func() {
			got, err := on.Do(r)
			if err != nil {
				t.Errorf("request %d: %v", n, err)
				return
			}
			_ = got.Body.Close()
			counts[got.StatusCode].Add(1)
		})
	}
	return func(status int) int { return int(counts[status].Load()) }, all.Wait, release
}

// TestSlowBodiesOfStrangersTakeNoMemory: a thousand of them over HTTP/2 are answered
// before they are read.
func TestSlowBodiesOfStrangersTakeNoMemory(t *testing.T) {
	const bound = 64 << 20
	s, connect := mustServeTLS(t, unlimited...)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, before := mustReadMemory(t, s.current())
	answers, wait, _ := flood(ctx, t, s, connect, func(n int, r *http.Request) string {
		switch n % 4 {
		case 0:
			r.SetBasicAuth("nobody", "a guess")
			return "/v2/message"
		case 1:
			return "/v2/message"
		case 2:
			return "/v5/login"
		}
		return "/v2/login"
	})
	wait()
	if refused := answers(401) + answers(429); refused != slowBodies {
		t.Errorf("%d of %d were refused for their credentials; 503: %d, 400: %d", refused, slowBodies, answers(503),
			answers(400))
	}
	_, peak := mustReadMemory(t, s.current())
	t.Logf("%d slow bodies of strangers took %d KiB", slowBodies, (peak-before)>>10)
	if peak-before > bound {
		t.Errorf("%d slow bodies of %d KiB took %d MiB, want at most %d", slowBodies, slowBodyBytes>>10,
			(peak-before)>>20, bound>>20)
	}
}

// TestSlowBodiesTakeBoundedMemory: those of keys get no more than
// limits.body_memory_bytes; past it large bodies are refused, and what is small goes on.
func TestSlowBodiesTakeBoundedMemory(t *testing.T) {
	testenv.Long(t)
	const bound, keys = 128 << 20, 8
	s, connect := mustServeTLS(t, unlimited...)
	s.wantEnd(s.signal(syscall.SIGTERM))
	s.env = []string{"GOMEMLIMIT=100MiB"} // of what is held, and not of what is still to be collected
	s.mustStart()
	people := s.mustPeople("a", "b", "c", "d", "e", "f", "g", "h", "alice", "bob")
	alice := people[keys]
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, before := mustReadMemory(t, s.current())
	answers, wait, release := flood(ctx, t, s, connect, func(n int, r *http.Request) string {
		p := people[n%keys]
		r.SetBasicAuth(p.key, p.secret)
		return "/v2/message"
	})
	// Of each of the keys 16 fit into its eighth.
	eventually(t, "those are refused that there is no memory for", func() bool {
		return answers(503) >= slowBodies-keys*16
	})
	if _, err := alice.Send(ctx, client.Outgoing{Recipient: "bob", Body: "still there?"}); err != nil {
		t.Errorf("a small message: %v", err)
	}
	metrics := s.mustReadMetrics()
	if held := metrics["signet_http_body_bytes"]; held < 24<<20 || held > 32<<20 {
		t.Errorf("%d bytes of bodies are held", held)
	}
	if n := metrics[`signet_limited_total{code="too_many_bodies"}`]; n < slowBodies-keys*16 {
		t.Errorf("%d refusals are counted", n)
	}
	release()
	wait()
	if n := answers(503) + answers(400); n != slowBodies {
		t.Errorf("%d of %d were answered 503 or, at their end, 400", n, slowBodies)
	}
	eventually(t, "the memory is given back", func() bool { return s.mustReadMetrics()["signet_http_body_bytes"] == 0 })
	_, peak := mustReadMemory(t, s.current())
	t.Logf("%d slow bodies of eight keys took %d KiB", slowBodies, (peak-before)>>10)
	if peak-before > bound {
		t.Errorf("%d slow bodies of %d KiB took %d MiB, want at most %d", slowBodies, slowBodyBytes>>10,
			(peak-before)>>20, bound>>20)
	}
	eventually(t, "a large message is taken again", func() bool {
		_, err := alice.Send(ctx, client.Outgoing{Recipient: "bob", Body: strings.Repeat("x", 60<<10)})
		return err == nil
	})
}
