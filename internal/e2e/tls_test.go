package e2e

import (
	"bufio"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"signet/client"
)

// TestServerOverTLS does what people do over HTTPS, with a certificate that is
// replaced meanwhile.
func TestServerOverTLS(t *testing.T) {
	t.Parallel()
	const name = "messages.test"
	first, second := mustCertify(t, name), mustCertify(t, name)
	files := t.TempDir()
	cert, key := first.mustWrite(t, files)
	s := newServer(t, freshDirectory(t), "--tls-cert", cert, "--tls-key", key, "--redirect-listen", "127.0.0.1:0",
		"--timeouts.write=200ms", "--timeouts.body=200ms", "--timeouts.header=5s")
	s.trust(name, first.roots)
	s.mustStart()
	if got := s.current().baseURL; !strings.HasPrefix(got, "https://"+name+":") {
		t.Errorf("the base URL is %s", got)
	}
	people := s.mustPeople("alice", "bob")
	alice, bob := people[0], people[1]

	// A stream over HTTP/2 outlives the time that a write may take, and so does a poll.
	stream := s.mustOpenStream(t, bob)
	heartbeats := 0
	for stream.Scan() && heartbeats < 2 {
		if strings.Contains(stream.Text(), "sse:heartbeat") {
			heartbeats++
		}
	}
	if heartbeats < 2 {
		t.Errorf("the stream ended after %d heartbeats: %v", heartbeats, stream.Err())
	}
	if events, err := alice.Poll(t.Context(), client.PollOptions{Wait: time.Second}); err != nil || len(events) != 0 {
		t.Errorf("a poll that waits: %d events, %v", len(events), err)
	}

	second.mustWrite(t, files)
	s.signal(syscall.SIGHUP)
	eventually(t, "new connections get the new certificate", func() bool {
		_, err := s.presented(name, second.roots)
		return err == nil
	})
	// The stream is on a connection of before, and goes on.
	sent, err := alice.Send(t.Context(), client.Outgoing{Recipient: "bob", Body: "still there?"})
	if err != nil {
		t.Fatal(err)
	}
	for stream.Scan() && !strings.Contains(stream.Text(), sent.MessageID) {
	}
	if err := stream.Err(); err != nil {
		t.Errorf("the stream: %v", err)
	}

	answer, err := http.Get("http://" + s.plain + "/v2/user")
	if err == nil {
		answer.Body.Close()
		t.Errorf("a redirect to a name that is not to be found was followed: %d", answer.StatusCode)
	} else if !strings.Contains(err.Error(), "https://127.0.0.1:") {
		t.Errorf("the redirect leads elsewhere: %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
	s.stop()
	s.wantQuietLog()
}

// mustOpenStream opens an event stream over HTTP/2 with a heartbeat each second.
func (s *server) mustOpenStream(t *testing.T, p person) *bufio.Scanner {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.base+"/v2/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(p.key, p.secret)
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("TT-X-Features", "heartbeat_1")
	answer, err := s.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	if answer.Proto != "HTTP/2.0" || answer.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("the stream is of %s with the headers %v", answer.Proto, answer.Header)
	}
	return bufio.NewScanner(answer.Body)
}
