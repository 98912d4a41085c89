package postgres

import (
	"context"
	"sync"

	"signet/internal/model"
	"signet/internal/store"
)

// crowdQueues is about how many queues the calls of a crowd take positions in that share a transaction: as many
// as one call to a large group does, so that those who wait for these queues wait no longer than for that.
const crowdQueues = 250

// crowds are the calls that write to a group (store.Crowd). They all need the group's row: where each had a
// transaction of its own, all but one would wait in the database, with a connection and a snapshot, for whose sake
// old rows of the queues stay, and are read again by each. So they wait here, and those that wait when the one
// before has ended share a transaction.
type crowds struct {
	mu  sync.Mutex
	all map[model.GroupID]*crowd // each has a transaction under way
}

type crowd struct {
	waiting []*member
	queues  int // that one of its calls takes positions in, as far as is known
}

// together has a call share a transaction with others to the same group, and runs it alone where it has to be.
func (e *Engine) together(ctx context.Context, group model.GroupID, fn func(store.Session) error,
	alone func() error) error {
	m := newMember(ctx, fn)
	e.crowds.mu.Lock()
	c, busy := e.crowds.all[group]
	if !busy {
		c = &crowd{}
		e.crowds.all[group] = c
		e.swept.Go(func() { e.serve(group, c) })
	}
	c.waiting = append(c.waiting, m)
	e.crowds.mu.Unlock()
	return m.wait(alone)
}

// serve runs the transactions of a crowd, one after the other, until nobody waits.
func (e *Engine) serve(group model.GroupID, c *crowd) {
	ended := false
	defer func() {
		if !ended { // a function ended this goroutine: go on in another
			e.swept.Go(func() { e.serve(group, c) })
		}
	}()
	for {
		some := e.next(group, c)
		if len(some) == 0 {
			break
		}
		var batch []*member
		for _, m := range some {
			if m.begin() {
				batch = append(batch, m)
			}
		}
		if len(batch) > 0 {
			settle(batch, func(batch []*member) error { return e.shareCrowd(c, batch) })
		}
	}
	ended = true
}

// next takes those who share the next transaction out of a crowd, and forgets one of which nobody waits.
func (e *Engine) next(group model.GroupID, c *crowd) (some []*member) {
	e.crowds.mu.Lock()
	defer e.crowds.mu.Unlock()
	most := 1
	if c.queues > 0 {
		most = min(max(crowdQueues/c.queues, 1), maxShared)
	}
	some = c.waiting[:min(most, len(c.waiting))]
	if c.waiting = c.waiting[len(some):]; len(some) == 0 {
		delete(e.crowds.all, group)
	}
	return some
}

// shareCrowd carries out a batch of a crowd's calls. They wait for the group's row as long as each would alone.
func (e *Engine) shareCrowd(c *crowd, batch []*member) error {
	return e.carryBatch(batch, false, func(s *session) { c.queues = s.queues })
}
