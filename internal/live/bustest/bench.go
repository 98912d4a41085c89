package bustest

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/live"
	"signet/internal/model"
)

// benchReaders are so many that nearly none is woken again before it was.
const benchReaders = 8192

// Bench measures how late notices come between some nodes, and what they cost, at rates that become
// higher. Each is about the account of one reader, on the node behind the one that says it, as the
// recipient of a message may be. A round says notices for a second, and waits until all were heard.
//
// start returns how to open a bus on a network that is the benchmark's own, and how much processor
// time this process, and whatever carries the notices, have used so far.
func Bench(b *testing.B,
	start func(*testing.B) (open func(*live.Hub, Options) (Bus, error), used func() time.Duration)) {
	for _, nodes := range []int{2, 4, 8} {
		for _, rate := range []int{100, 1_000, 5_000, 20_000, 50_000, 100_000} {
			b.Run(fmt.Sprintf("nodes=%d/rate=%d", nodes, rate), func(b *testing.B) {
				open, used := start(b)
				c := newChorus(b, nodes, open)
				defer c.end()
				c.say(b, benchReaders, benchReaders) // until every bus knows of every reader
				c.late = nil
				before, said := used(), 0
				for b.Loop() {
					c.say(b, rate, rate)
					said += rate
				}
				slices.Sort(c.late)
				b.ReportMetric(float64((used()-before).Microseconds())/float64(said), "cpu-us/notice")
				b.ReportMetric(c.late[len(c.late)/2].Seconds()*1000, "p50-ms")
				b.ReportMetric(c.late[len(c.late)*99/100].Seconds()*1000, "p99-ms")
			})
		}
	}
}

// chorus is nodes, and readers who wait for what they say.
type chorus struct {
	nodes   []*Node
	readers []*benchReader
	reading sync.WaitGroup
	unheard sync.WaitGroup
	began   time.Time

	mu   sync.Mutex
	late []time.Duration
}

type benchReader struct {
	*live.Subscription
	said atomic.Int64 // nanoseconds since the chorus began, of what was not heard yet; 0: nothing
}

func newChorus(b *testing.B, nodes int, open func(*live.Hub, Options) (Bus, error)) *chorus {
	c := &chorus{began: time.Now()}
	secret := []byte(rand.Text() + rand.Text())[:32]
	for range nodes {
		n := NewNode(b, func(hub *live.Hub, _ *slog.Logger) (Bus, error) {
			return open(hub, Options{Secret: secret, Epoch: "epoch", Log: slog.New(slog.DiscardHandler)})
		})
		n.WantMissed(b)
		c.nodes = append(c.nodes, n)
	}
	for i := range benchReaders {
		var account model.AccountID
		binary.BigEndian.PutUint64(account[:], uint64(i)+1)
		r := &benchReader{Subscription: c.nodes[(i+1)%nodes].Subscribe(live.Subscriber{Account: account})}
		c.readers = append(c.readers, r)
		c.reading.Go(func() { c.hear(r) })
	}
	return c
}

func (c *chorus) hear(r *benchReader) {
	for {
		select {
		case <-r.Done():
			return
		case <-r.Wake():
		}
		if said := r.said.Swap(0); said != 0 {
			late := time.Since(c.began) - time.Duration(said)
			c.mu.Lock()
			c.late = append(c.late, late)
			c.mu.Unlock()
			c.unheard.Done()
		}
	}
}

// say has the nodes say notices in turn, so many in a second, and returns once all were heard.
func (c *chorus) say(b *testing.B, notices, rate int) {
	b.Helper()
	begin := time.Now()
	for i := range notices {
		if early := time.Until(begin.Add(time.Duration(i) * time.Second / time.Duration(rate))); early > 0 {
			time.Sleep(early)
		}
		r := c.readers[i%benchReaders]
		c.unheard.Add(1)
		if !r.said.CompareAndSwap(0, int64(time.Since(c.began))) {
			c.unheard.Done() // it has not heard the one before, which counts for both
		}
		c.nodes[i%len(c.nodes)].Wake(b.Context(), r.Account)
	}
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		c.unheard.Wait()
	}()
	select {
	case <-heard:
	case <-time.After(patience):
		b.Fatal("notices were lost")
	}
}

func (c *chorus) end() {
	for _, r := range c.readers {
		r.Close()
	}
	c.reading.Wait()
}
