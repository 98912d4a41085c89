package push

import (
	"context"
	"sync"
	"time"

	"signet/internal/backlog"
	"signet/internal/store"
	"signet/internal/store/subscriptions"
)

const (
	// mostTries is how often a push is tried, the first wait after a failure firstWait, each four times as long
	// as the one before, up to longestWait: five hours in all.
	mostTries   = 12
	firstWait   = 5 * time.Second
	longestWait = time.Hour
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
	r := &round{Pusher: p, now: p.now()}
	var ok bool
	if r.number, r.id, ok = parseSubject(j.Subject); !ok {
		p.Log.Error("nobody is told of a message", "error", "the subject is in no form that is known")
		return backlog.Over(), nil
	}
	var due, left []target
	for _, t := range all {
		if t.due.After(r.now) || len(due) == batch {
			left = append(left, t)
		} else {
			due = append(due, t)
		}
	}
	if err := r.decide(ctx, due); err != nil {
		return backlog.Next{}, err
	}
	if err := r.begin(ctx); err != nil {
		return backlog.Next{}, err
	}
	again, err := r.settle(ctx, r.callAll(ctx))
	if err != nil {
		return backlog.Next{}, err
	}
	left = append(append(left, r.later...), again...)
	if len(left) == 0 || r.message == nil {
		return backlog.Over(), nil
	}
	j.State = encodeTargets(left)
	return backlog.At(earliest(left)), nil
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
	wait    time.Duration // that the push service asks for; 0: it says nothing
}

// callAll makes the calls, beside each other.
func (r *round) callAll(ctx context.Context) []result {
	out := make([]result, len(r.calls))
	var running sync.WaitGroup
	for i := range r.calls {
		running.Go(func() {
			r.Pusher.calls <- struct{}{}
			defer func() { <-r.Pusher.calls }()
			out[i] = r.push(ctx, &r.calls[i])
		})
	}
	running.Wait()
	return out
}

// settle notes what became of calls, and returns those that are made again.
func (r *round) settle(ctx context.Context, results []result) (again []target, err error) {
	var gone, succeeded, resting []*subscriptions.Subscription
	for i := range results {
		c := &results[i]
		switch c.outcome {
		case pushed:
			r.Took.Since(r.message.Created)
			if r.now.Sub(c.subscription.LastSuccess) > time.Minute { // it is shown to people
				succeeded = append(succeeded, &c.subscription)
			}
		case ended:
			gone = append(gone, &c.subscription)
		case failed:
			if t, more := c.retry(r.now); more {
				again, resting = append(again, t), append(resting, &c.subscription)
			}
		}
	}
	if len(gone)+len(succeeded)+len(again) == 0 {
		return nil, nil
	}
	return again, r.Store.Update(ctx, func(tx *store.Tx) error {
		for _, s := range gone {
			if _, err := subscriptions.Delete(tx, s.Account, s.ID); err != nil {
				return err
			}
		}
		for _, s := range succeeded {
			if err := subscriptions.Succeeded(tx, s, r.now); err != nil {
				return err
			}
		}
		for i := range again {
			if err := subscriptions.Rest(tx, resting[i], again[i].due); err != nil {
				return err
			}
		}
		return nil
	})
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
	t.due = now.Add(max(wait, min(c.wait, 24*time.Hour)))
	return t, true
}
