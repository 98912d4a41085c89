package backlog

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"signet/internal/store"
)

const (
	// actsAtATime is how many jobs act at a time on a server, and waitsAtATime how many besides of each kind that
	// mostly waits for others: where those are slow, the jobs of other kinds go on.
	actsAtATime, waitsAtATime = 16, 256
	// lastWords is how long a server that stops takes to store what became of a job.
	lastWords = 5 * time.Second
)

// acts are the jobs that act of those that share a limit.
type acts struct {
	now  atomic.Int64
	most int64
}

// actsOf returns those that a kind's share a limit with.
func (w *Worker) actsOf(kind *Kind) *acts {
	if kind.Waits {
		return w.waiting[kind.Number]
	}
	return &w.acting
}

func (a *acts) full() bool { return a.now.Load() >= a.most }

// begin does a job that acts, and that was claimed.
func (w *Worker) begin(ctx context.Context, j store.Job) {
	kind := w.kinds[j.Kind]
	among := w.actsOf(kind)
	among.now.Add(1)
	if kind.Writes {
		w.writes.Store(true)
	}
	w.acts.Go(func() {
		defer w.wake()
		defer func() {
			if kind.Writes {
				w.writes.Store(false)
			}
			among.now.Add(-1)
		}()
		next, err := w.act(ctx, kind, &j)
		switch {
		case err != nil && ctx.Err() != nil:
			w.giveBack(ctx, &j)
			return
		case err != nil:
			w.failures.report(ctx, w.failures.putOff(ctx, kind, &j, err))
			return
		}
		// What was done stays done where the server stops meanwhile.
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
		defer cancel()
		err = w.Store.Update(last, func(tx *store.Tx) error {
			again := j
			return settle(tx, &again, &next, w.Now())
		})
		if err != nil { // it is done again when the claim ends
			w.failures.report(ctx, err)
			return
		}
		w.failures.over(kind, &j)
		if next.Done != nil {
			next.Done()
		}
	})
}

// giveBack ends the claim of a job that this server can't do, as it stops. Where that fails, the
// claim ends by itself.
func (w *Worker) giveBack(ctx context.Context, j *store.Job) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	err := w.Store.Update(ctx, func(tx *store.Tx) error {
		again := *j
		_, err := tx.PutOffJob(&again, time.Time{})
		return err
	})
	w.failures.report(ctx, err)
}

// act calls the kind's, which ends before others may begin the job, with time to say how it
// ended. That it panics is its error; that its turn is over is none.
func (w *Worker) act(life context.Context, kind *Kind, j *store.Job) (next Next, err error) {
	task, span := w.Tracer.Task(life, kind.Name)
	defer func() { span.EndTask(life, err) }()
	ctx, cancel := context.WithTimeout(context.WithValue(task, turnKey{}, time.Now().Add(w.Turn)), kind.Lease*3/4)
	defer cancel()
	defer func() {
		if value := recover(); value != nil {
			err = store.NewPanicError(value)
		}
	}()
	next, err = kind.Act(ctx, j)
	if errors.Is(err, errTurn) {
		return Again(), nil
	}
	return next, err
}
