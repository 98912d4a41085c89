package app

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A hand-over waits for requests that take long, and for those that came while it waited, but not for
// streams, nor for the many that are short.
func TestGateIsCalmOnceNoRequestTakesLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		run := func(lasts bool, begins, takes time.Duration) {
			go func() {
				time.Sleep(begins)
				era, may := g.enter(lasts)
				if !may {
					t.Error("a request is refused")
				}
				time.Sleep(takes)
				g.leave(era)
			}()
		}
		wantCalm := func(what string, want time.Duration) {
			t.Helper()
			synctest.Wait()
			if !g.calm(ctx, brief) || time.Since(start) != want {
				t.Errorf("%s it is calm after %v, want %v", what, time.Since(start), want)
			}
		}
		wantCalm("without requests", 0)
		run(true, 0, time.Hour) // a stream
		wantCalm("with a stream", 0)
		run(false, 0, 20*time.Second)
		run(false, 10*time.Second, 20*time.Second)
		for n := range 400 {
			run(false, 10*time.Millisecond+time.Duration(n)*100*time.Millisecond, 50*time.Millisecond)
		}
		wantCalm("with some that take long", 30*time.Second)
		run(false, 0, time.Hour)
		synctest.Wait()
		if g.calm(ctx, brief) || time.Since(start) != time.Minute {
			t.Errorf("with one that does not end it is calm after %v", time.Since(start))
		}
		if n := g.close(); n != 2 {
			t.Errorf("%d requests run, want 2", n)
		}
		<-g.idle
	})
}
