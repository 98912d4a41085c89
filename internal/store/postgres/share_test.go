package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/postgrestest"
)

// accompanied is an engine whose calls all share their transaction with another one.
type accompanied struct{ *Engine }

func (a accompanied) Update(ctx context.Context, fn func(store.Session) error, _ ...store.Trait) error {
	return a.accompany(ctx, fn, a.shareUpdate, a.Engine.Update, func(s store.Session) error {
		_, err := s.Position([]model.AccountID{{0xff}}, 2)
		return err
	})
}

func (a accompanied) View(ctx context.Context, fn func(store.Session) error, _ ...store.Trait) error {
	return a.accompany(ctx, fn, a.shareView, a.Engine.View, func(s store.Session) error {
		return s.Query(`SELECT 1`, nil, func(store.Row) error { return nil })
	})
}

func (a accompanied) accompany(ctx context.Context, fn func(store.Session) error, share func([]*member) error,
	alone func(context.Context, func(store.Session) error, ...store.Trait) error,
	companion func(store.Session) error) error {
	if err := a.gate.Enter(ctx); err != nil {
		return err
	}
	defer a.gate.Leave()
	own := &member{ctx: ctx, fn: fn}
	err := share([]*member{{ctx: ctx, fn: companion}, own})
	if errors.Is(err, errAlone) {
		return alone(ctx, fn)
	}
	return errors.Join(err, own.err)
}

// Whatever some of those that share transactions do, the others take effect, each
// once.
func TestOneCallDoesNotSpoilTheOthers(t *testing.T) {
	for name, traits := range map[string][]store.Trait{"short": {store.Short},
		"crowds": {store.Crowd(model.GroupID{1}), store.Crowd(model.GroupID{2})}} {
		t.Run(name, func(t *testing.T) { oneCallDoesNotSpoilTheOthers(t, traits) })
	}
}

// oneCallDoesNotSpoilTheOthers has calls with these traits, each with one of them.
func oneCallDoesNotSpoilTheOthers(t *testing.T, traits []store.Trait) {
	e := mustOpen(t, postgrestest.URL(t), Options{})
	mustExec(t, e, `CREATE TABLE counters (name TEXT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (name))`)
	mustExec(t, e, `INSERT INTO counters (name, n) VALUES ('a', 0)`)
	mustExec(t, e, `CREATE TABLE names (name TEXT NOT NULL, PRIMARY KEY (name))`)
	mustExec(t, e, `INSERT INTO names (name) VALUES ('taken')`)
	refused := errors.New("refused")
	increment := func(s store.Session) error {
		if _, err := s.Position([]model.AccountID{{byte(rand.N(4))}, {byte(rand.N(4))}}, 1+rand.N(3)); err != nil {
			return err
		}
		return s.Post(`UPDATE counters SET n = n + 1 WHERE name = 'a'`)
	}
	kinds := []struct {
		name string
		fn   func(store.Session) error
		want func(error) bool
	}{
		{"works", increment, func(err error) bool { return err == nil }},
		{"fails_before_it_writes", func(s store.Session) error {
			err := s.Query(`SELECT n FROM counters`, nil, func(store.Row) error { return refused })
			return err
		}, func(err error) bool { return errors.Is(err, refused) }},
		{"fails_after_it_wrote", func(s store.Session) error {
			return errors.Join(increment(s), refused)
		}, func(err error) bool { return errors.Is(err, refused) }},
		{"breaks_a_key", func(s store.Session) error {
			return errors.Join(increment(s), s.Post(`INSERT INTO names (name) VALUES ('taken')`))
		}, func(err error) bool { return errors.Is(err, store.ErrConflict) }},
		{"panics", func(s store.Session) error {
			_ = increment(s) // it ends badly all the same
			panic("oh")
		}, func(err error) bool { return errors.As(err, new(*store.PanicError)) }},
		{"panics_while_it_reads", func(s store.Session) error {
			return s.Query(`SELECT n FROM counters`, nil, func(store.Row) error { panic("oh") })
		}, func(err error) bool { return errors.As(err, new(*store.PanicError)) }},
	}
	var worked atomic.Int64
	var workers sync.WaitGroup
	for worker := range 24 {
		workers.Go(func() {
			for i := range 15 {
				kind := kinds[0]
				if worker%3 == 0 {
					kind = kinds[i%len(kinds)]
				}
				err := e.Update(context.Background(), kind.fn, traits[worker%len(traits)])
				if !kind.want(err) {
					t.Errorf("one that %s answers %v", kind.name, err)
				}
				if err == nil {
					worked.Add(1)
				}
			}
		})
	}
	workers.Wait()
	if n := mustCount(t, e, `SELECT n FROM counters`); int64(n) != worked.Load() {
		t.Errorf("%d took effect, %d were confirmed", n, worked.Load())
	}
	stats := e.Stats()
	if stats.Commits >= uint64(worked.Load()) {
		t.Errorf("%d calls took %d transactions: nothing was shared", worked.Load(), stats.Commits)
	}
}

// Readers that share a snapshot have each its own answer, error and panic.
func TestOneReaderDoesNotSpoilTheOthers(t *testing.T) {
	e := mustOpen(t, postgrestest.URL(t), Options{})
	var workers sync.WaitGroup
	for worker := range 24 {
		workers.Go(func() {
			for i := range 10 {
				want := worker*100 + i
				got, err := lookTogether(e, want)
				switch {
				case worker%5 == 1:
					if err == nil || !strings.Contains(err.Error(), "oh") {
						t.Errorf("a reader that panics answers %v", err)
					}
				case worker%5 == 2:
					if err == nil {
						t.Error("a wrong statement has no error")
					}
				case err != nil || got != want:
					t.Errorf("read %d, %v, want %d", got, err, want)
				}
			}
		})
	}
	workers.Wait()
}

func lookTogether(e *Engine, want int) (got int, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v", value)
		}
	}()
	err = e.View(context.Background(), func(s store.Session) error {
		text := `SELECT CAST(? AS BIGINT)`
		if want/100%5 == 2 {
			text = `SELECT CAST(? AS BIGINT) FROM nothing`
		}
		err := s.Query(text, []any{want}, func(r store.Row) error { return r.Scan(&got) })
		if want/100%5 == 1 {
			panic("oh")
		}
		return err
	}, store.Short)
	return got, err
}

// What is asked without waiting goes to the server with what waits for an answer, and not before.
func TestWhatIsAskedTogetherIsOneExchange(t *testing.T) {
	e := mustOpen(t, postgrestest.URL(t), Options{})
	err := e.Update(t.Context(), func(s store.Session) error {
		var position, n int64
		one := func(r store.Row) error { return r.Scan(&n) }
		if err := errors.Join(s.AskPosition([]model.AccountID{{1}, {2}}, 1, &position),
			s.Ask(`SELECT CAST(7 AS BIGINT)`, nil, one)); err != nil {
			return err
		}
		// At least these: BEGIN, two queues, the SELECT.
		if waiting := len(s.(*session).waiting); waiting < 4 || position != 0 || n != 0 {
			t.Errorf("%d statements wait, and position %d and number %d are there", waiting, position, n)
		}
		err := s.Await()
		if waiting := len(s.(*session).waiting); waiting > 0 || position == 0 || n != 7 {
			t.Errorf("%d statements wait, and position %d and number %d are there", waiting, position, n)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A caller that has left before its turn is not served, and one whose function runs
// waits for its end.
func TestACallerMayLeaveTheLine(t *testing.T) {
	t.Run("short", func(t *testing.T) { callerMayLeaveTheLine(t, store.Short, lanes()) })
	t.Run("crowd", func(t *testing.T) { callerMayLeaveTheLine(t, store.Crowd(model.GroupID{1}), 1) })
}

// callerMayLeaveTheLine has one leave a line of which so many calls are carried out at once.
func callerMayLeaveTheLine(t *testing.T, trait store.Trait, atOnce int) {
	e := mustOpen(t, postgrestest.URL(t), Options{})
	mustExec(t, e, `CREATE TABLE counters (name TEXT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (name))`)
	mustExec(t, e, `INSERT INTO counters (name, n) VALUES ('a', 0)`)
	increment := func(s store.Session) error { return s.Post(`UPDATE counters SET n = n + 1 WHERE name = 'a'`) }
	running, leave := make(chan struct{}, atOnce), make(chan struct{})
	var held sync.WaitGroup
	for range atOnce {
		held.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			err := e.Update(ctx, func(s store.Session) error {
				running <- struct{}{}
				<-leave
				cancel() // too late: it has begun
				return increment(s)
			}, trait)
			if err != nil {
				t.Errorf("a call that had begun: %v", err)
			}
		})
	}
	for range atOnce {
		<-running
	}
	ctx, cancel := context.WithCancel(context.Background())
	left := make(chan error)
	go func() { left <- e.Update(ctx, increment, trait) }()
	cancel()
	wantError(t, <-left, context.Canceled)
	close(leave)
	held.Wait()
	if n := mustCount(t, e, `SELECT n FROM counters`); n != atOnce {
		t.Errorf("%d calls took effect, want %d", n, atOnce)
	}
}

// Of those who write to a group, no more share a transaction than one call to a large group writes to.
func TestCrowdSharesNoMoreThanACallMayWrite(t *testing.T) {
	for _, kind := range []struct{ accounts, most int }{{100, 2}, {crowdQueues, 1}, {2 * crowdQueues, 1}, {1, maxShared}} {
		t.Run(fmt.Sprintf("%d_accounts", kind.accounts), func(t *testing.T) {
			e := mustOpen(t, postgrestest.URL(t), Options{})
			accounts := make([]model.AccountID, kind.accounts)
			for i := range accounts {
				accounts[i] = model.AccountID{byte(i >> 8), byte(i)}
			}
			var mu sync.Mutex
			sharing := map[*session]int{} // how many calls are in a transaction
			most := 0
			call := func(s store.Session) error {
				shared, ok := s.(*memberSession)
				if !ok {
					_, err := s.Position(accounts, 1)
					return err
				}
				mu.Lock()
				sharing[shared.s]++
				most = max(most, sharing[shared.s])
				mu.Unlock()
				_, err := s.Position(accounts, 1)
				return err
			}
			var calls sync.WaitGroup
			first, goOn := make(chan struct{}), make(chan struct{})
			calls.Go(func() {
				var once sync.Once
				err := e.Update(context.Background(), func(s store.Session) error {
					once.Do(func() { close(first) })
					<-goOn
					return call(s)
				}, store.Crowd(model.GroupID{1}))
				if err != nil {
					t.Error(err)
				}
			})
			<-first
			for range maxShared + 6 {
				calls.Go(func() {
					if err := e.Update(context.Background(), call, store.Crowd(model.GroupID{1})); err != nil {
						t.Error(err)
					}
				})
			}
			for waiting := 0; waiting < maxShared+6; {
				e.crowds.mu.Lock()
				waiting = len(e.crowds.all[model.GroupID{1}].waiting)
				e.crowds.mu.Unlock()
				runtime.Gosched()
			}
			close(goOn)
			calls.Wait()
			if want := kind.most; most > want || want > 1 && most < want {
				t.Errorf("up to %d calls share a transaction, want %d", most, want)
			}
			if err := e.Close(); err != nil { // the last one is forgotten after its answer
				t.Error(err)
			}
			if len(e.crowds.all) > 0 {
				t.Errorf("%d crowds are kept of which nobody waits", len(e.crowds.all))
			}
		})
	}
}

// Locks of rows keep nobody apart within a transaction: two calls that change what belongs to one account have two.
func TestNoTwoOfAnAccountShareATransaction(t *testing.T) {
	e := mustOpen(t, postgrestest.URL(t), Options{})
	var all sync.WaitGroup
	begun, release := make(chan struct{}, lanes()), make(chan struct{})
	update := func(fn func(store.Session) error, trait store.Trait) {
		all.Go(func() {
			if err := e.Update(t.Context(), fn, trait); err != nil {
				t.Error(err)
			}
		})
	}
	for range lanes() { // all that come meanwhile wait in line
		update(func(store.Session) error {
			begun <- struct{}{}
			<-release
			return nil
		}, store.Short)
		<-begun
	}
	one, other := model.AccountID{1}, model.AccountID{2}
	transactions := make(chan int64, 4)
	asked := func(account model.AccountID) {
		update(func(s store.Session) error {
			return s.Query(`SELECT txid_current()`, nil, func(row store.Row) error {
				var id int64
				err := row.Scan(&id)
				if account == one {
					transactions <- id
				}
				return err
			})
		}, store.ShortOf(account))
	}
	asked(one)
	asked(other)
	for len(e.updates) < 2 {
		runtime.Gosched()
	}
	asked(one)
	for range 1000 { // the third would stand in line, too
		runtime.Gosched()
	}
	close(release)
	all.Wait()
	if a, b := <-transactions, <-transactions; a == b {
		t.Errorf("two calls of an account shared the transaction %d", a)
	}
}

func TestQueuesOfATransactionAreLockedAtOnce(t *testing.T) {
	e := mustOpen(t, postgrestest.URL(t), Options{})
	lower, upper := model.AccountID{1}, model.AccountID{2}
	take := func(s store.Session, accounts ...model.AccountID) error {
		_, err := s.Position(accounts, 1)
		return err
	}
	var runs, othersRuns int
	other := make(chan error, 1)
	takeBoth := func() {
		other <- e.Update(context.Background(), func(s store.Session) error {
			othersRuns++
			return take(s, lower, upper)
		})
	}
	early := newMember(t.Context(), func(s store.Session) error {
		runs++
		return take(s, upper)
	})
	late := newMember(t.Context(), func(s store.Session) error {
		err := s.Query(`SELECT 1`, nil, func(store.Row) error {
			if runs > 1 {
				return nil
			}
			go takeBoth()
			for len(other) == 0 && mustCountWaiting(t, e) == 0 { // it has both, or waits for one
				runtime.Gosched()
			}
			return nil
		})
		return errors.Join(err, take(s, lower))
	})
	err := e.carryBatch([]*member{early, late}, false, func(*session) {})
	if err = errors.Join(err, early.err, late.err, <-other); err != nil || runs != 1 || othersRuns != 1 {
		t.Errorf("two that share a transaction ran %d times, another one %d times; error %v", runs, othersRuns, err)
	}
}
