package health

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"signet/internal/testlog"
)

// A thousand calls that fail while the database is away are two lines of the log.
func TestAnOutageIsTwoLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log testlog.Log
		warnings := New(slog.New(slog.NewTextHandler(&log, nil)))
		o := NewOutages(warnings, Pace{})
		away := errors.New("connection refused")
		var there atomic.Bool
		var looks atomic.Int64
		o.Add(Store, "the database does not answer", func(context.Context) error {
			if looks.Add(1); !there.Load() {
				return away
			}
			return nil
		})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); o.Run(ctx) }()
		defer func() { stop(); <-ended }()
		sleep := func(d time.Duration) { time.Sleep(d); synctest.Wait() }

		sleep(time.Hour)
		if n := looks.Load(); n > 0 {
			t.Errorf("while everything is there it is looked for %d times", n)
		}
		for range 2 { // and again
			there.Store(false)
			for i := range 1000 {
				if !o.Refused(Store, away) || !o.Failed(Store, away) {
					t.Fatal("it is not told")
				}
				sleep(10*time.Millisecond + time.Duration(i%2))
			}
			lines := strings.Split(strings.TrimSpace(log.Take()), "\n")
			if len(lines) != 1 || !strings.Contains(lines[0],
				`level=ERROR msg="the database does not answer" warning=store error="connection refused"`) {
				t.Errorf("at the beginning it logs %q", lines)
			}
			if all := warnings.All(); len(all) != 1 || all[0].Text != "the database does not answer" {
				t.Errorf("the warnings are %v", all)
			}
			sleep(10 * time.Second)
			there.Store(true)
			sleep(2 * time.Second)
			lines = strings.Split(strings.TrimSpace(log.Take()), "\n")
			if len(lines) != 1 || !strings.Contains(lines[0],
				`level=INFO msg="over: the database does not answer" warning=store away=2`) ||
				!strings.Contains(lines[0], "refused_calls=1000") {
				t.Errorf("at the end it logs %q", lines)
			}
			if all := warnings.All(); len(all) > 0 {
				t.Errorf("the warnings are %v, want none", all)
			}
		}
		seen := looks.Load()
		if sleep(time.Hour); looks.Load() != seen {
			t.Errorf("it is looked for %d times after it was back", looks.Load()-seen)
		}
	})
}

// A disk that is full lets the store be read, and refuses one send in two.
func TestWhatFailsNowAndThenIsOneOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log testlog.Log
		o := NewOutages(New(slog.New(slog.NewTextHandler(&log, nil))), Pace{})
		o.Add(Store, "the disk is full", func(context.Context) error { return nil })
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); o.Run(ctx) }()
		defer func() { stop(); <-ended }()
		for range 100 {
			o.Refused(Store, errors.New("no space"))
			time.Sleep(3 * time.Second)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := strings.Count(log.String(), "\n"); n != 2 || log.Count("refused_calls=100") != 1 {
			t.Errorf("it logged %d lines, want 2: %s", n, log.String())
		}
	})
}

func TestUnknownOutagesAreNotTold(t *testing.T) {
	var none *Outages
	if none.Refused(Store, errors.New("x")) || NewOutages(nil, Pace{}).Failed("", errors.New("x")) {
		t.Error("what is told nowhere is said to be")
	}
}
