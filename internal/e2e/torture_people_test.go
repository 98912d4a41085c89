package e2e

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"signet/client"
)

// sender sends one message after another, each of which says which it is.
type sender struct {
	t *testing.T
	person
	number    int
	recipient string
	confirmed []string      // ids of the messages, in the order in which they were sent
	repeated  int           // how many of them the server had already
	files     bool          // attaches one to each message
	pace      time.Duration // from one message to the next, at least; 0 is as fast as it can
	sent      atomic.Int64
}

func (s *sender) run(ctx context.Context, over *atomic.Bool) {
	var turn <-chan time.Time
	if s.pace > 0 {
		ticker := time.NewTicker(s.pace)
		defer ticker.Stop()
		turn = ticker.C
	}
	for n := 0; !over.Load(); n++ {
		if turn != nil {
			<-turn
		}
		m := client.Outgoing{Recipient: s.recipient, Body: s.body(n), RequestID: fmt.Sprintf("%d-%d", s.number, n)}
		if s.files {
			m.Attachment = &client.Upload{Name: "file.txt", Content: bytes.NewReader(s.file(n))}
		}
		sent, err := s.Send(ctx, m)
		if err != nil {
			s.t.Errorf("message %s: %v", m.Body, err)
			return
		}
		s.confirmed = append(s.confirmed, sent.MessageID)
		s.sent.Add(1)
		if sent.Repeated {
			s.repeated++
		}
	}
}

// body is what the sender's message n says.
func (s *sender) body(n int) string { return fmt.Sprintf("%d/%d", s.number, n) }

// file is what the sender's message n has attached.
func (s *sender) file(n int) []byte { return bytes.Repeat([]byte(s.body(n)+"\n"), 1+n%2000) }

// check looks at the sender's own view of its last messages.
func (s *sender) check(ctx context.Context) {
	last := max(0, len(s.confirmed)-500)
	statuses, err := s.BulkMessageStatus(ctx, s.confirmed[last:]...)
	if err != nil || len(statuses) != len(s.confirmed)-last {
		s.t.Errorf("sender %d sees %d statuses of %d messages: %v", s.number, len(statuses), len(s.confirmed)-last, err)
	}
	want := client.StatusDelivered
	if s.recipient == "hoarder" {
		want = client.StatusNew
	}
	for _, status := range statuses {
		if len(status.Statuses) != 1 || status.Statuses[0].Status != want {
			s.t.Errorf("message %s has the statuses %v, want %s", status.ClientID, status.Statuses, want)
			return
		}
	}
	if !s.files {
		return
	}
	for n := max(0, len(s.confirmed)-20); n < len(s.confirmed); n++ {
		d, err := s.OpenAttachment(ctx, s.confirmed[n])
		if err != nil {
			s.t.Errorf("the attachment of %s: %v", s.body(n), err)
			return
		}
		var got bytes.Buffer
		_, err = got.ReadFrom(d)
		_ = d.Close() // it was only read
		if err != nil || !bytes.Equal(got.Bytes(), s.file(n)) {
			s.t.Errorf("the attachment of %s has %d bytes (%v), want %d", s.body(n), got.Len(), err, len(s.file(n)))
		}
	}
}

func repeats(all []*sender) (n int) {
	for _, s := range all {
		n += s.repeated
	}
	return n
}

// received is a message as it came out of a queue.
type received struct{ event, id, body string }

// reader polls its queue and acknowledges what it read, all the time.
type reader struct {
	t *testing.T
	person
	acknowledged map[string]bool // events for which the server said so
	messages     []received      // in the order in which they first came
}

func (r *reader) run(ctx context.Context, over *atomic.Bool) {
	for !over.Load() && !r.t.Failed() {
		if _, err := r.read(ctx, time.Second); err != nil {
			r.t.Errorf("the reader: %v", err)
		}
	}
}

// readAll reads what is left.
func (r *reader) readAll(ctx context.Context) {
	for !r.t.Failed() {
		n, err := r.read(ctx, 0)
		if err != nil {
			r.t.Errorf("the reader: %v", err)
		}
		if n == 0 {
			return
		}
	}
}

// read takes one helping out of the queue. What was acknowledged must not come
// again; what was not, because the acknowledgement got lost, may.
func (r *reader) read(ctx context.Context, wait time.Duration) (int, error) {
	events, err := r.Poll(ctx, client.PollOptions{Limit: 200, Wait: wait})
	if err != nil {
		return 0, err
	}
	var ids []string
	for _, e := range events {
		if r.acknowledged[e.ID] {
			r.t.Errorf("event %s came again after it was acknowledged", e.ID)
		}
		ids = append(ids, e.ID)
		r.messages = append(r.messages, messagesOf(r.t, e)...)
	}
	if err := r.Ack(ctx, ids...); err != nil {
		return 0, err
	}
	for _, id := range ids {
		r.acknowledged[id] = true
	}
	return len(ids), nil
}

// messagesOf returns the message of an event, if it is about a message.
func messagesOf(t *testing.T, e client.Event) []received {
	if e.Kind != client.EventMessage {
		return nil
	}
	m, err := e.Message()
	if err != nil {
		t.Error(err)
		return nil
	}
	return []received{{e.ID, m.MessageID, m.Body}}
}

// readQueue reads a whole queue and leaves it as it is.
func readQueue(ctx context.Context, t *testing.T, p person) (out []received) {
	t.Helper()
	for after := ""; ; {
		events, err := p.Poll(ctx, client.PollOptions{Limit: 1000, After: after})
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			return out
		}
		for _, e := range events {
			out = append(out, messagesOf(t, e)...)
		}
		after = events[len(events)-1].ID
	}
}
