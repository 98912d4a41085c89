package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"signet/client"
)

// TestMessageGoesAllTheWay is the reason for the server's being: from an empty
// directory to a message that its sender sees Delivered and Read, with a restart
// between every two steps that could lose something.
func TestMessageGoesAllTheWay(t *testing.T) {
	t.Parallel()
	s := mustServe(t, freshDirectory(t))
	ctx := t.Context()
	wantOperatorFile(t, s)
	people := s.mustPeople("alice", "bob")
	alice, bob := people[0], people[1]

	scan := make([]byte, 5<<20)
	rand.Read(scan)
	sent, err := alice.Send(ctx, client.Outgoing{
		Recipient: "bob", Body: "The scan of bed 12.", TTL: 60, RequestID: "scan-of-bed-12",
		Attachment: &client.Upload{Name: "bed 12.dcm", ContentType: "application/dicom", Content: bytes.NewReader(scan)},
	})
	if err != nil {
		t.Fatal(err)
	}
	before := mustPoll(t, bob)
	messages := kinds(before, client.EventMessage)
	if len(messages) != 1 {
		t.Fatalf("the recipient's queue has %d messages, want 1", len(messages))
	}

	mustRestart(t, s)
	if after := mustPoll(t, bob); !reflect.DeepEqual(after, before) {
		t.Errorf("after a restart the queue is\n%v, want\n%v", after, before)
	}
	again, err := alice.Send(ctx, client.Outgoing{
		Recipient: "bob", Body: "The scan of bed 12.", TTL: 60, RequestID: "scan-of-bed-12",
		Attachment: &client.Upload{Name: "bed 12.dcm", ContentType: "application/dicom", Content: bytes.NewReader(scan)},
	})
	if err != nil || !again.Repeated || again.MessageID != sent.MessageID {
		t.Errorf("sending again under the same Request-ID: %+v, %v, want message %s repeated", again, err, sent.MessageID)
	}
	m, err := messages[0].Message()
	if err != nil {
		t.Fatal(err)
	}
	if m.MessageID != sent.MessageID || m.Body != "The scan of bed 12." || m.SenderToken != alice.token ||
		m.Status != client.StatusNew {
		t.Errorf("the recipient got %+v", m)
	}
	wantAttachment(t, bob, m, scan)
	wantUnread(t, bob, 1)

	if err := bob.Ack(ctx, messages[0].ID); err != nil {
		t.Fatal(err)
	}
	mustRestart(t, s)
	wantStatus(t, alice, bob, m.MessageID, client.StatusDelivered)
	if left := kinds(mustPoll(t, bob), client.EventMessage); len(left) != 0 {
		t.Errorf("an acknowledged event is still queued: %v", left)
	}

	if err := bob.MarkRead(ctx, m.MessageID); err != nil {
		t.Fatal(err)
	}
	mustRestart(t, s)
	wantStatus(t, alice, bob, m.MessageID, client.StatusRead)
	wantUnread(t, bob, 0)
	wantAttachment(t, alice, m, scan)
	s.stop()
	s.wantQuietLog()
}

// mustRestart stops the server as a service manager does and starts it again.
func mustRestart(t *testing.T, s *server) {
	t.Helper()
	s.stop()
	s.mustStart()
	wantOperatorFile(t, s)
}

// wantOperatorFile reports an operator.json that others could read, or that does
// not lead to the server that runs now.
func wantOperatorFile(t *testing.T, s *server) {
	t.Helper()
	info, err := os.Stat(filepath.Join(s.dir, "operator.json"))
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode(); mode != 0o600 {
		t.Errorf("operator.json has mode %v, want 0600", mode)
	}
	c := s.mustReadOperator()
	if want := s.current().baseURL; c.BaseURL != want || c.Key == "" || c.Secret == "" {
		t.Errorf("operator.json names %q, want %q, with a key and its secret", c.BaseURL, want)
	}
	if _, err := s.client(c.Key, c.Secret).Self(t.Context()); err != nil {
		t.Errorf("the operator's key: %v", err)
	}
}

func mustPoll(t *testing.T, p person) []client.Event {
	t.Helper()
	events, err := p.Poll(t.Context(), client.PollOptions{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// wantAttachment downloads a message's attachment and reports where it is not
// what was sent.
func wantAttachment(t *testing.T, p person, m *client.Message, want []byte) {
	t.Helper()
	d, err := p.OpenAttachment(t.Context(), m.MessageID)
	if err != nil {
		t.Error(err)
		return
	}
	defer d.Close()
	got := sha256.New()
	n, err := io.Copy(got, d)
	if err != nil || n != int64(len(want)) || [32]byte(got.Sum(nil)) != sha256.Sum256(want) {
		t.Errorf("downloaded %d bytes (%v), want the %d that were sent", n, err, len(want))
	}
	if len(m.Attachments) != 1 {
		t.Fatalf("the message tells of %d attachments, want 1", len(m.Attachments))
	}
	a := m.Attachments[0]
	if d.Name != a.Name || d.ContentType != a.ContentType || d.Size != a.Size || a.Size != int64(len(want)) {
		t.Errorf("downloaded %q, %s, %d bytes; the message tells of %+v", d.Name, d.ContentType, d.Size, a)
	}
}

func wantUnread(t *testing.T, p person, want int) {
	t.Helper()
	if got, err := p.Unread(t.Context(), "me"); err != nil || got.Count != want {
		t.Errorf("unread count: %+v, %v, want %d", got, err, want)
	}
}

// wantStatus reports where the sender does not see a status, in its queue, in
// the message and in its status.
func wantStatus(t *testing.T, sender, recipient person, message string, want client.Status) {
	t.Helper()
	events := kinds(mustPoll(t, sender), client.EventStatus)
	if len(events) != 1 {
		t.Fatalf("the sender's queue has %d status events, want the last one", len(events))
	}
	change, err := events[0].Status()
	if err != nil {
		t.Fatal(err)
	}
	if change.ClientID != message || change.AccountID != recipient.token || change.Status != want {
		t.Errorf("the sender's queue says %+v, want %s", change, want)
	}
	m, err := sender.Message(t.Context(), message)
	if err != nil || m.Status != want {
		t.Errorf("the sender's message: %+v, %v, want %s", m, err, want)
	}
	status, err := sender.MessageStatus(t.Context(), message)
	if err != nil || len(status.Statuses) != 1 || status.Statuses[0].Status != want {
		t.Errorf("the message's status: %+v, %v, want %s", status, err, want)
	}
}

func TestSecondServerOnADirectoryIsRefused(t *testing.T) {
	t.Parallel()
	s := mustServe(t, freshDirectory(t))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	second := exec.CommandContext(ctx, program, "serve", "--listen", "127.0.0.1:0", "--data", s.dir)
	second.Env = []string{}
	output, err := second.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("the second server: %v, want exit code 1", err)
	}
	if text := string(output); !strings.Contains(text, s.dir) || !strings.Contains(text, "already") {
		t.Errorf("the second server said %q, want that %s is in use already", text, s.dir)
	}
	wantOperatorFile(t, s) // the first one's, untouched
	s.stop()
	s.mustStart() // the directory is free again
	s.stop()
	s.wantQuietLog()
}
