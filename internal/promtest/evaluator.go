package promtest

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"signet/internal/testenv"
)

// Evaluator is a Prometheus that only one test uses. It is not safe for concurrent use.
type Evaluator struct {
	t         testing.TB
	requests  *json.Encoder
	responses *json.Decoder
}

// Alert is an alert of one series whose condition holds.
type Alert struct {
	Name        string
	Firing      bool // else its condition has not held for long enough
	Labels      map[string]string
	Annotations map[string]string // as they are sent
}

// Expression is what an expression asks for.
type Expression struct {
	Selectors []Selector
	Grouping  []string // labels by which it groups or joins
}

// Selector is a choice of series.
type Selector struct {
	Metric string
	Labels map[string]string // by name: the value that it has to have, "" where it is not one
}

type response struct {
	Error  string
	Alerts []Alert
	Values []float64
	Parsed *Expression
}

// Start starts an evaluator, which ends with the test. It evaluates the rules in these files.
func Start(t testing.TB, rules ...string) *Evaluator {
	t.Helper()
	testenv.Long(t) // Prometheus' packages have to be built first
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), command.Wait()); err != nil {
			t.Errorf("the evaluator: %v", err)
		}
	})
	e := &Evaluator{t: t, requests: json.NewEncoder(in), responses: json.NewDecoder(out)}
	if len(rules) > 0 {
		e.must(map[string]any{"rules": rules})
	}
	return e
}

// built is the path of the program, in Go's cache.
var built = sync.OnceValues(func() (string, error) {
	return testenv.Tool("signet/internal/promtest", "evaluator", "evaluator")
})

// ask makes a request and returns the answer, with an error where it is one.
func (e *Evaluator) ask(request map[string]any) (r response, err error) {
	e.t.Helper()
	if err := e.requests.Encode(request); err != nil {
		e.t.Fatalf("ask the evaluator: %v", err)
	}
	if err := e.responses.Decode(&r); err != nil {
		e.t.Fatalf("ask the evaluator: %v", err)
	}
	if r.Error != "" {
		err = errors.New(r.Error)
	}
	return r, err
}

func (e *Evaluator) must(request map[string]any) response {
	e.t.Helper()
	r, err := e.ask(request)
	if err != nil {
		e.t.Fatalf("the evaluator: %v", err)
	}
	return r
}

// Scrape stores what a target served at a time, in Prometheus' text format. Times only grow.
func (e *Evaluator) Scrape(at time.Time, target map[string]string, text string) {
	e.t.Helper()
	e.must(map[string]any{"at": at.UnixMilli(), "scrape": map[string]any{"labels": target, "text": text}})
}

// ScrapeNothing stores that a target did not answer.
func (e *Evaluator) ScrapeNothing(at time.Time, target map[string]string) {
	e.t.Helper()
	e.must(map[string]any{"at": at.UnixMilli(), "scrape": map[string]any{"labels": target, "down": true}})
}

// Evaluate evaluates the rules at a time, and returns the alerts that are pending or firing.
func (e *Evaluator) Evaluate(at time.Time) []Alert {
	e.t.Helper()
	return e.must(map[string]any{"at": at.UnixMilli(), "evaluate": true}).Alerts
}

// Query evaluates an expression at a time, and returns the value of each series of its result; one
// that is no number, or infinite, is 0.
func (e *Evaluator) Query(at time.Time, expression string) ([]float64, error) {
	e.t.Helper()
	r, err := e.ask(map[string]any{"at": at.UnixMilli(), "query": expression})
	return r.Values, err
}

// Parse takes an expression apart, or says why Prometheus would refuse it.
func (e *Evaluator) Parse(expression string) (*Expression, error) {
	e.t.Helper()
	r, err := e.ask(map[string]any{"parse": expression})
	return r.Parsed, err
}

// ReadRules reads a file of rules as strictly as "promtool check rules".
func (e *Evaluator) ReadRules(file string) error {
	e.t.Helper()
	_, err := e.ask(map[string]any{"rules": []string{file}})
	return err
}

// ReadConfig reads a configuration as Prometheus does when it starts.
func (e *Evaluator) ReadConfig(file string) error {
	e.t.Helper()
	_, err := e.ask(map[string]any{"config": file})
	return err
}

// ReadBoard reads one of Grafana's boards by Grafana's types, in which no field may be unknown.
func (e *Evaluator) ReadBoard(file string) error {
	e.t.Helper()
	_, err := e.ask(map[string]any{"board": file})
	return err
}
