package backlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"signet/internal/store"
)

const (
	// Rows is how many rows a transaction writes that is one of very many: whoever else writes
	// waits for one of these at a time.
	Rows = 100
	// together is how many jobs are done in one transaction at most.
	together = 50
	// pass is how many transactions follow each other before what is to be done at once comes
	// first again.
	pass = 20
	// longestRest is the longest pause between two transactions.
	longestRest = 50 * time.Millisecond
)

// work does jobs that are due, some in a transaction, behind each other: a database that did not
// clean up since would look through all that are done for each of them. did is false where others
// have all of them.
func (w *Worker) work(ctx context.Context, kinds []store.JobKind) (did bool, err error) {
	var after *store.Job
	limit := together
	for range pass {
		begun := time.Now()
		t := taken{worker: w, kinds: kinds, after: after, limit: limit}
		task, span := w.Tracer.Task(ctx, "backlog")
		err := t.commit(task)
		span.EndTask(ctx, err)
		switch {
		case err == nil && len(t.jobs) == 0:
			return did, nil
		case err == nil:
			after, did = &t.jobs[len(t.jobs)-1], true
			t.settled(ctx)
		case ctx.Err() != nil || away(err) || len(t.jobs) == 0:
			return did, err
		case limit > 1: // whose fault it is shows where each has a transaction of its own
			limit = 1
			continue
		default:
			after = &t.jobs[0]
			if err := w.failures.putOff(ctx, w.kinds[after.Kind], after, err); err != nil {
				return did, err
			}
		}
		if err := Rest(ctx, begun); err != nil {
			return did, err
		}
		if t.full {
			break
		}
	}
	return true, nil
}

// away reports whether an error is the store's, and not of what was done in it.
func away(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrClosed)
}

// taken is a transaction that does jobs.
type taken struct {
	worker *Worker
	kinds  []store.JobKind
	after  *store.Job
	limit  int
	stay   bool // a job that is not over keeps its place before others

	jobs    []store.Job // that were done, claimed or left, as they were
	merged  []store.Job // that one of jobs did too
	claimed []store.Job
	effects []func()
	full    bool // no more can act
	writes  bool // one that acts, or that was claimed, is of a kind that Writes
}

func (t *taken) commit(ctx context.Context) error {
	w := t.worker
	for {
		err := w.Room.Sparing(func() error { return w.Store.Update(ctx, t.do) })
		var lacks *unready
		if !errors.As(err, &lacks) {
			return err
		}
		if err := lacks.get(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			// What is away is not the store, in which other jobs are done: it is the job's own fault.
			return fmt.Errorf("get what a step lacks: %v", err)
		}
	}
}

// do takes jobs, up to about Rows rows, and does them or claims them.
func (t *taken) do(tx *store.Tx) error {
	t.jobs, t.merged, t.claimed, t.effects, t.full, t.writes = nil, nil, nil, nil, false, t.worker.writes.Load()
	now := t.worker.Now()
	jobs, err := tx.DueJobs(t.kinds, now, t.after, t.limit)
	if err != nil {
		return err
	}
	rows := 0
	for i := 0; i < len(jobs) && rows < Rows && !t.full; i++ {
		t.jobs = jobs[:i+1]
		n, err := t.one(tx, jobs[i], now)
		if err != nil {
			return err
		}
		rows += n + 1
		if jobs, err = t.merge(tx, jobs, i); err != nil {
			return err
		}
	}
	return nil
}

// merge forgets those behind the i-th of some jobs that it has done too, and returns the others. What they
// are about was on disk before its step looked.
func (t *taken) merge(tx *store.Tx, jobs []store.Job, i int) (others []store.Job, err error) {
	if !t.worker.kinds[jobs[i].Kind].Merges {
		return jobs, nil
	}
	others = slices.Clone(jobs[:i+1])
	for _, j := range jobs[i+1:] {
		if j.Kind != jobs[i].Kind || !bytes.Equal(j.Subject, jobs[i].Subject) {
			others = append(others, j)
			continue
		}
		if _, err := tx.DeleteJob(&j); err != nil {
			return nil, err
		}
		t.merged = append(t.merged, j)
	}
	return others, nil
}

// one does a job, or claims it, and returns how many rows that wrote.
func (t *taken) one(tx *store.Tx, j store.Job, now time.Time) (rows int, err error) {
	w := t.worker
	kind := w.kinds[j.Kind]
	if kind.Act != nil {
		if kind.Writes && t.writes {
			return 0, nil // it is taken when the other one has ended
		}
		_, err := tx.ClaimJob(&j, now.Add(kind.Lease))
		t.claimed = append(t.claimed, j)
		t.writes = t.writes || kind.Writes
		t.full = t.acts(kind) >= w.actsOf(kind).most
		return 0, err
	}
	next, err := step(kind, tx, &j)
	if err != nil {
		return 0, err
	}
	if next.Done != nil {
		t.effects = append(t.effects, next.Done)
	}
	if t.stay {
		now = j.Due
	}
	return next.Rows, settle(tx, &j, &next, now)
}

// acts is how many jobs act, or were claimed to, that share a limit with a kind's.
func (t *taken) acts(kind *Kind) int64 {
	among := t.worker.actsOf(kind)
	n := among.now.Load()
	for i := range t.claimed {
		if t.worker.actsOf(t.worker.kinds[t.claimed[i].Kind]) == among {
			n++
		}
	}
	return n
}

// step calls the kind's. That it panics is its error.
func step(kind *Kind, tx *store.Tx, j *store.Job) (next Next, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = store.NewPanicError(value)
		}
	}()
	return kind.Step(tx, j)
}

// settle forgets a job that is over, and has it done again where it is not.
func settle(tx *store.Tx, j *store.Job, next *Next, now time.Time) (err error) {
	if next.over {
		_, err = tx.DeleteJob(j)
		return err
	}
	j.Failures = 0
	due := next.at
	if due.IsZero() {
		due = now
	}
	_, err = tx.PutOffJob(j, due)
	return err
}

// settled is what follows once the transaction is on disk.
func (t *taken) settled(ctx context.Context) {
	for _, j := range slices.Concat(t.jobs, t.merged) {
		if kind := t.worker.kinds[j.Kind]; kind.Act == nil {
			t.worker.failures.over(kind, &j)
		}
	}
	for _, effect := range t.effects {
		effect()
	}
	for i := range t.claimed {
		t.worker.begin(ctx, t.claimed[i])
	}
}

// Rest lasts as long as what was begun then, so that others write half of the time, but not
// longer than some hundredths of a second. It returns what Turn does.
func Rest(ctx context.Context, begun time.Time) error {
	timer := time.NewTimer(min(time.Since(begun), longestRest))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return Turn(ctx)
}

// errTurn ends an Act whose turn is over.
var errTurn = errors.New("the turn of the work in the background is over: it goes on after others")

type turnKey struct{}

// Turn returns the error of ctx where that has ended, and another one where ctx is that of an Act
// that has had its turn. An Act asks between two transactions and returns the error: what it has
// done stays done, and the job goes on when others have had theirs.
func Turn(ctx context.Context) error {
	if end, acts := ctx.Value(turnKey{}).(time.Time); acts && ctx.Err() == nil && time.Now().After(end) {
		return errTurn
	}
	return ctx.Err()
}
