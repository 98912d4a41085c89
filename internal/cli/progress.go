package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"signet/internal/commandline"
)

// How often progress is shown.
const (
	redrawEvery = 100 * time.Millisecond // a bar on a terminal
	lineEvery   = 10 * time.Second       // a line anywhere else
)

// progress shows how far a long command has come: as a bar on a terminal, else as lines
// for a log.
type progress struct {
	w        io.Writer
	terminal bool
	now      func() time.Time

	step  string
	shown time.Time
	width int // of the bar that is on the screen
}

// progress is shown on standard error. With --json it is not, since programs read what is there.
func (c *console) progress() *progress {
	if c.asJSON {
		return &progress{w: io.Discard, now: time.Now}
	}
	return &progress{w: c.stderr, terminal: commandline.IsTerminal(c.stderr), now: time.Now}
}

// report is a transfer.Progress.
func (p *progress) report(step string, done, total int64) {
	now, every := p.now(), lineEvery
	if p.terminal {
		every = redrawEvery
	}
	begins, ends := step != p.step, done == total && total > 0
	if !begins && !ends && now.Sub(p.shown) < every {
		return
	}
	if begins && !p.terminal && !ends { // the first line has something to tell
		p.step, p.shown = step, now
		return
	}
	p.step, p.shown = step, now
	if !p.terminal {
		fmt.Fprintln(p.w, line(step, done, total))
		if ends {
			p.step = ""
		}
		return
	}
	drawn := bar(step, done, total)
	fmt.Fprintf(p.w, "\r%-*s", p.width, drawn)
	p.width = len(drawn)
	if ends {
		fmt.Fprintln(p.w)
		p.step, p.width = "", 0
	}
}

// line is what a log gets.
func line(step string, done, total int64) string {
	if total == 0 {
		return fmt.Sprintf("%s: %d so far", step, done)
	}
	return fmt.Sprintf("%s: %d of %d (%d%%)", step, done, total, percent(done, total))
}

// bar is what a terminal shows.
func bar(step string, done, total int64) string {
	if total == 0 {
		return fmt.Sprintf("%-16s %d so far", step, done)
	}
	const cells = 30
	full := int(percent(done, total) * cells / 100)
	return fmt.Sprintf("%-16s [%s%s] %3d%%  %d of %d", step, strings.Repeat("#", full), strings.Repeat(".", cells-full),
		percent(done, total), done, total)
}

func percent(done, total int64) int64 { return int64(float64(done) / float64(total) * 100) }
