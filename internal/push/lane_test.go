package push

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// fill takes all places in the lane of a host, and returns what gives them back.
func fill(t *testing.T, l *lanes, host string) (leave func(slow bool)) {
	t.Helper()
	var all []func(bool)
	for range laneWidth {
		one, entered := l.enter(t.Context(), host)
		if !entered {
			t.Fatalf("the lane of %s is full", host)
		}
		all = append(all, one)
	}
	return func(slow bool) {
		for _, one := range all {
			one(slow)
		}
	}
}

// try reports whether there is a place for a host, within a while.
func try(t *testing.T, l *lanes, host string) bool {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	leave, entered := l.enter(ctx, host)
	if entered {
		leave(false)
	}
	return entered
}

func TestHostsDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lanes{hosts: map[string]*lane{}}
		leave := fill(t, l, "slow")
		if try(t, l, "slow") {
			t.Error("more calls than a lane has places")
		}
		if !try(t, l, "fast") {
			t.Error("one host waits for another")
		}
		time.AfterFunc(time.Second/2, func() { leave(false) })
		if !try(t, l, "slow") {
			t.Error("a place that is free is not taken")
		}
		if len(l.hosts) > 0 {
			t.Errorf("%d hosts are remembered", len(l.hosts))
		}
	})
}

// Where calls to a host take long, those that wait for a place leave, so that the jobs they belong to end.
func TestNobodyWaitsForASlowHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lanes{hosts: map[string]*lane{}}
		leave := fill(t, l, "slow")
		waiting := make(chan bool, 100)
		for range cap(waiting) {
			go func() {
				_, entered := l.enter(t.Context(), "slow")
				waiting <- entered
			}()
		}
		synctest.Wait()
		leave(true)
		for range cap(waiting) {
			if <-waiting {
				t.Fatal("somebody waited for a host that is slow")
			}
		}
		leave = fill(t, l, "slow") // some try anew
		begun := time.Now()
		if try(t, l, "slow") || time.Since(begun) > 0 {
			t.Errorf("somebody waits for a host that is slow, for %v", time.Since(begun))
		}
		leave(false)
		if !try(t, l, "slow") || len(l.hosts) > 0 {
			t.Error("the host is still taken for slow")
		}
	})
}
