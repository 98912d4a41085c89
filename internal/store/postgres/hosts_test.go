package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/store/postgrestest"
)

// A machine that is cut off ends no connection. What waits for it goes on once another server lets write, and not only
// when the wait for an answer is over; and so does a transaction that many calls share.
func TestASilentServerIsLeftForOneThatLetsWrite(t *testing.T) {
	t.Parallel()
	primary := postgrestest.Start(t)
	standby := primary.StartStandby(t)
	first, second := postgrestest.NewLink(t, primary.Addr()), postgrestest.NewLink(t, standby.Addr())
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
