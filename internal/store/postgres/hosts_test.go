package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// A machine that is cut off ends no connection. What waits for it goes on once another server lets write, and not only
// when the wait for an answer is over; and so does a transaction that many calls share.
func TestASilentServerIsLeftForOneThatLetsWrite(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	primary := postgrestest.Start(t)
	standby := primary.StartStandby(t)
	first, second := testenv.NewLink(t, primary.Addr()), testenv.NewLink(t, standby.Addr())
	e := mustOpen(t, postgrestest.Through(t, primary.URL(t), first.Addr()+","+second.Addr()), Options{})
	mustExec(t, e, `CREATE TABLE items (name TEXT NOT NULL, PRIMARY KEY (name))`)
	add := func(ctx context.Context, name string) error {
		return e.Update(ctx, func(s store.Session) error {
			return s.Post(`INSERT INTO items (name) VALUES (?)`, name)
		}, store.Short)
	}

	first.Cut()
	ctx, cancel := context.WithTimeout(t.Context(), answerTimeout/2)
	defer cancel()
	hung := make(chan error, 1)
	go func() { hung <- add(t.Context(), "hung") }()
	mustFallSilent(t, e)
	standby.Promote(t)
	for {
		err := add(ctx, "next")
		if err == nil {
			break
		}
		if !errors.Is(err, store.ErrUnavailable) {
			t.Fatalf("error %v, want none within %v", err, answerTimeout/2)
		}
	}
	want := 1
	if err := <-hung; err == nil {
		want++
	} else {
		wantError(t, err, store.ErrUnavailable)
	}
	if n := mustCount(t, e, `SELECT COUNT(*) FROM items`); n != want {
		t.Errorf("there are %d items, want %d", n, want)
	}
}

// mustFallSilent waits until the engine would ask whether another server lets write.
func mustFallSilent(t *testing.T, e *Engine) (silent []*link) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for len(silent) == 0 {
		select {
		case <-tick.C:
			silent = e.hosts.links.silent(silence)
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
	return silent
}

// A server that is only busy is waited for.
func TestABusyServerIsWaitedFor(t *testing.T) {
	t.Parallel()
	e := mustOpen(t, postgrestest.URL(t), Options{})
	mustExec(t, e, `CREATE TABLE items (name TEXT NOT NULL, PRIMARY KEY (name))`)
	add := func(then func()) error {
		return e.Update(t.Context(), func(s store.Session) error {
			_, err := s.Exec(`INSERT INTO items (name) VALUES ('a') ON CONFLICT (name) DO NOTHING`)
			then()
			return err
		})
	}
	held, release := make(chan struct{}), make(chan struct{})
	done := make(chan error, 2)
	go func() { done <- add(func() { close(held); <-release }) }()
	<-held
	go func() { done <- add(func() {}) }() // waits for the row
	silent := mustFallSilent(t, e)
	if n := e.hosts.links.giveUp(silent, e.hosts.ask(t.Context())); n != 0 {
		t.Errorf("%d connections were given up", n)
	}
	close(release)
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := e.Stats().Retries; n != 0 {
		t.Errorf("it was tried %d times again", n)
	}
}

// Behind an address that moves, a connection that is being made leads to the server that lets write: it is left alone,
// however long that takes. So is one to a server that is only slow to take it.
func TestAConnectionThatIsBeingMadeIsLeftAlone(t *testing.T) {
	t.Parallel()
	e := mustOpen(t, postgrestest.URL(t), Options{})
	alive := []living{mustAsk(t, e)}
	links := newLinks()
	made, replaced := mustDial(t, links, alive[0].address), mustDial(t, links, alive[0].address)
	former := "the server before"
	replaced.life.Store(&former)
	for _, l := range []*link{made, replaced} {
		if _, err := l.Write([]byte{0}); err != nil { // less than the server waits for
			t.Fatal(err)
		}
	}
	if n := links.giveUp([]*link{made}, alive); n != 0 {
		t.Errorf("%d connections were given up while one was being made", n)
	}
	if n := links.giveUp([]*link{made, replaced}, alive); n != 1 || !links.open[made] || links.open[replaced] {
		t.Errorf("%d connections were given up, want that to the server before alone", n)
	}
}

// A server that answered while the others were asked is connected to as before.
func TestAServerThatAnsweredIsNotShunned(t *testing.T) {
	t.Parallel()
	links := newLinks()
	address := postgrestest.Host(t, postgrestest.URL(t))
	answered := mustDial(t, links, address)
	if n := links.giveUp([]*link{answered}, []living{{address: "another", life: "another"}}); n != 0 {
		t.Errorf("%d connections were given up", n)
	}
	mustDial(t, links, address)
}

// mustAsk returns the server that lets write.
func mustAsk(t *testing.T, e *Engine) living {
	t.Helper()
	for range 10 { // a machine that is very busy answers late
		if alive := e.hosts.ask(t.Context()); len(alive) > 0 {
			return alive[0]
		}
	}
	t.Fatal("no server is found to let write")
	return living{}
}

// mustDial makes a connection that says nothing yet. It ends with the test.
func mustDial(t *testing.T, links *links, address string) *link {
	t.Helper()
	conn, err := links.dial(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // it may have been given up
	return conn.(*link)
}
