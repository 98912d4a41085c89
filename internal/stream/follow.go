package stream

import (
	"runtime/debug"
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// quietComment is how often a stream without a heartbeat shows that it is alive.
const quietComment = 10 * time.Second

// Follow writes what comes to a sink, from now on and without making its caller wait.
// ended is called once it is over, because of Close, a failure of the sink, the end of
// the key or the membership, or that of the server; the server does not stop before
// it has returned. Nothing is written any more then.
func (st *Stream) Follow(sink Sink, ended func(error)) {
	st.sink, st.ended = sink, ended
	sink.Waits(st.waits)
	st.following.Store(&sink)
	now := time.Now()
	st.due.beat = st.nextBeat(now)
	present := st.streams.registry.clock()
	if ends, _ := st.actor.Key.Admits(st.actor.Secret, present); !ends.IsZero() {
		st.due.end = now.Add(ends.Sub(present))
	}
	st.streams.beats.set(st, st.due.next())
	st.streams.turns.add(st)
}

// Close ends the stream from the reader's side.
func (st *Stream) Close() {
	st.cancel()
	st.notice()
}

// Reason says why the stream was ended by the server; 0 where it was not.
func (st *Stream) Reason() live.Reason { return st.sub.Reason() }

// notice has the stream look at what there is to do. It does not wait.
func (st *Stream) notice() {
	if st.notices.Add(1) == 1 {
		st.streams.turns.add(st)
	}
}

// waits is called before the stream waits for anything, the store or its client: from
// here on it has the goroutine to itself.
func (st *Stream) waits() {
	if !st.apart {
		st.apart = true
		st.streams.turns.leave()
	}
}

// Panic is the end of a stream by a panic in what writes it.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return "panic in a stream: " + model.PanicText(p.Value) }

// work deals with the notices that have come, and then gets another turn where there
// are more. A stream that had to wait deals with all that come, and reports that it has
// kept the goroutine.
func (st *Stream) work() (kept bool) {
	defer func() {
		if v := recover(); v != nil {
			st.finish(&Panic{v, debug.Stack()})
			kept = true
		}
	}()
	for {
		n := st.notices.Load()
		if over, err := st.round(); over || err != nil {
			if st.ctx.Err() != nil {
				err = nil // what failed did so because the reader has gone
			}
			st.finish(err)
			return true // with notices that nobody deals with
		}
		kept = st.apart
		switch {
		case st.notices.CompareAndSwap(n, 0):
			return kept // somebody else may be at work from here on
		case !kept:
			st.streams.turns.add(st)
			return false
		}
	}
}

// finish ends the stream. What is told of it afterwards it does not hear. That its
// reader has gone is noted before anybody is told: a node that stops notes it no more.
func (st *Stream) finish(err error) {
	st.waits()
	defer st.streams.remove(st)
	st.leave()
	st.ended(err)
}

// round does what there is to do, and reports whether the stream is over.
func (st *Stream) round() (over bool, err error) {
	if st.ctx.Err() != nil {
		return true, nil
	}
	told := st.sub.Take()
	if told.Ended {
		return true, st.goodbye(told.Reason)
	}
	switch {
	case told.Look || st.looks:
		st.looks = false // what was queued during the replay has not come in vain
		err = st.writeQueued(st.ctx, store.EndOfQueue)
	case len(told.Copies) > 0:
		err = st.writeCopies(told.Copies)
	}
	if err != nil {
		return true, err
	}
	for _, event := range told.Signals {
		if err := st.sink.Event(event); err != nil {
			return true, err
		}
	}
	if over, err = st.keepTime(time.Now()); over || err != nil {
		return over, err
	}
	return false, st.sink.Flush()
}

// dues are when a stream has to do something by itself.
type dues struct {
	beat time.Time
	end  time.Time // of its key, or of the secret; zero: it does not end
}

func (d *dues) next() time.Time {
	if !d.end.IsZero() && d.end.Before(d.beat) {
		return d.end
	}
	return d.beat
}

// keepTime does what is due, and reports whether that is the end.
func (st *Stream) keepTime(now time.Time) (over bool, err error) {
	d := &st.due
	if now.Before(d.next()) {
		return false, nil
	}
	if !d.end.IsZero() && !now.Before(d.end) {
		st.sub.End(live.Revoked)
		return true, nil
	}
	if !now.Before(d.beat) {
		d.beat = st.nextBeat(now)
		err = st.sayAlive()
	}
	st.streams.beats.set(st, d.next())
	return false, err
}

func (st *Stream) interval() time.Duration {
	if st.request.Heartbeat > 0 {
		return st.request.Heartbeat
	}
	return quietComment
}

// nextBeat is when the stream has to show again that it is alive: not later than
// after its interval.
func (st *Stream) nextBeat(now time.Time) time.Time {
	return st.streams.beats.floor(now.Add(st.interval()))
}

func (st *Stream) sayAlive() error {
	if st.request.Heartbeat > 0 {
		return st.sink.Event(model.Event{ID: live.NewID(), Kind: model.EventHeartbeat})
	}
	return st.sink.Comment()
}

// goodbye is said where the client is to connect again: when the server stops.
func (st *Stream) goodbye(why live.Reason) error {
	if why != live.Shutdown {
		return nil
	}
	if err := st.sink.Event(model.Event{ID: live.NewID(), Kind: model.EventReconnect}); err != nil {
		return err
	}
	return st.sink.Flush()
}
