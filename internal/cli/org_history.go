package cli

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"signet/client"
)

type orgHistoryCommand struct {
	access
	Organization string    `arg:"" optional:"" help:"Token of the organization; without one, figures of the installation, for operators."`
	Names        []string  `placeholder:"NAME" help:"Only these figures, separated by commas."`
	Step         string    `enum:"minute,hour,day" default:"hour" help:"By the minute, hour or day. Default hour."`
	Since        time.Time `placeholder:"TIME" help:"From this time, such as 2026-11-21T00:00:00Z. Default an hour, a day or 30 days ago, by the step."`
	Until        time.Time `placeholder:"TIME" help:"Only times before this one."`
}

func (o *orgHistoryCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	steps := map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}
	f := client.HistoryFilter{Names: o.Names, Since: o.Since, Until: o.Until, Step: steps[o.Step]}
	if o.Organization == "" {
		h, err := c.InstallationHistory(ctx, f)
		return show(con, h, err, historyLines)
	}
	h, err := c.OrganizationHistory(ctx, o.Organization, f)
	return show(con, h, err, historyLines)
}

// historyLines are a line for each time, below the names of the figures.
func historyLines(h *client.History) []string {
	names := slices.Sorted(maps.Keys(h.Series))
	lines := []string{cells(append([]string{"time"}, names...)...)}
	for i, at := range h.Times {
		line := []string{moment(at)}
		for _, name := range names {
			figure := "-"
			if n := h.Series[name][i]; n != nil {
				figure = strconv.FormatFloat(*n, 'f', -1, 64)
			}
			line = append(line, figure)
		}
		lines = append(lines, cells(line...))
	}
	return lines
}
