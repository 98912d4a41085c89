package standby

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Whoever has the objects of a cycle has every page of the database, however it grows and shrinks, and what lies
// there is bounded.
func TestCycleHasEveryPage(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 50 {
		size := 1 + random.Uint32N(5000)
		c := cycle{start: 1, size: size}
		had := map[uint32]bool{}
		for n, put := 1, uint64(0); ; n++ {
			wrote := 1 + random.Uint32N(20)
			if random.IntN(10) == 0 {
				size += random.Uint32N(30)
			}
			if size > 40 && random.IntN(20) == 0 {
				size -= random.Uint32N(30)
			}
			pages := c.due(time.Time{})
			for range wrote {
				pages = append(pages, 1+random.Uint32N(size))
			}
			for page := c.size + 1; page <= size; page++ { // what it grew by was written
				pages = append(pages, page)
			}
			for _, page := range pages {
				had[page] = true
			}
			c.put += uint64(len(pages))
			put += uint64(len(pages))
			if !c.done(size) {
				if put > 4*uint64(size)+4*leastRefresh+uint64(n) {
					t.Fatalf("after %d commits there are %d pages of a database of %d", n, put, size)
				}
				continue
			}
			for page := uint32(1); page <= size; page++ {
				if !had[page] {
					t.Fatalf("page %d of %d is in no object of the cycle", page, size)
				}
			}
			break
		}
	}
}

// A server to which nobody writes still puts all of its pages anew, in few steps.
func TestCycleOfAnIdleServerEnds(t *testing.T) {
	begun := time.Unix(1e9, 0)
	c := cycle{began: begun, size: 10_000}
	steps, pages := 0, 0
	for at := begun; at.Before(begun.Add(cycleTime + time.Minute)); at = at.Add(time.Second) {
		if due := c.due(at); len(due) > 0 {
			steps++
			pages += len(due)
			c.put += uint64(len(due))
		}
	}
	if !c.done(10_000) || pages != 10_000 || steps > 10_000/leastRefresh+1 {
		t.Errorf("%d pages were refreshed in %d steps", pages, steps)
	}
}
