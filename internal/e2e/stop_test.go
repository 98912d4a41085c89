package e2e

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"signet/client"
)

// TestStoppingIsGraceful sends SIGTERM to a server with everything under way
// that can be: streams, a poll that waits, an upload and a download half done.
func TestStoppingIsGraceful(t *testing.T) {
	t.Parallel()
	s := mustServe(t, freshDirectory(t))
	people := s.mustPeople("alice", "bob", "carol")
	alice, bob, carol := people[0], people[1], people[2]
	file := make([]byte, 20<<20) // more than the buffers of a connection hold
	rand.Read(file)
	sent, err := alice.Send(t.Context(),
		client.Outgoing{Recipient: "carol", Attachment: &client.Upload{Name: "a.bin", Content: bytes.NewReader(file)}})
	if err != nil {
		t.Fatal(err)
	}

	events := mustFollow(t, s, bob)
	socket := mustFollowSocket(t, bob)
	poll := waitForEvents(t, bob)
	upload := mustBeginUpload(t, alice, "bob", file)
	download, err := carol.OpenAttachment(t.Context(), sent.MessageID)
	if err != nil {
		t.Fatal(err)
	}
	defer download.Close()
	if _, err := io.ReadFull(download, make([]byte, 1<<10)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "everything is under way", func() bool { return s.inFlight(t) == 5 })

	stopping := s.signal(syscall.SIGTERM)
	wantReconnect(t, events)
	if kind := <-socket; kind != client.EventReconnect {
		t.Errorf("the WebSocket ended with %q, want %q", kind, client.EventReconnect)
	}
	if got := <-poll; got.err != nil || got.n != 0 {
		t.Errorf("the waiting poll answered %d events, %v, want none and no error", got.n, got.err)
	}
	// It goes on until the upload is through, and takes nothing new meanwhile.
	_, err = s.client(bob.key, bob.secret, client.WithRetry(client.NoRetry())).Self(t.Context())
	if !errors.Is(err, client.ErrUnavailable) {
		t.Errorf("a new call: %v, want 503", err)
	}
	message := upload.mustFinish(t)
	if n, err := io.Copy(io.Discard, download); err != nil || n != int64(len(file))-1<<10 {
		t.Errorf("the rest of the download: %d bytes, %v", n, err)
	}
	s.wantEnd(stopping)

	s.mustStart()
	m, err := bob.Message(t.Context(), message)
	if err != nil {
		t.Fatal(err)
	}
	wantAttachment(t, bob, m, file)
	s.stop()
	s.wantQuietLog()
	wantSoundFiles(t, s.dir)
	wantNothingUnfinished(t, s.dir)
}

// inFlight is how many calls the server is answering.
func (s *server) inFlight(t *testing.T) int {
	t.Helper()
	return s.mustReadMetrics()["signet_http_requests_in_flight"]
}

// mustFollow opens an event stream and reads its replay.
func mustFollow(t *testing.T, s *server, p person) *bufio.Scanner {
	t.Helper()
	r := p.request(t, "GET", "/v2/events", "", "")
	r.Header.Set("Accept", "text/event-stream")
	answer, err := s.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "replay_stop") {
			return lines
		}
	}
	t.Fatalf("the stream ended: %v", lines.Err())
	return nil
}

// wantReconnect reports a stream whose last event is not "reconnect", and that
// does not end in an orderly way.
func wantReconnect(t *testing.T, lines *bufio.Scanner) {
	t.Helper()
	last := ""
	for lines.Scan() {
		if text := lines.Text(); strings.HasPrefix(text, "data:") {
			last = text
		}
	}
	if lines.Err() != nil || !strings.Contains(last, `"tigertext:iq:reconnect":{}`) {
		t.Errorf("the stream ended with %q (%v), want reconnect", last, lines.Err())
	}
}

// mustFollowSocket follows events over a WebSocket until it is told to connect
// again, and then sends the kind of the last event.
func mustFollowSocket(t *testing.T, p person) <-chan client.EventKind {
	t.Helper()
	begun, last := make(chan error, 1), make(chan client.EventKind, 1)
	go func() {
		var kind client.EventKind
		for event, err := range p.Events(t.Context(), client.StreamOptions{Transport: client.WebSocket, Signals: true}) {
			if err != nil {
				begun <- err
				break
			}
			kind = event.Kind
			if advisory, err := event.Advisory(); err == nil && advisory.Name == "replay_stop" {
				begun <- nil
			}
			if kind == client.EventReconnect {
				break
			}
		}
		last <- kind
	}()
	if err := <-begun; err != nil {
		t.Fatal(err)
	}
	return last
}

type polled struct {
	n   int
	err error
}

// waitForEvents polls, ready to wait for longer than the test may take.
func waitForEvents(t *testing.T, p person) <-chan polled {
	t.Helper()
	out := make(chan polled, 1)
	go func() {
		events, err := p.Poll(t.Context(), client.PollOptions{Wait: time.Minute})
		out <- polled{len(events), err}
	}()
	return out
}

// halfUpload is a message whose attachment is on its way.
type halfUpload struct {
	rest   func() error
	cancel context.CancelFunc
	done   chan error
	sent   *client.Sent
}

// mustBeginUpload sends a message with a file, and returns when half of the file has
// been taken.
func mustBeginUpload(t *testing.T, p person, recipient string, file []byte) *halfUpload {
	t.Helper()
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	u := &halfUpload{cancel: cancel, done: make(chan error, 1)}
	t.Cleanup(func() { cancel(); w.Close() })
	go func() {
		var err error
		u.sent, err = p.Send(ctx,
			client.Outgoing{Recipient: recipient, Attachment: &client.Upload{Name: "b.bin", Content: r, Size: int64(len(file))}})
		r.CloseWithError(err)
		u.done <- err
	}()
	half := len(file) / 2
	if _, err := w.Write(file[:half]); err != nil {
		t.Fatal(err)
	}
	u.rest = func() error {
		_, err := w.Write(file[half:])
		return errors.Join(err, w.Close())
	}
	return u
}

// mustFinish sends the rest and returns the message's id.
func (u *halfUpload) mustFinish(t *testing.T) string {
	t.Helper()
	defer u.cancel()
	if err := errors.Join(u.rest(), <-u.done); err != nil {
		t.Fatalf("the upload that was under way: %v", err)
	}
	return u.sent.MessageID
}

// mustReadMetrics returns the server's counters and gauges without their labels,
// summed, and those of them with labels under their full names too.
func (s *server) mustReadMetrics() map[string]int {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "GET", s.base+"/metrics", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Host = "localhost"
	answer, err := s.http.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		s.t.Fatalf("/metrics answered %d", answer.StatusCode)
	}
	return readMetrics(s.t, answer.Body)
}
