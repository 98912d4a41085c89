package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"signet/internal/load"
)

// benchReport shows the progress of a run on a terminal, and its results.
type benchReport struct {
	con      *console
	json     bool
	terminal io.Writer // of the progress; nil: there is none
	results  []*load.Result
}

func newBenchReport(con *console, json bool) *benchReport {
	r := &benchReport{con: con, json: json}
	if isTerminal(con.stderr) {
		r.terminal = con.stderr
	}
	return r
}

// clearLine takes what a terminal shows in the current line away.
const clearLine = "\r\x1b[K"

// progress shows one line, in place of the last.
func (r *benchReport) progress(p load.Progress) {
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
func (r *benchReport) add(result *load.Result) {
	if result != nil {
		r.results = append(r.results, result)
	}
}

// end prints the results. A run in which anything failed, or that was interrupted,
// has failed as a whole.
func (r *benchReport) end(err error) error {
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

func (r *benchReport) print() error {
	if r.json {
		for _, result := range r.results {
			if err := r.con.json(result); err != nil {
				return err
			}
		}
		return nil
	}
	if err := r.con.lines(r.table()...); err != nil {
		return err
	}
	for _, note := range r.notes() {
		r.con.printf("%s\n", note)
	}
	return nil
}
