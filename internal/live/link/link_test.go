package link

import (
	"errors"
	"log/slog"
	"os"
	"testing"

	"signet/internal/testenv"
	"signet/internal/testlog"
)

func TestMain(m *testing.M) { testenv.Clear(); os.Exit(m.Run()) }

var errTest = errors.New("a reason")

func newLink(levels Levels) (*Link, *testlog.Log) {
	log := new(testlog.Log)
	return New(slog.New(slog.NewTextHandler(log, nil)), levels), log
}

func wantLogged(t *testing.T, log *testlog.Log, want map[string]int) {
	t.Helper()
	for what, times := range want {
		if got := log.Count(what); got != times {
			t.Errorf("%q is %d times in the log, want %d:\n%s", what, got, times, log)
		}
	}
}

func TestEachChangeIsToldOnce(t *testing.T) {
	l, log := newLink(Levels{Away: slog.LevelWarn, Back: slog.LevelInfo})
	for range 2 {
		l.Lose(nil)
		l.Lose(errTest)
		if l.Up() {
			t.Error("a link that was lost is up")
		}
		l.Restore("there")
		if !l.Up() {
			t.Error("a link that is back is not up")
		}
		for range 3 {
			l.Complain("something is wrong", errTest)
			l.Complain("something else is wrong", errTest)
		}
	}
	wantLogged(t, log, map[string]int{"level=WARN": 6, "the bus is away": 2, "connected to the bus": 2,
		"something is wrong": 2, "something else": 2, "the connection was closed": 2})
	if !l.Leave() || l.Leave() || l.Up() {
		t.Error("leaving does not say once that it was up")
	}
	log.Take()
	l.Restore("there")
	l.Lose(errTest)
	l.Bar(errTest)
	l.Complain("something is wrong", errTest)
	if l.Up() || log.String() != "" {
		t.Errorf("after it was left it is up: %t; the log is\n%s", l.Up(), log)
	}
}

func TestWhatBarsTheBusIsToldOnceAndKept(t *testing.T) {
	l, log := newLink(Levels{Away: slog.LevelDebug, Back: slog.LevelDebug})
	l.Lose(errTest)
	l.Restore("there")
	l.Lose(errTest)
	if err := l.Barred(); err != nil {
		t.Errorf("a link that was lost is barred: %v", err)
	}
	wantLogged(t, log, map[string]int{"level=": 0}) // another part tells that the database was away
	for range 3 {
		l.Bar(errTest)
		l.Lose(errors.New("meanwhile"))
	}
	if err := l.Barred(); !errors.Is(err, errTest) || l.Up() {
		t.Errorf("barred for %v, up: %t", err, l.Up())
	}
	wantLogged(t, log, map[string]int{"level=INFO": 1, "there is no bus": 1, "meanwhile": 0})
	l.Restore("there")
	if err := l.Barred(); err != nil || !l.Up() {
		t.Errorf("when it is there it is barred for %v, up: %t", err, l.Up())
	}
	wantLogged(t, log, map[string]int{"connected to the bus": 1})
}

func TestCountsAreReadAsTheyAre(t *testing.T) {
	var c Counts
	c.Published.Add(3)
	c.Received.Add(2)
	c.Dropped.Add(1)
	if got := c.Stats(); got != (Stats{3, 2, 1}) {
		t.Errorf("got %+v", got)
	}
}
