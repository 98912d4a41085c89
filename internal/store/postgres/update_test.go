package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

func mustOpen(t testing.TB, url string, opts Options) *Engine {
	t.Helper()
	e, err := Open(t.Context(), url, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func mustExec(t testing.TB, e *Engine, text string, args ...any) {
	t.Helper()
	err := e.Update(t.Context(), func(s store.Session) error {
		_, err := s.Exec(text, args...)
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// mustCount returns the one number that a statement selects.
func mustCount(t testing.TB, e *Engine, text string, args ...any) (n int) {
	t.Helper()
	err := e.View(t.Context(), func(s store.Session) error {
		return s.Query(text, args, func(r store.Row) error { return r.Scan(&n) })
	})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}

// mustCountWaiting returns how many connections to the database wait for a lock.
func mustCountWaiting(t testing.TB, e *Engine) int {
	t.Helper()
	return mustCount(t, e, `SELECT COUNT(*) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`)
}

func wantError(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

// Wherever the connection is cut, a transaction takes effect once, and its caller
// hears nothing of it.
func TestALostConnectionNeitherLosesNorDoubles(t *testing.T) {
	for _, test := range []struct {
		name   string
		at     string
		what   cut
		effect bool // the first try is on disk
	}{
		{"answer_to_commit_lost", "COMMIT\x00", withoutAnswer, true},
		{"nobody_waits_for_the_answer_to_commit", "COMMIT\x00", afterServer, true},
		{"commit_never_arrived", "COMMIT\x00", beforeServer, false},
		{"answer_to_a_statement_lost", "UPDATE counters", withoutAnswer, false},
		{"statement_never_arrived", "UPDATE counters", beforeServer, false},
	} {
		for _, short := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/short_%t", test.name, short), func(t *testing.T) {
				t.Parallel()
				url := postgrestest.URL(t)
				direct := mustOpen(t, url, Options{})
				mustExec(t, direct, `CREATE TABLE counters (name TEXT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (name))`)
				mustExec(t, direct, `INSERT INTO counters (name, n) VALUES ('a', 0)`)
				p, through := newProxy(t, url)
				// As through a pooler, so that each statement shows its text.
				e := mustOpen(t, through, Options{Pooled: true, Connections: 3, Patience: 20 * time.Second})
				p.cutWhen(every(3, test.at, test.what))
				var traits []store.Trait
				writers, rounds, least := 3, 30, 10
				if short { // more of them, so that several wait at the same time
					traits, writers, rounds, least = []store.Trait{store.Short}, 10, 200, 3
				}
				var workers sync.WaitGroup
				for range writers {
					workers.Go(func() {
						for range rounds / writers {
							err := e.Update(context.Background(), func(s store.Session) error {
								if _, err := s.Position([]model.AccountID{{1}, {2}}, 1); err != nil {
									return err
								}
								_, err := s.Exec(`UPDATE counters SET n = n + 1 WHERE name = ?`, "a")
								return err
							}, traits...)
							if err != nil {
								t.Error(err)
							}
						}
					})
				}
				workers.Wait()
				if p.counted() < least {
					t.Errorf("only %d connections were cut", p.counted())
				}
				p.cutWhen(nil)
				if n := mustCount(t, direct, `SELECT n FROM counters`); n != rounds {
					t.Errorf("%d of %d updates took effect", n, rounds)
				}
				if found := e.Stats().Recovered; test.what == withoutAnswer && test.effect != (found > 0) {
					t.Errorf("%d commits were found on disk", found)
				}
			})
		}
	}
}

// A server that still works on a try whose client is gone cannot bring it to the disk behind the next one, whose
// outcome is the caller's.
func TestALostTryTakesNoEffectBehindTheNext(t *testing.T) {
	refused := errors.New("refused")
	for _, test := range []struct {
		name string
		next error // what the function returns when it is called once more
		n    int   // of the row that each try changes first
	}{
		{"that_works", nil, 1},
		{"that_is_refused", refused, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url := postgrestest.URL(t)
			direct := mustOpen(t, url, Options{})
			mustExec(t, direct, `CREATE TABLE counters (name TEXT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (name))`)
			mustExec(t, direct, `INSERT INTO counters (name, n) VALUES ('first', 0), ('last', 0)`)
			p, through := newProxy(t, url)
			e := mustOpen(t, through, Options{Pooled: true, Connections: 3, Patience: 20 * time.Second})

			held, release := make(chan struct{}), make(chan struct{})
			letGo := sync.OnceFunc(func() { close(release) })
			var workers sync.WaitGroup
			workers.Go(func() {
				err := direct.Update(context.Background(), func(s store.Session) error {
					_, err := s.Exec(`UPDATE counters SET n = 0 WHERE name = 'last'`)
					close(held)
					<-release
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
			<-held
			lost := false
			p.cutWhen(func(sent []byte) cut {
				switch {
				case bytes.Contains(sent, []byte{0x04, 0xd2, 0x16, 0x2e}): // the client asks to cancel what it lost
					return beforeServer
				case lost || !bytes.Contains(sent, []byte("COMMIT\x00")):
					return pass
				}
				lost = true
				return afterServer
			})
			waiting := func() int {
				return mustCount(t, direct, `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()
					AND wait_event_type = 'Lock' AND query LIKE 'UPDATE counters%'`)
			}
			calls, result := 0, 0
			err := e.Update(t.Context(), func(s store.Session) error {
				result = 0
				if calls++; calls == 2 {
					for waiting() == 0 {
					}
					if test.next != nil {
						return test.next
					}
					letGo()
					for waiting() > 0 { // until the server goes on with the first try
					}
				}
				if _, err := s.Exec(`UPDATE counters SET n = n + 1 WHERE name = 'first'`); err != nil {
					return err
				}
				result = 1
				return s.Post(`UPDATE counters SET n = n + 1 WHERE name = 'last'`)
			})
			letGo()
			workers.Wait()
			if !errors.Is(err, test.next) || calls != 2 || result != test.n {
				t.Errorf("after %d calls: error %v and result %d, want 2, %v and %d", calls, err, result, test.next, test.n)
			}
			mustExec(t, direct, `UPDATE counters SET n = n + 10 WHERE name = 'first'`) // once the first try has ended
			if n := mustCount(t, direct, `SELECT n FROM counters WHERE name = 'first'`); n != 10+test.n {
				t.Errorf("%d tries took effect, want %d", n-10, test.n)
			}
		})
	}
}

func TestAViewGoesOnAfterALostConnection(t *testing.T) {
	p, through := newProxy(t, postgrestest.URL(t))
	e := mustOpen(t, through, Options{Connections: 2})
	for range 10 {
		p.cutAll()
		if n := mustCount(t, e, `SELECT 7`); n != 7 {
			t.Errorf("read %d", n)
		}
	}
}

// The server is stopped and started while others write and read.
func TestAServerThatRestartsIsWaitedFor(t *testing.T) {
	testenv.Long(t)
	server := postgrestest.Start(t, "fsync = on")
	e := mustOpen(t, server.URL(t), Options{Patience: 30 * time.Second})
	mustExec(t, e, `CREATE TABLE counters (name TEXT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (name))`)
	mustExec(t, e, `INSERT INTO counters (name, n) VALUES ('a', 0)`)
	stop, written := make(chan struct{}), make([]int, 4)
	var workers sync.WaitGroup
	for i := range written {
		workers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				err := e.Update(context.Background(), func(s store.Session) error {
					return s.Post(`UPDATE counters SET n = n + 1 WHERE name = 'a'`)
				})
				if err != nil {
					t.Error(err)
				}
				written[i]++
			}
		})
	}
	for _, fast := range []bool{true, false} {
		server.Stop(t, fast)
		server.Restart(t)
		mustCount(t, e, `SELECT n FROM counters`)
	}
	close(stop)
	workers.Wait()
	total := 0
	for _, n := range written {
		total += n
	}
	if n := mustCount(t, e, `SELECT n FROM counters`); n != total || total == 0 {
		t.Errorf("%d updates took effect, %d were confirmed", n, total)
	}
}

func TestAServerThatIsAwayIsUnavailable(t *testing.T) {
	testenv.Long(t)
	server := postgrestest.Start(t)
	url := server.URL(t)
	e := mustOpen(t, url, Options{Patience: 50 * time.Millisecond})
	server.Stop(t, true)
	nothing := func(s store.Session) error { return s.Query(`SELECT 1`, nil, func(store.Row) error { return nil }) }
	for range 3 {
		wantError(t, e.Update(t.Context(), nothing), store.ErrUnavailable)
		wantError(t, e.View(t.Context(), nothing), store.ErrUnavailable)
	}
	_, err := Open(t.Context(), url, Options{Patience: 50 * time.Millisecond})
	wantError(t, err, store.ErrUnavailable)
	server.Restart(t)
	if err := e.Update(t.Context(), nothing); err != nil {
		t.Errorf("after the restart: %v", err)
	}
}

// Two transactions that wait for each other: the server ends one, which is run
// again.
func TestADeadlockIsRunAgain(t *testing.T) {
	e := mustOpen(t, postgrestest.URL(t), Options{})
	mustExec(t, e, `CREATE TABLE counters (name TEXT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (name))`)
	mustExec(t, e, `INSERT INTO counters (name, n) VALUES ('a', 0), ('b', 0)`)
	var met sync.WaitGroup
	met.Add(2)
	var workers sync.WaitGroup
	for _, order := range [][]string{{"a", "b"}, {"b", "a"}} {
		workers.Go(func() {
			first := true
			err := e.Update(context.Background(), func(s store.Session) error {
				for i, name := range order {
					if _, err := s.Exec(`UPDATE counters SET n = n + 1 WHERE name = ?`, name); err != nil {
						return errors.New("of its own: " + err.Error()) // what it makes of the fault does not matter
					}
					if i == 0 && first {
						first = false
						met.Done()
						met.Wait()
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	workers.Wait()
	if n := mustCount(t, e, `SELECT SUM(n) FROM counters`); n != 4 {
		t.Errorf("the sum is %d", n)
	}
	if e.Stats().Retries == 0 {
		t.Error("nothing was run again")
	}
}

func TestAPanicInAnUpdateIsItsError(t *testing.T) {
	e := mustOpen(t, postgrestest.URL(t), Options{Connections: 1})
	mustExec(t, e, `CREATE TABLE items (name TEXT NOT NULL, PRIMARY KEY (name))`)
	mine := errors.New("mine")
	err := e.Update(t.Context(), func(s store.Session) error {
		if err := s.Post(`INSERT INTO items (name) VALUES ('a')`); err != nil {
			return err
		}
		panic(mine)
	})
	var fell *store.PanicError
	if !errors.As(err, &fell) || !errors.Is(err, mine) || !strings.Contains(string(fell.Stack()), "update_test.go") {
		t.Errorf("error %v, want a PanicError with its stack", err)
	}
	if n := mustCount(t, e, `SELECT COUNT(*) FROM items`); n != 0 {
		t.Errorf("%d items are left", n)
	}
}

// A statement that is put off tells its fault with the next answer, and names
// itself.
func TestAPostedStatementFailsWithTheTransaction(t *testing.T) {
	e := mustOpen(t, postgrestest.URL(t), Options{Connections: 1})
	mustExec(t, e, `CREATE TABLE items (name TEXT NOT NULL, PRIMARY KEY (name))`)
	for i, later := range []func(store.Session) error{
		func(store.Session) error { return nil },
		func(s store.Session) error { _, err := s.Exec(`DELETE FROM items`); return err },
	} {
		err := e.Update(t.Context(), func(s store.Session) error {
			for range 2 {
				if err := s.Post(`INSERT INTO items (name) VALUES ('twice')`); err != nil {
					return err
				}
			}
			return later(s)
		})
		wantError(t, err, store.ErrConflict)
		if err == nil || !strings.Contains(err.Error(), "INSERT INTO items") {
			t.Errorf("%d: error %v does not name the statement", i, err)
		}
		if n := mustCount(t, e, `SELECT COUNT(*) FROM items`); n != 0 {
			t.Errorf("%d items are left", n)
		}
	}
}

func TestWhatIsUnfitIsRefusedAtOnce(t *testing.T) {
	url := postgrestest.URL(t)
	for name, bad := range map[string]string{
		"no_address":  "postgres://%zz",
		"no_database": strings.Replace(url, "/postgres?", "/nowhere?", 1),
		"no_account":  strings.Replace(url, "signet@", "nobody@", 1),
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			e, err := Open(t.Context(), bad, Options{Patience: time.Hour})
			if err == nil {
				e.Close()
				t.Fatal("it was opened")
			}
			if time.Since(began) > 20*time.Second {
				t.Errorf("it took %v", time.Since(began))
			}
		})
	}
}

// A standby lets read only: a node that is pointed at one waits for it to lead.
func TestAServerThatOnlyLetsReadIsUnavailable(t *testing.T) {
	url := postgrestest.URL(t)
	_, err := Open(t.Context(), url+"&options=-c%20default_transaction_read_only%3Don",
		Options{Patience: time.Millisecond})
	wantError(t, err, store.ErrUnavailable)
}

func TestTheClocksAreCompared(t *testing.T) {
	ahead := func() time.Time { return time.Now().Add(time.Hour) }
	e := mustOpen(t, postgrestest.URL(t), Options{Clock: ahead})
	offset, err := e.ClockOffset(t.Context())
	if err != nil || offset > -59*time.Minute || offset < -61*time.Minute {
		t.Errorf("offset %v, error %v", offset, err)
	}
}

// A machine that stood still while it asked cannot tell when the database answered.
func TestAStalledComparisonOfClocksProvesNothing(t *testing.T) {
	var stall time.Duration
	slow := func() time.Time {
		stall += 5 * time.Second
		return time.Now().Add(stall - 6*time.Second)
	}
	e := mustOpen(t, postgrestest.URL(t), Options{Clock: slow})
	stall = 0
	if offset, err := e.ClockOffset(t.Context()); err != nil || offset != 0 {
		t.Errorf("offset %v, error %v", offset, err)
	}
}

func TestTransactionsOfAPooledConnectionHaveTheirTimeouts(t *testing.T) {
	url := postgrestest.URL(t)
	for _, pooled := range []bool{false, true} {
		e := mustOpen(t, url, Options{Pooled: pooled})
		for _, transact := range []func(context.Context, func(store.Session) error, ...store.Trait) error{e.Update, e.View} {
			var got string
			err := transact(t.Context(), func(s store.Session) error {
				return s.Query(`SELECT current_setting('statement_timeout') || ' ' || current_setting('lock_timeout')`, nil,
					func(r store.Row) error { return r.Scan(&got) })
			})
			if want := fmt.Sprintf("%ds %ds", statementTimeout/time.Second, lockTimeout/time.Second); err != nil || got != want {
				t.Errorf("pooled %t: %q, error %v, want %q", pooled, got, err, want)
			}
		}
	}
}

// A changed table makes the server refuse statements that were prepared before.
func TestAChangeOfTheSchemaIsFollowed(t *testing.T) {
	e := mustOpen(t, postgrestest.URL(t), Options{Connections: 1})
	mustExec(t, e, `CREATE TABLE items (name TEXT NOT NULL, PRIMARY KEY (name))`)
	columns := func() (n int) {
		err := e.View(t.Context(), func(s store.Session) error {
			return s.Query(`SELECT * FROM items`, nil, func(r store.Row) error {
				n = len(r.(*row).reader.Values())
				return nil
			})
		})
		if err != nil {
			t.Error(err)
		}
		return n
	}
	mustExec(t, e, `INSERT INTO items (name) VALUES ('a')`)
	if n := columns(); n != 1 {
		t.Errorf("%d columns", n)
	}
	mustExec(t, e, `ALTER TABLE items ADD COLUMN more INTEGER`)
	if n := columns(); n != 2 {
		t.Errorf("%d columns after a change", n)
	}
}
