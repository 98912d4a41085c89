package stream

import (
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"signet/internal/model"
)

// begunGoroutines is how many the program has begun since it started.
func begunGoroutines() uint64 {
	sample := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// many opens streams of the members of a group, and returns the group's token.
func (c *house) many(of *model.Actor, n int, o Request) (group string, readers []*pen) {
	c.t.Helper()
	var members []*model.Actor
	for i := range n {
		members = append(members, c.member(of.Organizations()[0], "m"+strconv.Itoa(i)))
	}
	group = c.group(of, members...)
	o.NoOfflineMessages = true
	for _, m := range members {
		readers = append(readers, c.followWith(m, o))
	}
	return group, readers
}

func wantNextOfAll(readers []*pen, want string) {
	for _, p := range readers {
		p.t.Helper()
		p.wantNext(want)
	}
}

func TestManyStreamsAreWrittenByFewGoroutines(t *testing.T) {
	c, _ := newHouse(t)
	alice, _ := c.pair()
	const streams, messages = 100, 10
	group, readers := c.many(alice, streams, Request{})
	c.say(alice, group, "first") // after which each knows what its reader has muted
	wantNextOfAll(readers, "first")
	c.quiesce(readers...)
	before := begunGoroutines()
	for i := range messages {
		c.say(alice, group, strconv.Itoa(i))
		wantNextOfAll(readers, strconv.Itoa(i))
	}
	c.quiesce(readers...)
	if n := begunGoroutines() - before; n > messages*streams/4 {
		t.Errorf("%d copies took %d goroutines", messages*streams, n)
	}
}

func TestWhatStreamsSayByThemselvesIsSaidByFewGoroutines(t *testing.T) {
	c, _ := newHouse(t)
	alice, _ := c.pair()
	const streams = 100
	_, readers := c.many(alice, streams, Request{Heartbeat: time.Second})
	wantNextOfAll(readers, string(model.EventHeartbeat))
	// What tells them of the time takes some goroutines each tenth of a second, so that a
	// machine that has much else to do sees more of these: one second of several is enough.
	var took []uint64
	for range 5 {
		c.quiesce(readers...)
		before := begunGoroutines()
		wantNextOfAll(readers, string(model.EventHeartbeat))
		n := begunGoroutines() - before
		if n <= streams/2 {
			return
		}
		took = append(took, n)
	}
	t.Errorf("%d heartbeats took these numbers of goroutines: %d", streams, took)
}

// More streams wait for their clients than there are goroutines that give turns.
func TestStreamThatWaitsForItsClientHoldsNobodyUp(t *testing.T) {
	c, _ := newHouse(t)
	alice, bob := c.pair()
	slow := runtime.GOMAXPROCS(0) + 2
	group, readers := c.many(alice, slow, Request{})
	quick := c.follow(bob)
	c.say(alice, group, "first")
	wantNextOfAll(readers, "first")
	for _, p := range readers {
		p.pause()
	}
	c.say(alice, group, "second")
	for _, p := range readers {
		p.waits()
	}
	for i := range 3 {
		c.say(alice, bob.Account.String(), strconv.Itoa(i))
		quick.wantNext(strconv.Itoa(i))
	}
	c.say(alice, group, "third")
	for _, p := range readers {
		p.goOn()
	}
	wantNextOfAll(readers, "second")
	wantNextOfAll(readers, "third")
}

// Each stream hears of the time once, at its moment or up to a tenth of a second later,
// whatever was set before and whoever else is due.
func TestStreamsHearOfTheTimeWhenTheyAreToAndAtNoOtherOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBeats(&turns{})
		random := rand.New(rand.NewPCG(1, 2))
		moment := func() time.Time { return time.Now().Add(time.Duration(1 + random.Int64N(int64(3*time.Second)))) }
		streams, due := make([]*Stream, 200), make([]time.Time, 200) // zero: nothing is
		for i := range streams {
			streams[i] = &Stream{}
			streams[i].notices.Store(1) // it is at work, and needs no turn
		}
		heard := 0
		for range 400 {
			for range 10 {
				switch i := random.IntN(len(streams)); random.IntN(3) {
				case 0:
					b.remove(streams[i])
					due[i] = time.Time{}
				default:
					due[i] = moment()
					b.set(streams[i], due[i])
				}
			}
			time.Sleep(time.Duration(random.Int64N(int64(200 * time.Millisecond))))
			synctest.Wait()
			for i, st := range streams {
				told, late := st.notices.Load()-1, time.Since(due[i])
				st.notices.Store(1)
				switch {
				case told > 1, told == 1 && (due[i].IsZero() || late < 0), told == 0 && !due[i].IsZero() && late >= beatGrid:
					t.Fatalf("a stream is told %d times, %v after it is due at %v", told, late, due[i])
				case told == 1:
					due[i] = time.Time{}
					heard++
				}
			}
		}
		if heard < 100 {
			t.Errorf("only %d heard of the time", heard)
		}
	})
}
