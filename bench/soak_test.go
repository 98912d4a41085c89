package bench

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/load"
	"signet/internal/testenv"
)

// The variables of `make soak`. Without the first, one of the tests runs, which is the quick form.
const (
	soakVariable       = "SIGNET_BENCH_SOAK"        // how long each store is used, such as 1h
	soakStoresVariable = "SIGNET_BENCH_SOAK_STORES" // embedded, postgresql or both
)

// soak says for how long servers are used, and how.
type soak struct {
	engines     []string
	duration    time.Duration // in which samples are taken
	sample      time.Duration // between two looks
	settle      time.Duration // before it, until as much ends as is sent
	approach    time.Duration // at the greatest rate, until as much ends as is sent
	probe       time.Duration // in which the greatest rate is taken
	ttl         int           // minutes that a message lives, once the greatest rate is known
	connections int
	members     int
}

// Half of the greatest rate is what a server is planned for.
const soakedShare = 0.5

// leastSoak is shorter than what says anything: messages live for a minute at least.
const leastSoak = 5 * time.Minute

// mustSoak reads the size of this run.
func mustSoak(t *testing.T) (s soak, whole bool) {
	t.Helper()
	text := os.Getenv(soakVariable)
	if whole = text != "" && text != "quick"; whole {
		duration, err := time.ParseDuration(text)
		if err != nil || duration < leastSoak {
			t.Fatalf("%s is %q, want a time such as 1h, %v at least", soakVariable, text, leastSoak)
		}
		s = soakOf(duration)
	} else {
		s = soak{duration: 200 * time.Millisecond, sample: 40 * time.Millisecond, probe: 100 * time.Millisecond, ttl: 1,
			connections: 4, members: 10}
	}
	for _, name := range []string{embedded, postgreSQL} {
		words := strings.Fields(strings.ToLower(os.Getenv(soakStoresVariable)))
		if len(words) == 0 || slices.Contains(words, strings.ToLower(name)) {
			s.engines = append(s.engines, name)
		}
	}
	if len(s.engines) == 0 {
		t.Fatalf("%s is %q, want %q, %q or both", soakStoresVariable, os.Getenv(soakStoresVariable),
			strings.ToLower(embedded), strings.ToLower(postgreSQL))
	}
	return s, whole
}

// soakOf sizes a whole run: sixty samples or more, a minute apart at the most, of messages that live for a
// twelfth of the time, and for five minutes at the most.
func soakOf(duration time.Duration) soak {
	ttl := min(max(1, int(duration.Minutes()/12)), 5)
	return soak{duration: duration, sample: min(duration/60, time.Minute),
		settle: time.Duration(2*ttl+1) * time.Minute, approach: 150 * time.Second, probe: 30 * time.Second,
		ttl: ttl, connections: 64, members: load.DefaultPeople}
}

// soakSettings are those of PostgreSQL beside the others' (postgresSettings): memory that is full before it
// is looked at, since PostgreSQL uses more of a greater one for as long as there is some.
var soakSettings = []string{"shared_buffers = 128MB"}

// TestSoak uses a server on each store at half of the rate that it can do, and tells whether anything grows.
func TestSoak(t *testing.T) {
	testenv.Long(t)
	mustReadProcesses(t)
	s, whole := mustSoak(t)
	out := mustChooseOutput(t, whole)
	machine := mustDescribeMachine(t)
	for _, e := range mustEngines(t, soakSettings...) {
		if !slices.Contains(s.engines, e.name) {
			continue
		}
		begin := time.Now()
		if e.database != nil {
			machine.postgres = mustReadVersion(t, e)
		}
		store := mustSoakEngine(t, e, s)
		r := soakReport{About: machine.about(begin, time.Since(begin)), TTL: s.ttl, Minutes: s.duration.Minutes(),
			Settled: s.settle.Minutes(), Soaked: &store}
		r.About.Quick = !whole
		mustWriteReport(t, out, soakPart(e.name)+".json", r)
		mustWriteText(t, filepath.Join(out, soakPart(e.name)+".md"), r.text())
		t.Logf("\n%s", r.text())
		if store.Failed > 0 || len(store.Lines) == 0 {
			t.Errorf("%s: %d operations failed, and %d figures are known", store.Store, store.Failed, len(store.Lines))
		}
		if whole && store.Verdict != flat {
			t.Errorf("%s: the verdict is %q", store.Store, store.Verdict)
		}
	}
}

// mustSoakEngine finds the greatest rate of a server, and uses it at half of this rate.
func mustSoakEngine(t *testing.T, e *engine, s soak) (store soaked) {
	t.Helper()
	own := e.mustOwn(t)
	e.serve(t, own, func(target *load.Target) error {
		// Messages live for a minute, the shortest that there is: a rate at which none has ended yet could
		// not be kept up.
		plan := load.Plan{Scenario: load.Soak, Connections: s.connections, Members: s.members, TTL: 1,
			Payload: load.DefaultPayload, Duration: s.probe, Warmup: s.approach}
		greatest, err := run(t, target, plan)
		if err != nil {
			return err
		}
		plan.Rate = soakedShare * greatest.OperationsPerSecond
		plan.Duration, plan.Warmup, plan.Sample, plan.TTL = s.duration, s.settle, s.sample, s.ttl
		t.Logf("%s: %.0f operations a second at the most: %v at %.0f", e.name, greatest.OperationsPerSecond,
			s.settle+s.duration, plan.Rate)
		var problem error
		target.Gauges = func() load.Counts {
			counts, err := soakGauges(t, e, own, target)
			problem = errors.Join(problem, err)
			return counts
		}
		r, err := load.Run(t.Context(), target, plan, nil)
		if err = errors.Join(err, problem); err == nil {
			store = newSoaked(e.name, greatest, r)
		}
		return err
	})
	e.mustClear(t, own)
	return store
}

// What is looked at beside what a sample has by itself.
const (
	gaugeDisk   = "disk"   // bytes that the store takes, without PostgreSQL's log
	gaugeQueued = "queued" // events in all queues
)

// soakGauges reads them. The server counts its queues once a minute.
func soakGauges(t *testing.T, e *engine, own load.Own, target *load.Target) (load.Counts, error) {
	counts := load.Counts{}
	err := scrape(t.Context(), target.BaseURL, map[string]string{"signet_queue_events": gaugeQueued}, counts)
	if err != nil {
		return nil, err
	}
	size, err := bytesIn(own.Data)
	counts[gaugeDisk] = float64(size)
	if err == nil && e.database != nil {
		err = query(t.Context(), own.Database, "SELECT pg_database_size(current_database())", &size)
		counts[gaugeDisk] += float64(size)
	}
	return counts, err
}

// bytesIn is the size of the files in a directory. Some may go away meanwhile.
func bytesIn(directory string) (size int64, err error) {
	err = filepath.WalkDir(directory, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				size += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return size, err
}

func TestSoakIsAsLongAsItIsToBe(t *testing.T) {
	for duration, want := range map[time.Duration]soak{
		time.Hour:        {sample: time.Minute, settle: 11 * time.Minute, ttl: 5},
		10 * time.Minute: {sample: 10 * time.Second, settle: 3 * time.Minute, ttl: 1},
		24 * time.Hour:   {sample: time.Minute, settle: 11 * time.Minute, ttl: 5},
	} {
		s := soakOf(duration)
		if s.duration != duration || s.sample != want.sample || s.settle != want.settle || s.ttl != want.ttl {
			t.Errorf("a soak of %v is %+v, want %+v", duration, s, want)
		}
	}
}
