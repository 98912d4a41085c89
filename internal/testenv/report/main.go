// Command report lists which tests failed in a run, which took longest, and which passed at a
// second try only, of which there are to be none. It reads what `go test -json` and Playwright's JSON
// reporter wrote of it.
//
//	go run ./internal/testenv/report bin/tests/*.json
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// longest is how many tests are listed.
const longest = 15

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

// result is what became of a test.
type result struct {
	name  string
	room  string // the package, and
	test  string // its name there, of one in Go
	took  time.Duration
	tries int
	good  bool // at last
}

func run(files []string, out io.Writer) error {
	var all []result
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		read := ofGo
		if bytes.Contains(content, []byte(`"suites"`)) {
			read = ofPlaywright
		}
		results, err := read(content)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		of := strings.TrimSuffix(filepath.Base(file), ".json")
		for _, r := range results {
			r.name = of + ": " + r.name
			all = append(all, r)
		}
	}
	tellFailed(out, all)
	slices.SortStableFunc(all, func(a, b result) int { return int(b.took - a.took) })
	fmt.Fprintf(out, "The longest of %d tests:\n", len(all))
	for _, r := range all[:min(longest, len(all))] {
		fmt.Fprintf(out, "%7.1f s  %s\n", r.took.Seconds(), r.name)
	}
	again := slices.DeleteFunc(all, func(r result) bool { return r.tries < 2 || !r.good })
	fmt.Fprintf(out, "Passed at a second try only: %d\n", len(again))
	for _, r := range again {
		fmt.Fprintf(out, "%7d tries  %s\n", r.tries, r.name)
	}
	return nil
}

// tellFailed lists the tests that failed, those in Go as `go test` does.
func tellFailed(out io.Writer, all []result) {
	for _, r := range all {
		switch {
		case r.good:
		case r.test != "":
			fmt.Fprintf(out, "--- FAIL: %s (%.2fs)\nFAIL\t%s\n", r.test, r.took.Seconds(), r.room)
		default:
			fmt.Fprintf(out, "FAIL %s\n", r.name)
		}
	}
}

// ofGo reads the events of `go test -json`, a line each. Of tests within tests it takes the
// outermost.
func ofGo(content []byte) ([]result, error) {
	found := map[string]*result{}
	var order []string
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var event struct {
			Action, Package, Test string
			Elapsed               float64 // seconds
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return nil, err
		}
		if event.Test == "" || strings.Contains(event.Test, "/") || event.Action != "pass" && event.Action != "fail" {
			continue
		}
		name := event.Package + " " + event.Test
		if found[name] == nil {
			found[name] = &result{name: name, room: event.Package, test: event.Test}
			order = append(order, name)
		}
		r := found[name]
		r.took += time.Duration(event.Elapsed * float64(time.Second))
		r.tries++
		r.good = event.Action == "pass"
	}
	var all []result
	for _, name := range order {
		all = append(all, *found[name])
	}
	return all, lines.Err()
}

// suite is a file of Playwright's tests, or a group in it.
type suite struct {
	Suites []suite
	Specs  []struct {
		File, Title string
		Tests       []struct {
			Status  string // "expected", which may be to fail
			Results []struct {
				Duration float64 // milliseconds
			}
		}
	}
}

func ofPlaywright(content []byte) ([]result, error) {
	var report suite
	if err := json.Unmarshal(content, &report); err != nil {
		return nil, err
	}
	return report.results(), nil
}

func (s *suite) results() (all []result) {
	for _, spec := range s.Specs {
		for _, test := range spec.Tests {
			r := result{name: spec.File + " › " + spec.Title, tries: len(test.Results),
				good: test.Status != "unexpected"}
			for _, try := range test.Results {
				r.took += time.Duration(try.Duration * float64(time.Millisecond))
			}
			all = append(all, r)
		}
	}
	for i := range s.Suites {
		all = append(all, s.Suites[i].results()...)
	}
	return all
}
