package app

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"signet/internal/health"
	"signet/internal/testlog"
)

// A certificate that ends is told of when that begins and then each day, until another
// one is there; from its end on it says that clients refuse it.
func TestEndOfTheCertificateIsToldBeforehand(t *testing.T) {
	log := new(testlog.Log)
	logger := slog.New(slog.NewTextHandler(log, nil))
	warnings := health.New(logger)
	const day = 24 * time.Hour
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	until, there := from.Add(90*day), true
	v := &validity{warnings: warnings, log: logger, remedy: "renew it",
		times: func(context.Context) (time.Time, time.Time, bool) { return from, until, there }}
	// lives looks each minute until a time, and reports the days on which a line was
	// logged.
	now := from
	lives := func(end time.Time) (lines int, last string) {
		t.Helper()
		for ; now.Before(end); now = now.Add(certificateLook) {
			v.look(t.Context(), now)
		}
		text := strings.TrimSpace(log.Take())
		if text == "" {
			return 0, ""
		}
		all := strings.Split(text, "\n")
		return len(all), all[len(all)-1]
	}
	if n, last := lives(until.Add(-14 * day)); n > 0 {
		t.Errorf("more than 14 days before its end it logs %s", last)
	}
	if n, last := lives(until.Add(-13*day - time.Hour)); n != 1 || !strings.Contains(last, "level=ERROR") ||
		!strings.Contains(last, "ends on 2026-04-01, in 14 days") {
		t.Errorf("14 days before its end it logs %d lines: %s", n, last)
	}
	if n, last := lives(until.Add(-time.Hour)); n != 13 || !strings.Contains(last, "level=WARN") ||
		!strings.Contains(last, "in 1 days") {
		t.Errorf("in the 13 days after it logs %d lines: %s", n, last)
	}
	if n, last := lives(until.Add(2 * day)); n != 2 || !strings.Contains(last, "ended on 2026-04-01, and clients refuse "+
		"it: renew it") {
		t.Errorf("after its end it logs %d lines: %s", n, last)
	}
	until = until.Add(90 * day)
	if n, last := lives(now.Add(day)); n != 1 || !strings.Contains(last, "over: ") || len(warnings.All()) > 0 {
		t.Errorf("when another one is there it logs %d lines: %s; it warns of %v", n, last, warnings.All())
	}
	from = now.Add(day)
	if n, last := lives(now.Add(time.Hour)); n != 1 || !strings.Contains(last, "is the clock right?") {
		t.Errorf("of one that is not valid yet it logs %d lines: %s", n, last)
	}
	there = false
	if n, last := lives(now.Add(day)); n > 0 {
		t.Errorf("of none it logs %s", last)
	}
}

func TestServerSaysThatItsCertificateHasEnded(t *testing.T) {
	cfg := settings(t)
	cfg.Metrics.Listen = "127.0.0.1:0"
	client := mustCertifyUntil(t, cfg, time.Now().Add(-time.Hour))
	client.Transport = insecure(t)
	log := new(testlog.Log)
	a, err := open(t.Context(), cfg, slog.New(slog.NewTextHandler(log, nil)), Pace{}, newHarness(answerOK).assemble)
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, a)
	const told = "the server's certificate ended on"
	deadline := time.Now().Add(30 * time.Second)
	for {
		answer, body := mustFetch(t, client, "GET", "https://"+a.Addr().String()+"/readyz")
		if wantStatus(t, answer, 200); strings.Contains(body, told) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("/readyz answers %q", body)
		}
	}
	if log.Count(told) != 1 {
		t.Errorf("the log is %s", log)
	}
}
