package service_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"signet/internal/store"
	"signet/internal/testenv"
)

// reachFile has the functions of the store that run statements, each with how many shards of a distributed
// database these touch. touchedFile has which of them each call runs, and how often; from both
// internal/store writes what docs/scaling.md says of calls.
const (
	reachFile   = "../store/testdata/reach.txt"
	touchedFile = "testdata/touched.txt"
)

const touchedHead = `# The functions of the store that each call runs, and how many statements of each (touched_test.go).
`

// tracer notes which function of the store ran each statement.
type tracer struct {
	store.Engine
	known map[string]bool // functions, by their names in reachFile

	mu  sync.Mutex // guards what follows
	ran map[string]int
}

func (e *tracer) View(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	return e.Engine.View(ctx, e.traced(fn), traits...)
}

func (e *tracer) Update(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	return e.Engine.Update(ctx, e.traced(fn), traits...)
}

func (e *tracer) traced(fn func(store.Session) error) func(store.Session) error {
	return func(s store.Session) error { return fn(tracedSession{s, e}) }
}

// note finds the innermost function on the stack that is known.
func (e *tracer) note() {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		if name := nameInStore(frame.Function); e.known[name] {
			e.mu.Lock()
			e.ran[name]++
			e.mu.Unlock()
			return
		}
	}
}

// take returns what ran since the last call.
func (e *tracer) take() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	ran := e.ran
	e.ran = map[string]int{}
	return ran
}

// nameInStore is what reachFile calls a function: Tx.Send, threads.Page.
func nameInStore(function string) string {
	const store = "signet/internal/store"
	name, inside := strings.CutPrefix(function, store)
	if !inside || name == "" {
		return ""
	}
	name = strings.NewReplacer("(*", "", ")", "").Replace(name[1:]) // without what stands before: a dot or a slash
	name, _, _ = strings.Cut(name, ".func")
	return name
}

type tracedSession struct {
	store.Session
	tracer *tracer
}

func (s tracedSession) Exec(query string, args ...any) (int64, error) {
	s.tracer.note()
	return s.Session.Exec(query, args...)
}

func (s tracedSession) Post(query string, args ...any) error {
	s.tracer.note()
	return s.Session.Post(query, args...)
}

func (s tracedSession) Query(query string, args []any, each func(store.Row) error) error {
	s.tracer.note()
	return s.Session.Query(query, args, each)
}

func (s tracedSession) Ask(query string, args []any, each func(store.Row) error) error {
	s.tracer.note()
	return s.Session.Ask(query, args, each)
}

// mustReadReach returns the names of the functions that run statements.
func mustReadReach(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(reachFile)
	must(t, err)
	known := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, ": ")
		known[name] = true
	}
	return known
}

// TestFunctionsThatCallsRunAreListed: which functions of the store a call runs says what it asks of each shard.
func TestFunctionsThatCallsRunAreListed(t *testing.T) {
	testenv.Long(t)
	known := mustReadReach(t)
	var list strings.Builder
	list.WriteString(touchedHead)
	for _, c := range calls {
		traced := &tracer{known: known, ran: map[string]int{}}
		h := newHouseOn(t, c.people, func(e store.Engine) store.Engine { traced.Engine = e; return traced })
		prepare, run := c.arrange(t, h)
		prepare()
		run() // once, so that what is remembered from call to call is there
		// What runs beside a call, or is forgotten after a second, is not in most.
		const times = 5
		counts := map[string][]int64{}
		for range times {
			prepare()
			traced.take()
			run()
			for name, n := range traced.take() {
				counts[name] = append(counts[name], int64(n))
			}
		}
		fmt.Fprintf(&list, "%s:", c.name)
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			if all := counts[name]; len(all) > times/2 {
				fmt.Fprintf(&list, " %s=%d", name, median(all))
			}
		}
		list.WriteString("\n")
	}
	got, err := os.ReadFile(touchedFile)
	if *update {
		must(t, os.WriteFile(touchedFile, []byte(list.String()), 0o644))
		return
	}
	must(t, err)
	if want := list.String(); string(got) != want {
		t.Errorf("%s is not what calls run; -update writes it, and then go test ./internal/store -run Capacity -update the "+
			"page:\n%s", touchedFile, want)
	}
}

func TestFunctionIsNamedAsTheListNamesIt(t *testing.T) {
	for function, want := range map[string]string{
		"signet/internal/store.(*Tx).AskMembers":            "Tx.AskMembers",
		"signet/internal/store.(*Tx).Arrivals.func1":        "Tx.Arrivals",
		"signet/internal/store/threads.readIndex":           "threads.readIndex",
		"signet/internal/store/tablecopy.(*Copy).wipe":      "tablecopy.Copy.wipe",
		"signet/internal/store.TakeCensus":                  "TakeCensus",
		"signet/internal/service.(*Service).Send":           "",
		"signet/internal/store/postgres.(*session).advance": "postgres.session.advance",
	} {
		if got := nameInStore(function); got != want {
			t.Errorf("%s is named %q, want %q", function, got, want)
		}
	}
}
