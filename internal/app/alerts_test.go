package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"signet/internal/config"
	"signet/internal/promtest"
	"signet/internal/testenv"
	"signet/internal/testlog"
)

// faults are what goes wrong with a server, each with the alerts that it makes fire.
var faults = map[string]func(*testing.T, *config.Config, *witness){
	"the server is gone":               tryServerGone,
	"the database is away":             tryDatabaseAway,
	"the key ring is away":             tryKeyringAway,
	"the copy of the key ring is away": tryKeyringCopyAway,
	"NATS is away":                     tryBusAway,
	"the attachments are away":         tryAttachmentsAway,
	"the clock jumps":                  tryClockJumps,
	"the clock is not the database's":  tryClockApart,
	"the certificate ends":             tryCertificateEnds,
	"others may read the files":        tryFilesOpen,
	"a standby lacks its master key":   tryStandbyWithoutKeys,
	"sends take long":                  trySendsSlow,
	"a program stops reading":          tryReaderStops,
	"pieces of work fail":              tryPiecesFail,
	"a step is late":                   tryStepLate,
	"push services fail":               tryPushServicesFail,
	"a receiver fails":                 tryReceiverFails,
	"a provider is away":               tryProviderAway,
	"the disk fills":                   tryDiskFills,
	"nobody makes backups":             tryNoBackups,
	"the audit log is changed":         tryAuditChanged,
	"somebody writes a key":            tryKeyForged,
}

// Each alert in deploy/prometheus fires when its fault is there, not before, and not after it.
func TestAlertsFireWithTheirFaultAndEndWithIt(t *testing.T) {
	testenv.Long(t)
	seen := &witness{fired: map[string]bool{}, ended: map[string]bool{}}
	var tried atomic.Int64
	t.Run("faults", func(t *testing.T) {
		for name, try := range faults {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				tried.Add(1)
				try(t, settings(t), seen)
			})
		}
	})
	if int(tried.Load()) != len(faults) || t.Failed() {
		return // some were picked by -run, or have told what is wrong
	}
	for _, name := range mustListAlerts(t) {
		if !slices.Contains(seen.spared, name) && (!seen.fired[name] || !seen.ended[name]) {
			t.Errorf("%s: fired with a fault: %v, ended after it: %v", name, seen.fired[name], seen.ended[name])
		}
	}
}

// The rules of deploy/prometheus.
var (
	recordsFile = filepath.Join(moduleRoot, "deploy", "prometheus", "signet.records.yaml")
	alertsFile  = filepath.Join(moduleRoot, "deploy", "prometheus", "signet.alerts.yaml")
)

// ruleFile is a file of rules.
type ruleFile struct {
	Groups []struct {
		Rules []struct{ Alert, Record, Expr string }
	}
}

func mustReadRules(t *testing.T, path string) (f ruleFile) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = yaml.Unmarshal(text, &f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func mustListAlerts(t *testing.T) (names []string) {
	t.Helper()
	for _, group := range mustReadRules(t, alertsFile).Groups {
		for _, rule := range group.Rules {
			names = append(names, rule.Alert)
		}
	}
	return names
}

// witness notes which alerts have fired, and which of them ended again.
type witness struct {
	mu           sync.Mutex // guards both
	fired, ended map[string]bool
	spared       []string // that could not be tried on this machine, which the log of the test says
}

// spare notes alerts that cannot be tried on this machine.
func (s *witness) spare(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spared = append(s.spared, names...)
}

// watched is a server that a Prometheus watches. Time passes for Prometheus as the test says, and
// for the server too, unless that has the machine's clock.
type watched struct {
	*ward
	cfg        *config.Config
	ahead      atomic.Int64 // of a server that has the machine's clock: by how much it is wrong
	prometheus *promtest.Evaluator
	seen       *witness
	firing     []string // at the last evaluation
	log        *testlog.Log
	swept      float64 // when the server swept last, by its clock, in seconds since 1970

	own  bool   // as in watching
	each func() // what happens before each scrape; nil: nothing
	step time.Duration
}

// watching says how a server is watched.
type watching struct {
	began time.Time     // when time begins; zero: now
	own   bool          // the server has the machine's clock, as one has whose database has it
	empty bool          // nobody is in it
	step  time.Duration // between two scrapes; 0: half a minute
}

// mustWatch starts a server, and a Prometheus that watches it.
func mustWatch(t *testing.T, cfg *config.Config, seen *witness, o watching) *watched {
	t.Helper()
	w := &watched{ward: &ward{t: t, passed: new(atomic.Int64), began: o.began, http: caller}, cfg: cfg, seen: seen,
		prometheus: promtest.Start(t, recordsFile, alertsFile), step: cmp.Or(o.step, 30*time.Second), own: o.own,
		log: new(testlog.Log)}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the server's log:\n%s", w.log)
		}
	})
	if o.began.IsZero() {
		w.began = time.Now()
	}
	w.began = w.began.Truncate(time.Millisecond) // as exactly as tasks note when they succeeded
	cfg.Metrics.Listen = "127.0.0.1:0"
	cfg.Limits.MessagesPerDay, cfg.Limits.RequestsPerSecond = 0, 0
	cfg.Expiry.Sweep = 100 * time.Millisecond
	w.mustServe()
	if !o.empty {
		w.mustAdmit()
	}
	return w
}

// mustServe runs the server, once more where it was stopped.
func (w *watched) mustServe() {
	w.t.Helper()
	pace := Pace{Outage: 20 * time.Millisecond, Quiet: 20 * time.Millisecond}
	logger := slog.New(slog.NewTextHandler(w.log, nil))
	a, err := open(w.t.Context(), w.cfg, logger, pace, func(ctx context.Context, in surroundings) (*system, error) {
		if w.own {
			in.clock = func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }
		} else {
			in.clock = w.now
			in.elapsed = func() time.Duration { return time.Duration(w.passed.Load()) }
		}
		return assemble(ctx, in)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { a.Close() })
	w.app, w.stop = a, mustRun(w.t, a)
}

// mustStop stops the server.
func (w *watched) mustStop() {
	w.t.Helper()
	must(w.t, w.stop())
	w.app = nil
}

// now is the time by Prometheus' clock.
func (w *watched) now() time.Time { return w.began.Add(time.Duration(w.passed.Load())) }

// target are the labels of the server.
var target = map[string]string{"job": "signet", "instance": "signet-1:9090"}

// metrics returns what the server serves.
func (w *watched) metrics() string {
	w.t.Helper()
	answer, text := mustDo(w.t, "GET", "http://"+w.app.MetricsAddr().String()+"/metrics")
	wantStatus(w.t, answer, http.StatusOK)
	return text
}

// until waits until a series of the server has a value.
func (w *watched) until(series string, value float64) {
	w.t.Helper()
	line := series + " " + strconv.FormatFloat(value, 'g', -1, 64) + "\n"
	wantIn(w.t, strings.TrimSpace(line), func() bool { return strings.Contains("\n"+w.metrics(), "\n"+line) })
}

// want lets Prometheus scrape and evaluate until some time has passed. By then these alerts fire, and
// no others. Until then none fires that is neither one of these nor fired before.
func (w *watched) want(d time.Duration, names ...string) {
	w.t.Helper()
	may := map[string]bool{}
	for _, name := range slices.Concat(w.firing, names) {
		may[name] = true
	}
	for end := w.now().Add(d); w.now().Before(end); {
		w.pass(w.step)
		if w.each != nil {
			w.each()
		}
		w.scrape()
		for _, name := range w.firing {
			if !may[name] {
				w.t.Fatalf("%s fires, %v before the end of the time in which %q are to", name, end.Sub(w.now()), names)
			}
		}
	}
	if slices.Sort(names); !slices.Equal(w.firing, names) {
		w.t.Fatalf("after %v %q fire, want %q", d, w.firing, names)
	}
}

// scrape makes one scrape and evaluates the rules.
func (w *watched) scrape() {
	w.t.Helper()
	if now := w.now(); w.app == nil {
		w.prometheus.ScrapeNothing(now, target)
	} else {
		w.awaitSweep()
		w.prometheus.Scrape(now, target, w.metrics())
	}
	w.evaluate()
}

// awaitSweep waits until the server has swept at the time that its clock says, where the test moves
// that: else its tasks would be late.
func (w *watched) awaitSweep() {
	w.t.Helper()
	now := unixSeconds(w.now())
	if w.own || w.swept >= now {
		return
	}
	wantIn(w.t, "the server sweeps", func() bool {
		w.swept = mustFindSeries(w.t, w.metrics(), `signet_task_last_success_timestamp_seconds{task="key_uses"}`)
		return w.swept >= now
	})
}

// evaluate evaluates the rules, and notes what fires.
func (w *watched) evaluate() {
	w.t.Helper()
	firing := map[string]bool{}
	for _, alert := range w.prometheus.Evaluate(w.now()) {
		if !alert.Firing {
			continue
		}
		if firing[alert.Name] = true; !slices.Contains(w.firing, alert.Name) {
			w.t.Logf("%v after the beginning %s begins to fire: %v", w.now().Sub(w.began), alert.Name, alert.Labels)
		}
		for name, text := range alert.Annotations {
			if text == "" || strings.Contains(text, "<error") || strings.Contains(text, "<no value>") {
				w.t.Errorf("%s: its %s is %q", alert.Name, name, text)
			}
		}
	}
	w.seen.mu.Lock()
	defer w.seen.mu.Unlock()
	for name := range firing {
		w.seen.fired[name] = true
	}
	for _, name := range w.firing {
		if !firing[name] {
			w.seen.ended[name] = true
		}
	}
	w.firing = slices.Sorted(maps.Keys(firing))
}

// send sends a message of alice's to bob that lives for so many days (0: seven), and returns the status.
func (w *watched) send(days int) int {
	w.t.Helper()
	body := fmt.Sprintf(`{"recipient":"bob","body":"watched","ttl":%d}`, cmp.Or(days, 7)*24*60)
	status, _ := w.call(w.alice, "POST", "/message", body, "Content-Type", "application/json")
	return status
}

// mustSendWell sends a message that is accepted.
func (w *watched) mustSendWell() {
	w.t.Helper()
	if status := w.send(0); status != http.StatusNoContent {
		w.t.Fatalf("a send was answered %d", status)
	}
}
