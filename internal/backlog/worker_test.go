package backlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/trace/tracetest"
)

// done is when the steps of jobs were done.
func (c *city) done(s *server) map[int64][]time.Time {
	c.t.Helper()
	out := map[int64][]time.Time{}
	err := s.store.View(c.t.Context(), func(tx *store.Tx) error {
		clear(out)
		return tx.Query(`SELECT job, at FROM done ORDER BY job, step`, nil, func(row store.Row) error {
			var job, at int64
			err := row.Scan(&job, &at)
			out[job] = append(out[job], time.UnixMicro(at))
			return err
		})
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

// await waits until no job is left.
func (c *city) await(s *server) {
	c.t.Helper()
	for {
		left := false
		err := s.store.View(c.t.Context(), func(tx *store.Tx) (err error) {
			_, left, err = tx.NextDue([]store.JobKind{count})
			return err
		})
		if err != nil {
			c.t.Fatal(err)
		}
		if !left {
			return
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-c.t.Context().Done():
			c.t.Fatal("jobs are left")
		}
	}
}

// stalls finds out by how much this machine is late with what is to be done at once.
type stalls struct{ longest atomic.Int64 }

func (s *stalls) watch(ctx context.Context, ask func() error) {
	for ctx.Err() == nil {
		begun := time.Now()
		time.Sleep(5 * time.Millisecond)
		if ask() != nil {
			return
		}
		if took := int64(time.Since(begun)); took > s.longest.Load() {
			s.longest.Store(took)
		}
	}
}

// Three servers, whose clocks differ, note jobs and are killed, in the middle of whatever they
// do, and start again: each step of each job is done once, not before the job is due, and not
// later than a second after that. Where the store is embedded there is one server at a time.
func TestJobsAreDoneOnceAndInTimeWhateverIsKilled(t *testing.T) {
	const wrong = 300 * time.Millisecond
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	c := newCity(t)
	clocks := []time.Duration{-wrong, 0, wrong}
	if !enginetest.OnPostgres() {
		clocks = []time.Duration{0}
	}
	servers := make([]*server, len(clocks))
	for i := range servers {
		servers[i] = c.start([]*Kind{counting()}, clocks[i])
	}
	var stalls stalls
	ctx, cancel := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	ask := func() error { return nil }
	if enginetest.OnPostgres() {
		watcher := c.start(nil, 0)
		ask = func() error { return watcher.store.View(ctx, func(*store.Tx) error { return nil }) }
	}
	watching.Go(func() { stalls.watch(ctx, ask) })

	type promise struct {
		due   time.Time
		steps byte
	}
	promised := map[int64]promise{}
	var down [][2]time.Time // when no server was there
	begun, noting := time.Now(), time.Duration(0)
	for id := range int64(600) {
		i := r.IntN(len(servers))
		due := time.Now().Add(time.Duration(r.IntN(1500)) * time.Millisecond)
		steps := byte(1 + r.IntN(3))
		j := job(uint64(id), steps, due)
		if r.IntN(3) == 0 {
			due = time.Now()
			j.Due = time.Time{}
		}
		asked := time.Now()
		err := servers[i].store.Update(t.Context(), func(tx *store.Tx) error { again := *j; return tx.NoteJob(&again) })
		if err != nil {
			t.Fatal(err)
		}
		noting += time.Since(asked)
		promised[id] = promise{due, steps}
		time.Sleep(time.Duration(r.IntN(5)) * time.Millisecond)
		if r.IntN(40) == 0 {
			begun := time.Now()
			servers[i].kill()
			servers[i] = c.start([]*Kind{counting()}, clocks[i])
			if len(servers) == 1 {
				down = append(down, [2]time.Time{begun, time.Now()})
			}
		}
	}
	// The jobs take about twice as many writes as it took to note them. Where the disk is so slow
	// that this takes longer than noting them, pauses included, the last ones have to wait.
	behind := max(0, 2*noting-time.Since(begun))
	c.await(servers[0])
	cancel()
	watching.Wait()

	late := time.Second + wrong + 4*time.Duration(stalls.longest.Load()) + behind
	var latest time.Duration
	got := c.done(servers[0])
	for id, p := range promised {
		steps := got[id]
		if len(steps) != int(p.steps) {
			t.Errorf("job %d: %d steps were done, want %d", id, len(steps), p.steps)
			continue
		}
		if early := p.due.Sub(steps[0]); early > wrong+time.Millisecond {
			t.Errorf("job %d was begun %v before it was due", id, early)
		}
		waited := steps[0].Sub(p.due)
		for _, gap := range down {
			waited -= max(0, earlier(gap[1], steps[0]).Sub(later(gap[0], p.due)))
		}
		latest = max(latest, waited)
	}
	t.Logf("the latest waited %v while a server was there; this machine was late by up to %v itself, "+
		"and noting the jobs took %v", latest, time.Duration(stalls.longest.Load()), noting)
	if latest > late {
		t.Errorf("a job that was due waited %v while a server was there, which is more than %v", latest, late)
	}
	if len(got) != len(promised) {
		t.Errorf("%d jobs were done, want %d", len(got), len(promised))
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// looks counts what is asked of a store.
type looks struct {
	store.Engine
	n atomic.Int64
}

func (l *looks) View(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	l.n.Add(1)
	return l.Engine.View(ctx, fn, traits...)
}

// A server that is alone asks nothing while nothing is due, and one of several once each time it
// looks. Neither has itself look again.
func TestNothingIsAskedWhileNothingIsDue(t *testing.T) {
	engine := &looks{Engine: enginetest.Open(t, t.TempDir(), enginetest.Options{})}
	kept, err := store.Open(t.Context(), engine, func() string { return "epoch" })
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	now := time.Now()
	w := NewWorker(Options{Store: kept, Now: func() time.Time { return now }})
	w.Register(counting())
	kept.OnJobs(w.noted)
	for _, c := range []struct {
		what         string
		due          time.Time
		alone, other int64 // how often is asked
	}{
		{"nothing is noted", time.Time{}, 1, 100},
		{"something is due later", now.Add(time.Minute), 1, 100},
	} {
		if !c.due.IsZero() {
			err := kept.Update(t.Context(), func(tx *store.Tx) error { return tx.NoteJob(job(1, 1, c.due)) })
			if err != nil {
				t.Fatal(err)
			}
		}
		select {
		case <-w.soon: // it was told that a task was noted
		default:
		}
		engine.n.Store(0)
		for range 100 {
			if err := w.round(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(w.soon) > 0 {
				t.Fatalf("%s: it wakes itself", c.what)
			}
		}
		want := c.other
		if kept.Alone() {
			want = c.alone
		}
		if got := engine.n.Load(); got > want {
			t.Errorf("%s: it asks %d times, want %d", c.what, got, want)
		}
	}
}

// What another server is at is asked for once, until this one looks again.
func TestWhatOthersAreAtIsLeftToThem(t *testing.T) {
	engine := &looks{Engine: enginetest.Open(t, t.TempDir(), enginetest.Options{})}
	kept, err := store.Open(t.Context(), engine, func() string { return "epoch" })
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	if kept.Alone() { // there is no other one
		return
	}
	w := NewWorker(Options{Store: kept, Now: time.Now})
	w.Register(counting())
	err = kept.Update(t.Context(), func(tx *store.Tx) error { return tx.NoteJob(job(1, 1, time.Time{})) })
	if err != nil {
		t.Fatal(err)
	}
	err = kept.Update(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.DueJobs([]store.JobKind{count}, time.Now(), nil, 1); err != nil {
			return err
		}
		engine.n.Store(0)
		return w.round(t.Context())
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := engine.n.Load(); n != 1 {
		t.Errorf("it asks %d times", n)
	}
}

// Of what writes very much one job acts at a time on a server, and all have their turn.
func TestOfWhatWritesMuchOneActsAtATime(t *testing.T) {
	c := newCity(t)
	var acting, most atomic.Int64
	act := func(context.Context, *store.Job) (Next, error) {
		most.Store(max(most.Load(), acting.Add(1)))
		defer acting.Add(-1)
		return Over(), nil
	}
	first := &Kind{Number: count, Name: "first", Lease: time.Minute, Writes: true, Act: act}
	second := &Kind{Number: 2, Name: "second", Lease: time.Minute, Writes: true, Act: act}
	s := c.start([]*Kind{first, second}, 0)
	err := s.store.Update(t.Context(), func(tx *store.Tx) error {
		for i := range 40 {
			if err := tx.NoteJob(&store.Job{Kind: store.JobKind(1 + i%2)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for first.Done()+second.Done() < 40 && t.Context().Err() == nil {
		runtime.Gosched()
	}
	if most.Load() != 1 {
		t.Errorf("%d act at a time", most.Load())
	}
}

// BenchmarkJobsDueAtOnce is how long 100,000 jobs take that are due at once, each of which writes a
// row.
func BenchmarkJobsDueAtOnce(b *testing.B) {
	const many = 100_000
	c := newCity(b)
	s := c.start([]*Kind{counting()}, 0)
	for n := range uint64(b.N) {
		due := time.Now().Add(time.Hour)
		for i := uint64(0); i < many; i += 1000 {
			err := s.store.Update(b.Context(), func(tx *store.Tx) error {
				for k := range uint64(1000) {
					if err := tx.NoteJob(job(n*(many+1)+i+k, 1, due)); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		begun := time.Now()
		err := s.store.Update(b.Context(), func(tx *store.Tx) error { // an hour later
			if err := tx.Post(`UPDATE jobs SET due = 0`); err != nil {
				return err
			}
			return tx.NoteJob(job(n*(many+1)+many, 1, time.Time{}))
		})
		if err != nil {
			b.Fatal(err)
		}
		c.await(s)
		b.ReportMetric(many/time.Since(begun).Seconds(), "jobs/s")
	}
}

var errBroken = errors.New("broken")

// A job that fails, or panics, holds up no other, whatever is done in one transaction with it.
func TestAJobThatFailsHoldsUpNoOther(t *testing.T) {
	c := newCity(t)
	var tries atomic.Int64
	breaking := &Kind{Number: 2, Name: "break", Step: func(tx *store.Tx, j *store.Job) (Next, error) {
		tries.Add(1)
		if j.Failures > 0 {
			return Over(), nil
		}
		if err := tx.Post(`INSERT INTO done (job, step, at) VALUES (7, 77, 0)`); err != nil { // which must not stay
			return Next{}, err
		}
		switch j.Subject[0] {
		case 0:
			return Next{}, errBroken
		case 1:
			panic("broken")
		}
		return Over(), tx.Post(`INSERT INTO done (job, step, at) VALUES (7, 77, 0)`) // once more: no statement succeeds
	}}
	s := c.start([]*Kind{counting(), breaking}, 0)
	err := s.store.Update(t.Context(), func(tx *store.Tx) error {
		for id := range uint64(20) {
			if err := tx.NoteJob(job(id, 2, time.Time{})); err != nil {
				return err
			}
			if err := tx.NoteJob(&store.Job{Kind: 2, Subject: []byte{byte(id % 3)}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c.await(s)
	for id, steps := range c.done(s) {
		if len(steps) != 2 {
			t.Errorf("of job %d there are %d steps", id, len(steps))
		}
	}
	if n := breaking.Failed(); n != 20 {
		t.Errorf("%d failed, want 20", n)
	}
}

// What acts is done by one server at a time, and again where that was killed.
func TestWhatActsIsDoneAgainWhereItsServerWasKilled(t *testing.T) {
	c := newCity(t)
	begun := make(chan int, 10)
	over := make(chan struct{})
	kind := func(server int) *Kind {
		act := func(ctx context.Context, _ *store.Job) (Next, error) {
			begun <- server
			if server == 0 {
				<-ctx.Done()
				return Next{}, ctx.Err()
			}
			close(over)
			return Over(), nil
		}
		return &Kind{Number: 2, Name: "act", Lease: 2 * time.Second, Act: act}
	}
	s := c.start([]*Kind{kind(0)}, 0)
	err := s.store.Update(t.Context(), func(tx *store.Tx) error { return tx.NoteJob(&store.Job{Kind: 2}) })
	if err != nil {
		t.Fatal(err)
	}
	if first := <-begun; first != 0 {
		t.Fatalf("server %d began it", first)
	}
	s.kill()
	c.start([]*Kind{kind(1)}, 0)
	<-over
	if again := <-begun; again != 1 || len(begun) > 0 {
		t.Errorf("server %d did it again, and %d more", again, len(begun))
	}
}

// A job that acts for long gives way to others, goes on from where it was, and has not failed.
func TestWhatActsForLongGivesWay(t *testing.T) {
	c := newCity(t)
	const steps = 20
	acts := 0
	long := &Kind{Number: count, Name: "long", Lease: time.Minute}
	long.Act = func(ctx context.Context, j *store.Job) (Next, error) {
		acts++
		for {
			if j.State = append(j.State, 0); len(j.State) == steps {
				return Over(), nil
			}
			if err := Rest(ctx, time.Now()); err != nil {
				return Next{}, fmt.Errorf("go on with it: %w", err)
			}
		}
	}
	s := c.start(nil, 0)
	worker := NewWorker(Options{Store: s.store, Log: slog.New(slog.DiscardHandler), Now: time.Now, Turn: time.Nanosecond})
	worker.Register(long)
	for range 2 {
		err := s.store.Update(t.Context(), func(tx *store.Tx) error { return tx.NoteJob(job(1, 1, time.Time{})) })
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := worker.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if acts != 2*steps || long.Failed() != 0 || long.Done() != 2*steps {
		t.Errorf("it acted %d times, failed %d times, and was done %d times; want each of %d steps to be an act", acts,
			long.Failed(), long.Done(), 2*steps)
	}
}

// TestSpansOfJobs: one for each transaction that takes jobs, and one for each job that acts.
func TestSpansOfJobs(t *testing.T) {
	c := newCity(t)
	s := c.start(nil, 0)
	tracer, recorder := tracetest.Record(1, true)
	worker := NewWorker(Options{Store: s.store, Log: slog.New(slog.DiscardHandler), Now: time.Now, Tracer: tracer})
	var outcome error
	acting := &Kind{Number: count, Name: "acting", Lease: time.Minute,
		Act: func(context.Context, *store.Job) (Next, error) { return Over(), outcome }}
	worker.Register(acting)
	for i, end := range []error{errors.New("it fails"), nil} {
		outcome = end
		err := s.store.Update(t.Context(), func(tx *store.Tx) error {
			return tx.NoteJob(job(uint64(i), 1, time.Time{}))
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := worker.work(t.Context(), []store.JobKind{count}); err != nil {
			t.Fatal(err)
		}
		worker.acts.Wait()
	}
	got := slices.DeleteFunc(recorder.Ended(), func(name string) bool { return !strings.HasPrefix(name, "task acting") })
	if want := []string{"task acting !", "task acting"}; !slices.Equal(got, want) {
		t.Errorf("the spans are %q, want among them %q", recorder.Ended(), want)
	}
	if all := recorder.Ended(); !slices.Contains(all, "task backlog") || !slices.Contains(all, "transaction") {
		t.Errorf("the spans are %q, want those of transactions that take jobs", all)
	}
}
