package e2e

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/client"
)

// tortureFor names how long the torture goes on: a time such as 10m.
const tortureFor = "SIGNET_TEST_TORTURE"

const (
	senders = 16
	kills   = 10 // in a round

	// withFile is which of the senders, counted from 0, attach a file: every so many.
	withFile = 8
)

// persistent repeats everything until it succeeds, the same request under the
// same Request-ID.
var persistent = client.WithRetry(client.RetryPolicy{
	Attempts: 1 << 30, MinDelay: 5 * time.Millisecond, MaxDelay: 100 * time.Millisecond, MaxWait: time.Minute,
})

// TestTortureLosesNoConfirmedMessage kills a server again and again while many
// send and one reads, and then looks for what was lost, doubled, or out of order.
func TestTortureLosesNoConfirmedMessage(t *testing.T) {
	t.Parallel()
	round, total := 30*time.Second, time.Duration(0)
	if testing.Short() {
		round = 3 * time.Second
	}
	if text := os.Getenv(tortureFor); text != "" {
		var err error
		if total, err = time.ParseDuration(text); err != nil {
			t.Fatalf("%s: %v", tortureFor, err)
		}
	}
	began := time.Now()
	for n := 1; n == 1 || time.Since(began) < total; n++ {
		// A new directory each time: the round after next would otherwise be about a
		// store of gigabytes.
		if !t.Run(fmt.Sprintf("round %d", n), func(t *testing.T) { torture(t, round) }) {
			return
		}
	}
}

// torture is one round.
func torture(t *testing.T, length time.Duration) {
	s := mustServe(t, freshDirectory(t), unlimited...)
	names := []string{"reader", "hoarder"}
	for i := range senders {
		names = append(names, fmt.Sprintf("sender%02d", i))
	}
	people := s.mustPeople(names...)
	for i := range people {
		people[i].Client = s.client(people[i].key, people[i].secret, persistent)
	}
	reader := &reader{t: t, person: people[0], acknowledged: map[string]bool{}}
	hoarder := people[1]
	all := make([]*sender, senders)
	for i := range all {
		all[i] = &sender{t: t, person: people[2+i], number: i, recipient: names[i%2]}
	}

	// Requests go on to their end when the round is over: by then a server runs.
	ctx, cancel := context.WithTimeout(t.Context(), length+5*time.Minute)
	defer cancel()
	var over atomic.Bool
	var running sync.WaitGroup
	for _, sender := range all {
		running.Go(func() { sender.run(ctx, &over) })
	}
	running.Go(func() { reader.run(ctx, &over) })
	killAgainAndAgain(s, length)
	over.Store(true)
	running.Wait()
	if t.Failed() {
		return
	}

	reader.readAll(ctx)
	wantAll(t, reader.person, reader.messages, all, 0)
	wantAll(t, hoarder, readQueue(ctx, t, hoarder), all, 1)
	for _, sender := range all {
		sender.check(ctx)
	}
	s.stop()
	s.wantQuietLog()
	wantSoundFiles(t, s.dir)
	total := 0
	for _, sender := range all {
		total += len(sender.confirmed)
	}
	if total < senders*kills {
		t.Errorf("only %d messages were sent", total)
	}
	t.Logf("%d messages, of which %d were repeated, through %d kills", total, repeats(all), kills)
}

// killAgainAndAgain kills the server at random moments, and lets it run for as
// long as asked in all. Every third time it is also killed while it starts.
func killAgainAndAgain(s *server, length time.Duration) {
	s.t.Helper()
	end := time.Now().Add(length)
	for n := range kills {
		life := time.Until(end) / time.Duration(kills+1-n)
		time.Sleep(life/2 + rand.N(max(life, 1))) // not a wait: the torture itself
		s.kill()
		if n%3 == 2 {
			s.mustLaunch()
			time.Sleep(rand.N(50 * time.Millisecond))
			s.kill()
		}
		s.mustStart()
	}
	time.Sleep(time.Until(end))
}

// sender sends one message after another, each of which says which it is.
type sender struct {
	t *testing.T
	person
	number    int
	recipient string
	confirmed []string // ids of the messages, in the order in which they were sent
	repeated  int      // how many of them the server had already
}

func (s *sender) run(ctx context.Context, over *atomic.Bool) {
	for n := 0; !over.Load(); n++ {
		m := client.Outgoing{Recipient: s.recipient, Body: s.body(n), RequestID: fmt.Sprintf("%d-%d", s.number, n)}
		if s.number%withFile == 0 {
			m.Attachment = &client.Upload{Name: "file.txt", Content: bytes.NewReader(s.file(n))}
		}
		sent, err := s.Send(ctx, m)
		if err != nil {
			s.t.Errorf("message %s: %v", m.Body, err)
			return
		}
		s.confirmed = append(s.confirmed, sent.MessageID)
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
	if s.number%withFile != 0 {
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

// messagesOf returns the message of an event, if it is of that kind.
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

// wantAll reports where a recipient did not get exactly what the senders of one
// parity had confirmed, once each, in each sender's order, and counts it unread.
func wantAll(t *testing.T, recipient person, got []received, all []*sender, parity int) {
	t.Helper()
	want := 0
	next := make([]int, len(all)) // of each sender, the message that comes now
	events := map[string]bool{}
	for _, r := range got {
		var number, n int
		if _, err := fmt.Sscanf(r.body, "%d/%d", &number, &n); err != nil || number >= len(all) || number%2 != parity {
			t.Errorf("a message says %q: %v", r.body, err)
			continue
		}
		switch {
		case events[r.event] && n < next[number]:
			continue // read twice, because the acknowledgement got lost
		case n != next[number]:
			t.Errorf("message %s came where %d/%d was to come", r.body, number, next[number])
		case n >= len(all[number].confirmed) || all[number].confirmed[n] != r.id:
			t.Errorf("message %s came as %s, which is not what its sender was told", r.body, r.id)
		}
		events[r.event] = true
		next[number] = n + 1
		if t.Failed() {
			return
		}
	}
	for i, sender := range all {
		if i%2 != parity {
			continue
		}
		want += len(sender.confirmed)
		if next[i] != len(sender.confirmed) {
			t.Errorf("sender %d had %d messages confirmed, of which %d came", i, len(sender.confirmed), next[i])
		}
	}
	wantUnread(t, recipient, want)
}
