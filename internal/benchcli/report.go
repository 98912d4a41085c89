package benchcli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"signet/internal/commandline"
	"signet/internal/load"
)

// report shows the progress of a run on a terminal, and its results.
type report struct {
	con      *console
	json     bool
	terminal io.Writer // of the progress; nil: there is none
	results  []*load.Result
}

func newReport(con *console, json bool) *report {
	r := &report{con: con, json: json}
	if commandline.IsTerminal(con.stderr) {
		r.terminal = con.stderr
	}
	return r
}

// clearLine takes what a terminal shows in the current line away.
const clearLine = "\r\x1b[K"

// progress shows one line, in place of the last.
func (r *report) progress(p load.Progress) {
	if r.terminal == nil {
		return
	}
	line := fmt.Sprintf("%s, %s: %s", p.Plan.Scenario, count(p.Plan.Connections, "connection", "connections"), p.Phase)
	switch {
	case p.Total > 0:
		line += fmt.Sprintf(" %d/%d  %.0f ops/s", p.Operations, p.Total, p.PerSecond)
	case p.Elapsed > 0:
		line += fmt.Sprintf(" %d/%ds  %.0f ops/s", int(p.Elapsed.Seconds()+0.5), int(p.Length.Seconds()+0.5), p.PerSecond)
	}
	if p.Failed > 0 {
		line += fmt.Sprintf("  %d failed", p.Failed)
	}
	fmt.Fprint(r.terminal, clearLine, line)
}

// add takes a result, if there is one.
func (r *report) add(result *load.Result) {
	if result != nil {
		r.results = append(r.results, result)
	}
}

// end prints the results. A run in which anything failed, or that was interrupted,
// has failed as a whole.
func (r *report) end(err error) error {
	if r.terminal != nil {
		fmt.Fprint(r.terminal, clearLine)
	}
	if len(r.results) > 0 {
		if printing := r.print(); printing != nil {
			return errors.Join(printing, err)
		}
	}
	var failed, unstarted int64
	interrupted := errors.Is(err, context.Canceled)
	for _, result := range r.results {
		failed += result.Failed()
		unstarted += result.Unstarted
		interrupted = interrupted || result.Interrupted
	}
	switch {
	case interrupted && (err == nil || errors.Is(err, context.Canceled)):
		return errors.New("interrupted")
	case err != nil:
		return err
	case failed > 0:
		return fmt.Errorf("%s failed", count(int(failed), "operation", "operations"))
	}
	return nil
}

func (r *report) print() error {
	if r.json {
		for _, result := range r.results {
			if err := r.con.json(result); err != nil {
				return err
			}
		}
		return nil
	}
	if err := r.con.lines(r.table()); err != nil {
		return err
	}
	for _, note := range r.notes() {
		fmt.Fprintln(r.con.stdout, note)
	}
	return nil
}

// count writes a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
