package app

import (
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/testenv"
)

// A server tells what it has counted and measured, minute by minute, and so does the next one on
// its store.
func TestFiguresOverTimeOfServers(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	onBothStores(t, func(t *testing.T, cfg *config.Config) {
		w := mustOpenWardAt(t, cfg, false)
		w.sweep()
		minute := w.began.Truncate(time.Minute)
		for range 3 {
			w.mustSendTo(w.group, client.Outgoing{Body: "to all", TTL: -1})
		}
		w.passed.Add(int64(time.Minute))
		series := w.wantFigures(minute, "storage_bytes.database")
		for name, holds := range map[string]func(float64) bool{
			"sent":                   func(n float64) bool { return n == 3 },
			"copies":                 func(n float64) bool { return n == 6 },
			"streams":                func(n float64) bool { return n == 0 },
			"refused":                func(n float64) bool { return n == 0 },
			"queued":                 func(n float64) bool { return n >= 6 },
			"oldest_unread":          func(n float64) bool { return n >= 59 && n < 120 }, // it came some microseconds after
			"send_p50":               func(n float64) bool { return n > 0 && n < 30 },
			"memory_bytes":           func(n float64) bool { return n > 1<<20 },
			"cpu_seconds":            func(n float64) bool { return n >= 0 },
			"storage_bytes.database": func(n float64) bool { return n > 4096 },
			"storage_bytes.free":     func(n float64) bool { return n > 0 },
		} {
			if points := series[name]; len(points) == 0 || points[0] == nil || !holds(*points[0]) {
				t.Errorf("%s is %v", name, points)
			}
		}
		w.mustSendTo(w.group, client.Outgoing{Body: "before the end", TTL: -1})
		if err := w.stop(); err != nil {
			t.Fatal(err)
		}
		again := w.mustReopen(cfg)
		again.sweep()
		again.mustSendTo(w.group, client.Outgoing{Body: "after it", TTL: -1})
		w.passed.Add(int64(time.Minute))
		again.wantFigures(minute.Add(time.Minute), "streams") // of the whole minute
		sent := again.wantFigures(minute, "sent")["sent"]
		if *sent[0] != 3 || *sent[1] != 2 {
			t.Errorf("it sent %v and %v, want 3 and 2", *sent[0], *sent[1])
		}
	})
}

// wantFigures waits until a figure of a minute is known, and returns all from that minute on.
func (w *ward) wantFigures(minute time.Time, name string) map[string][]*float64 {
	w.t.Helper()
	operator := w.operator(mustReadCredentials(w.t, w.app.OperatorFile()))
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range 600 {
		h, err := operator.InstallationHistory(w.t.Context(), client.HistoryFilter{Since: minute, Step: time.Minute})
		if err != nil {
			w.t.Fatal(err)
		}
		if points := h.Series[name]; len(points) > 0 && points[0] != nil {
			return h.Series
		}
		<-tick.C
	}
	w.t.Fatalf("%s of %v does not become known", name, minute)
	return nil
}
