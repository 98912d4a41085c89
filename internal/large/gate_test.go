package large

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"signet/internal/model"
	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }

var busy = &model.Error{Kind: model.Unavailable, Code: "busy"}

func TestAFewEnterAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := NewGate(2, busy)
		var inside, most atomic.Int64
		for range 20 {
			go func() {
				ctx, pass := gate.With(t.Context())
				for range 2 { // the second time it is inside
					if err := Enter(ctx); err != nil {
						t.Error(err)
						return
					}
				}
				if !Inside(ctx) {
					t.Error("who has entered is not inside")
				}
				if now := inside.Add(1); now > most.Load() {
					most.Store(now)
				}
				time.Sleep(time.Second / 4)
				inside.Add(-1)
				pass.Leave()
				pass.Leave() // again
				if Inside(ctx) {
					t.Error("who has left is inside")
				}
			}()
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		if most.Load() != 2 || inside.Load() != 0 {
			t.Errorf("%d were inside at a time, want 2; %d are", most.Load(), inside.Load())
		}
	})
}

func TestWhoWaitsInVainIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := NewGate(1, busy)
		first, pass := gate.With(t.Context())
		if err := Enter(first); err != nil {
			t.Fatal(err)
		}
		second, _ := gate.With(t.Context())
		began := time.Now()
		if err := Enter(second); err != error(busy) || time.Since(began) != patience {
			t.Errorf("got %v after %s", err, time.Since(began))
		}
		ctx, cancel := context.WithCancel(t.Context())
		third, _ := gate.With(ctx)
		cancel()
		if err := Enter(third); !errors.Is(err, context.Canceled) {
			t.Errorf("one that has left gets %v", err)
		}
		Leave(third) // it has not entered
		pass.Leave()
		if err := Enter(second); err != nil {
			t.Error(err)
		}
	})
}

func TestWorkWithoutAPassEnters(t *testing.T) {
	ctx := t.Context()
	if err := Enter(ctx); err != nil || !Inside(ctx) {
		t.Errorf("got %v", err)
	}
	Leave(ctx)
	var pass *Pass
	pass.Leave()
	entered, left := 0, 0
	ctx, _ = With(ctx, func(context.Context) error { entered++; return nil }, func() { left++ })
	other := Follow(context.Background(), ctx)
	if err := Enter(other); err != nil || !Inside(ctx) {
		t.Errorf("got %v", err)
	}
	Leave(ctx)
	if entered != 1 || left != 1 {
		t.Errorf("entered %d times, left %d times", entered, left)
	}
}
