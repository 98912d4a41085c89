package e2e

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"signet/client"
	"signet/internal/testenv"
)

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
// send and one reads, and then looks for what was lost, doubled, or out of order. A
// round is as short as its kills allow, and longer where the torture is all that runs.
func TestTortureLosesNoConfirmedMessage(t *testing.T) {
	t.Parallel()
	round := 10 * time.Second
	if testing.Short() {
		round = 3 * time.Second
	}
	total, whole := testenv.Torture(t)
	if whole {
		round = 30 * time.Second
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
	c := newCampaign(t, s.mustPeople(campaigners()...), s.http, withFile)
	c.wage(length+5*time.Minute, func() { c.killAgainAndAgain(s, length) })
	if t.Failed() {
		return
	}
	s.stop()
	s.wantQuietLog()
	wantSoundFiles(t, s.dir)
	if c.total() < senders*kills {
		t.Errorf("only %d messages were sent", c.total())
	}
	t.Logf("%d messages, of which %d were repeated, through %d kills", c.total(), repeats(c.senders), kills)
}

// killAgainAndAgain kills the server at random moments, and lets it run for as
// long as asked in all, but each time until something was sent. Every third time it is also killed while it starts.
func (c *campaign) killAgainAndAgain(s *server, length time.Duration) {
	s.t.Helper()
	end := time.Now().Add(length)
	for n := range kills {
		life := time.Until(end) / time.Duration(kills+1-n)
		c.waitForProgress(senders)
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
