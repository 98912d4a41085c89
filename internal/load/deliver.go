package load

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// delivering sends a message to a person with an open stream, or to a group in which
// every member has one, and waits until all have it. So its latency is from the
// sender's call to the last reader's line. Nothing is acknowledged.
type delivering struct {
	ids     requestIDs
	letters []*request // of each worker, without what they say
	to      []string   // their recipients
	copies  int        // of each message
	padding string
	slots   []slot

	streams []*listening
	readers sync.WaitGroup
	closing atomic.Bool   // streams are ending because they are to
	once    sync.Once     // guards the two below
	broken  chan struct{} // closed when a stream ended by itself
	cause   error         // set before broken is closed
}

// slot is where a worker waits for the copies of its message.
type slot struct {
	number atomic.Uint64 // of the message under way
	left   atomic.Int64  // copies that have not arrived
	done   chan struct{} // holds one: all have
}

func (d *delivering) prepare(ctx context.Context, on *stage, p *Plan) error {
	d.padding = strings.Repeat("x", max(0, p.Payload-markLength))
	d.broken = make(chan struct{})
	d.slots = make([]slot, p.Connections)
	for i := range d.slots {
		d.slots[i].done = make(chan struct{}, 1)
	}
	d.ids.prepare(on, p)
	readers, err := d.address(ctx, on, p)
	if err != nil {
		return err
	}
	d.streams, err = on.listenAll(ctx, readers, func(l *listening) { d.readers.Go(func() { d.follow(l) }) })
	return err
}

// address settles who sends to whom, and returns the readers: one for each worker, or
// the members of a group, who are the senders too.
func (d *delivering) address(ctx context.Context, on *stage, p *Plan) (readers []*person, err error) {
	if p.Members == 1 {
		people, err := on.hire(ctx, 2*p.Connections)
		if err != nil {
			return nil, err
		}
		senders, readers := people[:p.Connections], people[p.Connections:]
		d.copies = 1
		for i, sender := range senders {
			d.letters, d.to = append(d.letters, letter(on, sender, "", 0, 0)), append(d.to, readers[i].token)
		}
		return readers, nil
	}
	if readers, err = on.hire(ctx, p.Members); err != nil {
		return nil, err
	}
	group, err := on.group(ctx, readers)
	if err != nil {
		return nil, err
	}
	d.copies = p.Members - 1 // a sender gets none
	for worker := range p.Connections {
		d.letters, d.to = append(d.letters, letter(on, readers[worker%len(readers)], "", 0, 0)), append(d.to, group)
	}
	return readers, nil
}

func (d *delivering) operate(ctx context.Context, c *connection, worker int) error {
	s := &d.slots[worker]
	number := s.number.Load() + 1
	s.left.Store(int64(d.copies))
	s.number.Store(number)
	select {
	case <-s.done: // of an operation that gave up
	default:
	}
	body := letterBody(d.to[worker], mark(worker, number)+d.padding, 0)
	if err := c.call(ctx, d.ids.put(d.letters[worker].withBody([]byte(body)))); err != nil {
		return err
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-s.done:
		return nil
	case <-d.broken:
		return &failure{kindLost, d.cause}
	case <-late.C:
		return &failure{kindLost, fmt.Errorf("%d of %d copies have not arrived after %v", s.left.Load(), d.copies, patience)}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// follow reads a stream until it ends.
func (d *delivering) follow(l *listening) {
	for {
		line, err := l.next()
		if err != nil {
			if !d.closing.Load() {
				d.once.Do(func() {
					d.cause = fmt.Errorf("a stream ended: %w", err)
					close(d.broken)
				})
			}
			return
		}
		if worker, number, found := findMark(line); found {
			d.arrived(worker, number)
		}
	}
}

// arrived counts a copy of the message that its worker waits for. A copy of an earlier
// message comes too late and is not counted.
func (d *delivering) arrived(worker int, number uint64) {
	if worker >= len(d.slots) || d.slots[worker].number.Load() != number {
		return
	}
	s := &d.slots[worker]
	if s.left.Add(-1) == 0 {
		select {
		case s.done <- struct{}{}:
		default:
		}
	}
}

// finish ends the streams.
func (d *delivering) finish() {
	d.closing.Store(true)
	closeAll(d.streams)
	d.readers.Wait()
}
