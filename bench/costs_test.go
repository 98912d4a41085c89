package bench

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"signet/internal/load"
)

// costs are what a server on the embedded store takes beside calls, one figure for
// each time that it was measured.
type costs struct {
	rested  []float64 // MiB resident, once the runs are over and nothing happens
	first   []float64 // bytes in the file for each message of 200 that was acknowledged, in a new store
	disk    []float64 // for each further one
	stopped []float64 // milliseconds until it is ready, after it was stopped
	killed  []float64 // the same after kill -9 in the middle of sends
}

var costHead = []string{"the process on the embedded store", "median (least–most)"}

func (p *page) costTable() (rows [][]string) {
	messages := grouped(float64(p.size.startsWith))
	for _, row := range []struct {
		what, unit string
		all        []float64
	}{
		{"ready after a start with " + messages + " messages, after a stop", " ms", p.costs.stopped},
		{"the same after kill -9 amid sends", " ms", p.costs.killed},
		{fmt.Sprintf("memory %.0f s after the runs", p.size.rest.Seconds()), " MiB", p.costs.rested},
		{"disk for each of the first messages of 200 bytes, acknowledged, swept, the log emptied", " bytes", p.costs.first},
		{"the same for a further one", " bytes", p.costs.disk},
	} {
		if s, ok := spreadOf(row.all); ok {
			rows = append(rows, []string{row.what,
				fmt.Sprintf("%s%s (%s–%s)", written(s.median), row.unit, written(s.least), written(s.most))})
		}
	}
	return rows
}

// mustMeasureRest returns the memory of a server that has had nothing to do for a
// while.
func mustMeasureRest(t *testing.T, target *load.Target, s size) float64 {
	t.Helper()
	select {
	case <-time.After(s.rest):
	case <-t.Context().Done():
	}
	return float64(load.ConsumptionOf(target.Servers[0]).Memory) / (1 << 20)
}

// mustMeasureDisk measures what a message takes in a new store, with the people and the
// pages that are not full, and what one more takes.
func mustMeasureDisk(t *testing.T, e *engine, s size, p *page) {
	t.Helper()
	some, few := mustGrow(t, e, s, s.duration)
	more, many := mustGrow(t, e, s, 3*s.duration)
	p.costs.first = append(p.costs.first, float64(some)/float64(few))
	if many <= few { // the machine did something else
		t.Logf("%d messages were sent in some time and %d in three times that, which says nothing of what a further one "+
			"takes", few, many)
		return
	}
	p.costs.disk = append(p.costs.disk, float64(more-some)/float64(many-few))
}

// mustGrow sends messages for some time that are read and acknowledged, to a new server,
// and returns how much longer the file is when that has swept and has emptied its log.
func mustGrow(t *testing.T, e *engine, s size, duration time.Duration) (bytes, messages int64) {
	t.Helper()
	own := e.mustOwn(t)
	e.serve(t, own, func(*load.Target) error { return nil })
	before := mustStat(t, own)
	e.serve(t, own, func(target *load.Target) error {
		plan := load.Plan{Scenario: load.Acknowledge, Connections: min(16, s.most), Duration: duration,
			Payload: load.DefaultPayload, Members: 1}
		r, err := run(t, target, plan)
		if err == nil {
			messages = r.Operations
		}
		return err
	})
	if messages == 0 {
		t.Fatal("nothing was sent, so that nothing can be said of the disk")
	}
	bytes = mustStat(t, own) - before
	e.mustClear(t, own)
	return bytes, messages
}

func mustStat(t *testing.T, own load.Own) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(own.Data, "signet.db"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// mustMeasureStarts measures how long a server takes from its start until it says
// that it is ready, on what is stored.
func mustMeasureStarts(t *testing.T, own load.Own, s size, p *page) {
	t.Helper()
	for range s.starts {
		server, _, took := mustStart(t, own)
		p.costs.stopped = append(p.costs.stopped, took)
		if err := server.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	for range s.starts {
		server, target, _ := mustStart(t, own)
		plan := load.Plan{Scenario: load.Send, Connections: min(16, s.most), Duration: s.duration / 2,
			Payload: load.DefaultPayload, Members: 1}
		if _, err := load.Run(t.Context(), target, plan, nil); err != nil {
			t.Fatal(err)
		}
		server.Kill()
		server, _, took := mustStart(t, own)
		p.costs.killed = append(p.costs.killed, took)
		if err := server.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("ready after %.0f ms when stopped, %.0f ms when killed", p.costs.stopped, p.costs.killed)
}

// mustStart starts a server and returns after how many milliseconds it was ready.
func mustStart(t *testing.T, own load.Own) (*load.Process, *load.Target, float64) {
	t.Helper()
	begin := time.Now()
	server, target, err := load.StartServer(t.Context(), own)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill) // where something stops the test
	for {
		response, err := http.Get(target.BaseURL + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return server, target, float64(time.Since(begin).Microseconds()) / 1000
		}
	}
}
