package e2e

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/client"
)

// campaign is much sending and reading while something is done to the servers, and
// what must be true of it afterwards: nothing that was confirmed is lost, nothing
// is doubled, and what one sent came in its order.
type campaign struct {
	t       *testing.T
	reader  *reader
	hoarder person
	senders []*sender
}

// campaigners are the names of the people of a campaign.
func campaigners() []string {
	names := []string{"reader", "hoarder"}
	for i := range senders {
		names = append(names, fmt.Sprintf("sender%02d", i))
	}
	return names
}

// newCampaign gives the people their parts. Every so many senders attach files; 0
// is none.
func newCampaign(t *testing.T, people []person, through *http.Client, files int) *campaign {
	t.Helper()
	for i := range people {
		people[i].Client = mustConnect(t, anyServer, through, people[i].key, people[i].secret, persistent)
	}
	c := &campaign{t: t, reader: &reader{t: t, person: people[0], acknowledged: map[string]bool{}}, hoarder: people[1]}
	for i := range senders {
		c.senders = append(c.senders, &sender{
			t: t, person: people[2+i], number: i, recipient: campaigners()[i%2], files: files > 0 && i%files == 0,
		})
	}
	return c
}

// impatient has everybody take the first answer to a request for the last, so that one
// which fails is an error of the test.
func (c *campaign) impatient(through *http.Client) {
	once := client.WithRetry(client.NoRetry())
	for _, s := range c.senders {
		s.Client = mustConnect(c.t, anyServer, through, s.key, s.secret, once)
	}
	c.reader.Client = mustConnect(c.t, anyServer, through, c.reader.key, c.reader.secret, once)
}

// wage has everybody send and read while disturb runs, and then looks for what was
// lost, doubled, or out of order. It gives up after a while.
func (c *campaign) wage(longest time.Duration, disturb func()) {
	c.t.Helper()
	// Requests go on to their end when it is over: by then a server runs.
	ctx, cancel := context.WithTimeout(c.t.Context(), longest)
	defer cancel()
	var over atomic.Bool
	var running sync.WaitGroup
	for _, sender := range c.senders {
		running.Go(func() { sender.run(ctx, &over) })
	}
	running.Go(func() { c.reader.run(ctx, &over) })
	disturb()
	over.Store(true)
	running.Wait()
	if c.t.Failed() {
		return
	}
	c.reader.readAll(ctx)
	wantAll(c.t, c.reader.person, c.reader.messages, c.senders, 0)
	wantAll(c.t, c.hoarder, readQueue(ctx, c.t, c.hoarder), c.senders, 1)
	for _, sender := range c.senders {
		sender.check(ctx)
	}
}

// confirmed returns how many messages were confirmed so far.
func (c *campaign) confirmed() (n int64) {
	for _, sender := range c.senders {
		n += sender.sent.Load()
	}
	return n
}

// waitForProgress waits until so many more messages have been confirmed.
func (c *campaign) waitForProgress(more int64) {
	c.t.Helper()
	goal := c.confirmed() + more
	eventually(c.t, fmt.Sprintf("%d more messages are confirmed", more),
		func() bool { return c.t.Failed() || c.confirmed() >= goal })
}

// total is how many messages were confirmed, when it is over.
func (c *campaign) total() (n int) {
	for _, sender := range c.senders {
		n += len(sender.confirmed)
	}
	return n
}
