package push

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"signet/internal/backlog"
	"signet/internal/egress"
	"signet/internal/store"
	"signet/internal/store/subscriptions"
)

const (
	// mostTries is how often a push is tried, the first wait after a failure firstWait, each four times as long
	// as the one before, up to longestWait: six hours and a half in all.
	mostTries   = 12
	firstWait   = 5 * time.Second
	longestWait = time.Hour
	// longestDemand is for how long a push service is left alone because it asks for that.
	longestDemand = 24 * time.Hour
	// lastWords is how long a server that stops takes to store what became of pushes.
	lastWords = 5 * time.Second
)

// act tells browsers of a message: those that are due, so many at a time.
func (p *Pusher) act(ctx context.Context, j *store.Job) (backlog.Next, error) {
	all, err := parseTargets(j.State)
	if err != nil {
		p.Log.Error("nobody is told of a message", "error", err)
		return backlog.Over(), nil
	}
	if p.Off {
		return backlog.Over(), nil
	}
	r := &round{Pusher: p, job: j, now: p.now()}
	var ok bool
	if r.number, r.id, ok = parseSubject(j.Subject); !ok {
		p.Log.Error("nobody is told of a message", "error", "the subject is in no form that is known")
		return backlog.Over(), nil
	}
	err = r.decide(ctx, r.due(all))
	if err == nil {
		err = r.begin(ctx)
	}
	switch {
	case errors.Is(err, errTaken):
		return backlog.Over(), nil // which changes nothing: the job is another server's
	case err != nil:
		return backlog.Next{}, err
	}
	again, err := r.settle(ctx, r.callAll(ctx))
	if err != nil {
		return backlog.Next{}, err
	}
	left := slices.Concat(r.later, again)
	if len(left) == 0 || r.message == nil {
		return backlog.Over(), nil
	}
	j.State = encodeTargets(left)
	return backlog.At(earliest(left)), nil
}

// due returns the targets that are due, so many at a time. The others are looked at later.
func (r *round) due(all []target) (due []target) {
	for _, t := range all {
		if t.due.After(r.now) || len(due) == batch {
			r.left = append(r.left, t)
		} else {
			due = append(due, t)
		}
	}
	return due
}

// earliest is when the first of targets is due.
func earliest(targets []target) time.Time {
	first := targets[0].due
	for i := range targets {
		if targets[i].due.Before(first) {
			first = targets[i].due
		}
	}
	return first
}

// result is what became of a call.
type result struct {
	call
	outcome outcome
	wait    time.Duration // until it is made again, at least; 0: nobody asks for a wait
}

// callAll makes the calls, beside each other.
func (r *round) callAll(ctx context.Context) []result {
	out := make([]result, len(r.calls))
	var running sync.WaitGroup
	for i := range r.calls {
		running.Go(func() {
			out[i] = r.callOne(ctx, &r.calls[i])
			r.count(out[i].outcome)
		})
	}
	running.Wait()
	return out
}

// callOne makes a call, if there is a place in the lane of its host.
func (r *round) callOne(ctx context.Context, c *call) result {
	out := result{call: *c, outcome: unsent, wait: egress.Timeout}
	if leave, entered := r.lanes.enter(ctx, c.subscription.Host); entered {
		begun := time.Now()
		out = r.push(ctx, c)
		leave(time.Since(begun) >= egress.Timeout/2)
	}
	if ctx.Err() != nil && (out.outcome == failed || out.outcome == unsent) {
		out.outcome, out.wait = unsent, 0 // it was broken off: the turn is over, or the server stops
	}
	return out
}

// settle notes what became of calls, and returns those that are made again. It does that too where the server
// stops meanwhile, or the turn is over: what the push service took is not pushed again.
func (r *round) settle(ctx context.Context, results []result) (again []target, err error) {
	if len(results) == 0 {
		return nil, nil
	}
	for i := range results {
		c := &results[i]
		switch c.outcome {
		case pushed:
			r.Took.Since(r.message.Created)
		case failed:
			if t, more := c.retry(r.now); more {
				again = append(again, t)
			}
		case unsent:
			c.due = r.now.Add(c.wait)
			again = append(again, c.target)
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	return again, r.Store.Update(last, func(tx *store.Tx) error {
		for i := range results {
			if err := results[i].note(tx, r.now); err != nil {
				return err
			}
		}
		return nil
	})
}

// note notes in the row of its subscription what became of a call.
func (c *result) note(tx *store.Tx, now time.Time) error {
	s := &c.subscription
	switch c.outcome {
	case pushed:
		return subscriptions.Succeeded(tx, s, c.pushes, now)
	case ended:
		_, err := subscriptions.Delete(tx, s.Account, s.ID)
		return err
	case failed:
		if c.wait > 0 {
			if err := subscriptions.Refuse(tx, s, now.Add(min(c.wait, longestDemand))); err != nil {
				return err
			}
		}
		if t, more := c.retry(now); more {
			return subscriptions.Rest(tx, s, t.due)
		}
	}
	return nil
}

// retry returns when a call that failed is made again; more is false where it was made often enough.
func (c *result) retry(now time.Time) (t target, more bool) {
	t = c.target
	if t.tries++; t.tries >= mostTries {
		return t, false
	}
	wait := longestWait
	if t.tries < 6 {
		wait = min(firstWait<<(2*(t.tries-1)), longestWait)
	}
	t.due = now.Add(max(wait, min(c.wait, longestDemand)))
	return t, true
}
