package stream

import (
	"sync"
	"time"
)

// beatGrid is what the times of what streams do by themselves are multiples of, so that
// a server with many streams wakes up ten times a second for them and not thousands of
// times.
const beatGrid = 100 * time.Millisecond

// beats has streams look at the time when something of theirs is due. One timer is for
// all of them: those that are due at the same tenth of a second hear of it together.
type beats struct {
	begin time.Time // what times are counted from
	turns *turns

	mu    sync.Mutex // guards all below; the lock of turns comes after it
	due   map[int64]*Stream
	next  int64 // the earliest in due, which the timer is set for; 0: there is none
	timer *time.Timer
}

// beatPlace is where a stream stands among those that are due at the same time. It is
// guarded by the lock of beats.
type beatPlace struct {
	at            int64 // in beatGrid from begin; 0: nothing is due
	before, after *Stream
}

func newBeats(t *turns) *beats {
	return &beats{begin: time.Now(), turns: t, due: map[int64]*Stream{}}
}

// floor is the last of the times that beats knows, at or before this one.
func (b *beats) floor(at time.Time) time.Time {
	return b.begin.Add(at.Sub(b.begin).Truncate(beatGrid))
}

// set has a stream look at the time at a moment or up to beatGrid later, and at no other
// one that was set before.
func (b *beats) set(st *Stream, moment time.Time) {
	at := int64((moment.Sub(b.begin) + beatGrid - 1) / beatGrid)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.take(st)
	first := b.due[at]
	st.beat = beatPlace{at: at, after: first}
	if first != nil {
		first.beat.before = st
	}
	b.due[at] = st
	if b.next == 0 || at < b.next {
		b.wait(at)
	}
}

// remove has a stream look at the time no more.
func (b *beats) remove(st *Stream) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.take(st)
}

// take takes a stream out of its place. The lock is held.
func (b *beats) take(st *Stream) {
	p := st.beat
	switch {
	case p.at == 0:
		return
	case p.before != nil:
		p.before.beat.after = p.after
	case p.after != nil:
		b.due[p.at] = p.after
	default:
		delete(b.due, p.at)
	}
	if p.after != nil {
		p.after.beat.before = p.before
	}
	st.beat = beatPlace{}
}

// wait sets the timer. The lock is held.
func (b *beats) wait(at int64) {
	b.next = at
	in := time.Until(b.begin.Add(time.Duration(at) * beatGrid))
	if b.timer == nil {
		b.timer = time.AfterFunc(in, b.strike)
	} else {
		b.timer.Reset(in)
	}
}

// strike gives those streams their turn that are due by now.
func (b *beats) strike() {
	b.turns.join()
	b.tell()
	b.turns.give()
}

// tell tells the streams that are due by now.
func (b *beats) tell() {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := int64(time.Since(b.begin) / beatGrid)
	next := int64(0)
	for at, st := range b.due {
		if at > now {
			if next == 0 || at < next {
				next = at
			}
			continue
		}
		delete(b.due, at)
		for st != nil {
			told := st
			st, told.beat = told.beat.after, beatPlace{}
			told.notice()
		}
	}
	if b.next = 0; next != 0 {
		b.wait(next)
	}
}
