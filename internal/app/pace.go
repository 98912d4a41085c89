package app

import (
	"cmp"
	"time"
)

// Pace is how often a server looks by itself for what nobody tells it. A field that is 0
// is the server's own choice. Tests make it quicker, so that they wait for less.
type Pace struct {
	Await     time.Duration // between two tries of a start to reach what it waits for; 0: 1 s
	Outage    time.Duration // between two looks at a part that is away; 0: 1 s
	Quiet     time.Duration // a part works for so long before it counts as back; 0: 5 s
	Alone     time.Duration // between two looks for what other servers did, where they do not say it; 0: 2 s
	Connected time.Duration // the same where they do; 0: 5 s
}

func (p Pace) await() time.Duration { return cmp.Or(p.Await, time.Second) }
