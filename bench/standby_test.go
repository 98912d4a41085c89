package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"signet/internal/load"
	"signet/internal/testenv"
)

// standbyVariable has the standby measured whole; `make bench-standby` sets it.
const standbyVariable = "SIGNET_BENCH_STANDBY"

// What a standby is to keep to (docs/operate/standby.md).
const (
	mostCost      = 0.03 // the part of the CPU of a send that it may cost the first besides
	mostLost      = time.Second
	mostPromoting = 10 * time.Second
)

// standbySize says how much of a standby is measured.
type standbySize struct {
	pairs    int // of a server alone, and of one that is followed
	plan     load.Plan
	lost     int           // servers whose last moments are looked at
	life     time.Duration // how long each of these lives under load, at most
	messages int           // in the store that is promoted
}

// TestStandby measures what a standby costs the server that it follows, what is lost with that one, and how
// long a promotion takes. As one of the tests it does all that for a moment, and judges nothing.
func TestStandby(t *testing.T) {
	testenv.Long(t)
	if !load.Running(os.Getpid()) {
		t.Fatal("what processes use can be read on Linux only, and it is what this measures")
	}
	whole := os.Getenv(standbyVariable) != ""
	s := standbySize{pairs: 1, lost: 1, life: 100 * time.Millisecond, messages: 100, plan: load.Plan{Scenario: load.Send,
		Connections: 4, Duration: 50 * time.Millisecond, Payload: load.DefaultPayload, Members: 1}}
	if whole {
		if !load.OnDisk(t.TempDir()) {
			t.Fatal("temporary files are in memory, where nothing has to be waited for: set TMPDIR to a directory on a disk")
		}
		s = standbySize{pairs: 10, lost: 20, life: 4 * time.Second, messages: 1_000_000, plan: load.Plan{Scenario: load.Send,
			Connections: 64, Duration: 4 * time.Second, Warmup: time.Second, Payload: load.DefaultPayload, Members: 1}}
	}
	e := &engine{name: embedded}
	cost := mustMeasureCost(t, e, s)
	lost := mustMeasureLost(t, e, s)
	took := mustMeasurePromotion(t, e, s)
	t.Logf("a standby costs a send %.1f %% of the first's CPU; with the first %v are lost in the median of %d, and %v at "+
		"most; a promotion with %d messages takes %v", 100*cost, lost[len(lost)/2], len(lost), lost[len(lost)-1], s.messages,
		took)
	if !whole {
		return
	}
	if cost > mostCost || lost[len(lost)-1] > mostLost || took > mostPromoting {
		t.Errorf("want at most %.0f %%, %v and %v", 100*mostCost, mostLost, mostPromoting)
	}
}

// mustMeasureCost returns by what part a send takes more of the server's CPU while a standby follows: the
// median of pairs that are measured one right after the other.
func mustMeasureCost(t *testing.T, e *engine, s standbySize) float64 {
	t.Helper()
	measure := func(target *load.Target) float64 {
		r, err := run(t, target, s.plan)
		if err == nil && r.Failed() > 0 {
			err = errors.New(r.FirstError)
		}
		if err != nil {
			t.Fatal(err)
		}
		return server(r)
	}
	var ratios []float64
	for i := range s.pairs {
		var alone, followed float64
		sides := []func(){
			func() { e.with(t, func(target *load.Target) error { alone = measure(target); return nil }) },
			func() {
				p := mustStandby(t, e)
				p.mustFollow()
				followed = measure(p.target)
				p.mustStop()
			},
		}
		if i%2 == 1 {
			slices.Reverse(sides)
		}
		for _, side := range sides {
			side()
		}
		t.Logf("a send takes %.1f µs of CPU alone, and %.1f µs with a standby", alone, followed)
		ratios = append(ratios, followed/alone-1)
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// mustMeasureLost kills servers under load at random, and returns in order for how long before its end each
// may have confirmed something that its standby does not have.
func mustMeasureLost(t *testing.T, e *engine, s standbySize) (all []time.Duration) {
	t.Helper()
	for range s.lost {
		p := mustStandby(t, e)
		p.mustFollow()
		plan := s.plan
		plan.Duration = s.life + time.Minute
		underLoad, end := context.WithCancel(t.Context())
		var sending sync.WaitGroup
		sending.Go(func() { _, _ = load.Run(underLoad, p.target, plan, nil) })
		time.Sleep(plan.Warmup + rand.N(s.life)) // the life of the server, under load
		p.first.Kill()
		killed := time.Now()
		end()
		sending.Wait()
		until := p.mustPromote()
		all = append(all, killed.Sub(until).Round(time.Millisecond))
		t.Logf("the standby has all until %v before the end", all[len(all)-1])
		p.mustStop()
	}
	slices.Sort(all)
	return all
}

// mustMeasurePromotion returns how long it takes until the standby of a server that is gone serves.
func mustMeasurePromotion(t *testing.T, e *engine, s standbySize) time.Duration {
	t.Helper()
	p := mustStandby(t, e)
	operator := p.target
	if err := p.first.Stop(); err != nil {
		t.Fatal(err)
	}
	mustFill(t, p.own[0], operator, s.messages)
	p.mustStartFirst()
	p.mustFollow()
	p.first.Kill()
	begun := time.Now()
	p.mustPromote()
	took := time.Since(begun).Round(time.Millisecond)
	if err := p.second.Stop(); err != nil {
		t.Fatal(err)
	}
	verify := exec.Command(program, "verify", "--data", p.own[1].Data)
	verify.Env = []string{} // as in mustPromote
	if out, err := verify.CombinedOutput(); err != nil ||
		!strings.Contains(string(out), fmt.Sprintf("%d messages", s.messages)) {
		t.Errorf("signet verify says: %s, error %v", out, err)
	}
	return took
}

// standbyPair is a server and a standby of it.
type standbyPair struct {
	t      *testing.T
	own    [2]load.Own
	at     [2]string // where the two talk to each other
	key    string
	first  *load.Process
	second *load.Process // nil: it was not started
	target *load.Target  // the first
}

// mustStandby starts the first of a pair on an empty store.
func mustStandby(t *testing.T, e *engine) *standbyPair {
	t.Helper()
	p := &standbyPair{t: t, key: filepath.Join(t.TempDir(), "standby.key"),
		at: [2]string{mustFreeAddress(t), mustFreeAddress(t)}}
	if err := os.WriteFile(p.key, []byte("0123456789abcdef0123456789abcdef"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range p.own {
		p.own[i] = e.mustOwn(t)
		p.own[i].Settings = []string{"--standby.key", "file:" + p.key, "--standby.listen", p.at[i]}
	}
	p.own[0].Settings = append(p.own[0].Settings, "--standby.peer", "http://"+p.at[1])
	p.own[1].Settings = append(p.own[1].Settings, "--standby-of", "http://"+p.at[0])
	p.own[1].Listen = mustFreeAddress(t) // it has the same once it is promoted
	p.mustStartFirst()
	t.Cleanup(func() {
		p.first.Kill()
		if p.second != nil {
			p.second.Kill()
		}
	})
	return p
}

func mustFreeAddress(t *testing.T) string {
	t.Helper()
	address, err := testenv.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func (p *standbyPair) mustStartFirst() {
	p.t.Helper()
	var err error
	if p.first, p.target, err = load.StartServer(p.t.Context(), p.own[0]); err != nil {
		p.t.Fatal(err)
	}
}

// mustFollow starts the standby, and waits until it has everything.
func (p *standbyPair) mustFollow() {
	p.t.Helper()
	err := os.MkdirAll(p.own[1].Data, 0o700)
	for _, name := range []string{"master.json", "audit.key", "operator.json"} {
		var text []byte
		if err == nil {
			text, err = os.ReadFile(filepath.Join(p.own[0].Data, name))
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(p.own[1].Data, name), text, 0o600)
		}
	}
	if err == nil {
		p.second, _, err = load.StartServer(p.t.Context(), p.own[1])
	}
	if err != nil {
		p.t.Fatal(err)
	}
	begun := time.Now()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(5 * time.Minute); ; {
		if p.has().After(begun) {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			p.t.Fatal("the standby does not get everything")
		}
	}
}

var confirmedUntil = regexp.MustCompile(`confirmed until (\S+)`)

// has is until when the standby has all that was confirmed; zero where it does not say so.
func (p *standbyPair) has() (until time.Time) {
	answer, err := http.Get("http://" + p.own[1].Listen + "/readyz")
	if err != nil {
		return until
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if found := confirmedUntil.FindSubmatch(text); found != nil && strings.HasPrefix(string(text), "standby: it has all") {
		until, _ = time.Parse(time.RFC3339Nano, string(found[1]))
	}
	return until
}

// mustPromote makes the standby of a server that is gone the first, waits until it serves, and returns until
// when it has all that the other one confirmed.
func (p *standbyPair) mustPromote() time.Time {
	p.t.Helper()
	command := exec.Command(program, "promote", "--listen", p.own[1].Listen, "--data", p.own[1].Data, "--standby.key",
		"file:"+p.key, "--standby-of", "http://"+p.at[0])
	command.Env = []string{} // what has it measured whole is no setting
	out, err := command.CombinedOutput()
	found := confirmedUntil.FindSubmatch(out)
	if err != nil || found == nil || !strings.Contains(string(out), "It is ready at") {
		p.t.Fatalf("signet promote: %v\n%s", err, out)
	}
	until, err := time.Parse(time.RFC3339Nano, string(found[1]))
	if err != nil {
		p.t.Fatal(err)
	}
	return until
}

// mustStop ends both, and removes what they stored.
func (p *standbyPair) mustStop() {
	p.t.Helper()
	p.first.Kill()
	err := p.second.Stop()
	for _, own := range p.own {
		err = errors.Join(err, os.RemoveAll(own.Data))
	}
	if err != nil {
		p.t.Fatal(err)
	}
}
