package e2e

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/client"
	"signet/internal/e2e/patronitest"
	"signet/internal/live/natstest"
	"signet/internal/testenv"
)

const (
	failovers     = 20 // of a campaign
	failoverNodes = 2

	// afterwards is how long the servers may take to confirm a message once the database confirms anything.
	afterwards = 2 * time.Second

	// failoverPace is from one message of a sender to the next: more would be about the speed of a machine that runs
	// three databases.
	failoverPace = 50 * time.Millisecond
)

// TestTortureFailoversLoseNothing has the database's leader killed, frozen and cut off while many send and one reads.
// Another takes over each time, and the servers go there by themselves. It takes the better part of an hour.
func TestTortureFailoversLoseNothing(t *testing.T) {
	if _, whole := testenv.Torture(t); !whole {
		t.Skip("only make torture runs it: it needs Patroni, etcd and PgBouncer, and the better part of an hour")
	}
	t.Run("directly", func(t *testing.T) { tortureFailovers(t, "") })
	for _, mode := range []string{"session", "transaction"} {
		t.Run("through PgBouncer in "+mode+" mode", func(t *testing.T) { tortureFailovers(t, mode) })
	}
}

// tortureFailovers is one campaign. PgBouncer's pool_mode is pooling; without it the servers go to the database.
func tortureFailovers(t *testing.T, pooling string) {
	database := patronitest.Start(t, pooling)
	nats := natstest.Start(t)
	c := mustServeNodes(t, failoverNodes, database.NewDatabase(t, "signet"), "--nats", nats.URL())
	people := c.nodes[0].mustPeople(append(campaigners(), "asker", "asked")...)
	campaign := newCampaign(t, people, c.http, 0)
	for _, sender := range campaign.senders {
		sender.pace = failoverPace
	}
	asker := newAsker(t, people[len(people)-2], "asked", c.http)
	var outages []outage
	campaign.wage(2*time.Hour, func() {
		stop := asker.start()
		defer stop()
		for n := range failovers {
			outages = append(outages, failOver(t, database, patronitest.Faults[n%len(patronitest.Faults)], campaign, asker))
		}
	})
	repeated, recovered := repeats(campaign.senders), 0
	for _, node := range c.nodes {
		recovered += node.mustReadMetrics()["signet_store_recovered_total"]
	}
	c.end()
	t.Logf("%d messages, of which %d were repeated and %d commits found again\n%s", campaign.total(), repeated, recovered,
		table(outages))
	if repeated+recovered == 0 {
		t.Error("no failover met a message on its way: they say nothing about it")
	}
	for _, o := range outages { // only now: a campaign that has failed does not look for what was lost
		if after := o.servers - o.database; after > afterwards {
			t.Errorf("%s: the servers confirmed %v after the database, want %v at most", o.fault, after, afterwards)
		}
	}
}

// outage is how long it took until writes were confirmed again after a fault: by the database, and by the servers.
type outage struct {
	fault             string
	led               time.Duration // until another server led
	database, servers time.Duration
}

// failOver has one fault happen, and waits until all is as it was.
func failOver(t *testing.T, database *patronitest.Cluster, fault patronitest.Fault, campaign *campaign,
	asker *asker) outage {
	t.Helper()
	leader := database.Settle(t)
	campaign.waitForProgress(200)
	struck := time.Now()
	mend := fault.Strike(t, leader)
	taken := database.AwaitTakeover(t, leader)
	confirmed := asker.firstSince(taken.Led)
	o := outage{fault.Name, taken.Led.Sub(struck), taken.Confirmed.Sub(struck), confirmed.Sub(struck)}
	t.Logf("%s: %s led after %v, confirmed after %v; the servers confirmed after %v", o.fault, taken.Leader.Name,
		o.led.Round(time.Millisecond), o.database.Round(time.Millisecond), o.servers.Round(time.Millisecond))
	campaign.waitForProgress(200)
	mend()
	return o
}

// table is what docs/operate/cluster.md shows of the outages.
func table(all []outage) string {
	var b strings.Builder
	b.WriteString("| what happens to the leader | times | database: median, most | servers, after it: median, most |\n")
	b.WriteString("|---|---|---|---|\n")
	for _, fault := range patronitest.Faults {
		var database, after []time.Duration
		for _, o := range all {
			if o.fault == fault.Name {
				database, after = append(database, o.database), append(after, o.servers-o.database)
			}
		}
		if len(database) == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", fault.Name, len(database), middleAndMost(database), middleAndMost(after))
	}
	return b.String()
}

func middleAndMost(all []time.Duration) string {
	slices.Sort(all)
	return fmt.Sprintf("%.1f s, %.1f s", all[len(all)/2].Seconds(), all[len(all)-1].Seconds())
}

// asker sends messages all the time, each once, to know when one is confirmed. A client that repeats waits for as
// long as the server says.
type asker struct {
	t         *testing.T
	from      *client.Client
	recipient string

	mu        sync.Mutex
	confirmed []time.Time // in this order
}

// askers is how many messages are under way at once: one may wait for a server that is gone.
const askers = 4

func newAsker(t *testing.T, from person, recipient string, through *http.Client) *asker {
	t.Helper()
	return &asker{t: t, recipient: recipient,
		from: mustConnect(t, anyServer, through, from.key, from.secret, client.WithRetry(client.NoRetry()))}
}

// start begins to send; what it returns ends it.
func (a *asker) start() (stop func()) {
	var over atomic.Bool
	var running sync.WaitGroup
	for n := range askers {
		running.Go(func() { a.run(n, &over) })
	}
	return func() {
		over.Store(true)
		running.Wait()
	}
}

func (a *asker) run(number int, over *atomic.Bool) {
	tick := time.NewTicker(40 * time.Millisecond)
	defer tick.Stop()
	for n := 0; !over.Load(); n++ {
		<-tick.C
		ctx, cancel := context.WithTimeout(a.t.Context(), time.Minute)
		_, err := a.from.Send(ctx, client.Outgoing{Recipient: a.recipient, Body: "?",
			RequestID: fmt.Sprintf("%d-%d", number, n)})
		cancel()
		if err != nil {
			continue // nothing else is to be expected of it now
		}
		a.mu.Lock()
		a.confirmed = append(a.confirmed, time.Now())
		a.mu.Unlock()
	}
}

// firstSince waits until a message was confirmed at a time or later, and returns when the first one was.
func (a *asker) firstSince(instant time.Time) (first time.Time) {
	a.t.Helper()
	eventually(a.t, "the servers confirm a message", func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		at := slices.IndexFunc(a.confirmed, func(when time.Time) bool { return !when.Before(instant) })
		if at >= 0 {
			first = a.confirmed[at]
		}
		return at >= 0
	})
	return first
}
