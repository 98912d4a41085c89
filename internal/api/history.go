package api

import (
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"signet/internal/api/wire"
	"signet/internal/overview"
)

// wireHistory is what figures were at times.
type wireHistory struct {
	Times  []wire.Time       `json:"times"`
	Series map[string]points `json:"series"`
}

// points are figures, one for each time.
type points []float64

// MarshalJSON writes numbers, and null for what is not known.
func (p points) MarshalJSON() ([]byte, error) {
	out := make([]byte, 0, 2+8*len(p))
	out = append(out, '[')
	for i, figure := range p {
		if i > 0 {
			out = append(out, ',')
		}
		if math.IsNaN(figure) {
			out = append(out, "null"...)
		} else {
			out = strconv.AppendFloat(out, figure, 'f', -1, 64)
		}
	}
	return append(out, ']'), nil
}

// historyAsk reads which figures a call wants.
func (c *call) historyAsk() overview.HistoryAsk {
	q := c.readQuery()
	ask := overview.HistoryAsk{Names: q.List("names"), Since: q.Time("since"), Until: q.Time("until"), Step: time.Hour}
	if step := q.OptionalInt("step"); step != nil {
		i := slices.IndexFunc(overview.Steps, func(s time.Duration) bool { return int(s/time.Second) == *step })
		if i < 0 {
			q.Wrong("step", "60, 3600 or 86400")
			return ask
		}
		ask.Step = overview.Steps[i]
	}
	return ask
}

// getStatusHistory: GET /status/history.
func (a *API) getStatusHistory(ctx context.Context, c *call) (answer, error) {
	ask := c.historyAsk()
	if err := c.err(); err != nil {
		return answer{}, err
	}
	h, err := a.overview.History(ctx, c.actor, ask)
	return a.toldHistory(c, &h, err)
}

// getOrganizationHistory: GET /organization/:organization/history.
func (a *API) getOrganizationHistory(ctx context.Context, c *call) (answer, error) {
	ask := c.historyAsk()
	if err := c.err(); err != nil {
		return answer{}, err
	}
	h, err := a.overview.OrganizationHistory(ctx, c.actor, c.organizationPath(), ask)
	return a.toldHistory(c, &h, err)
}

func (a *API) toldHistory(c *call, h *overview.History, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	a.charge(c, costOfFigures(h.Rows))
	out := wireHistory{make([]wire.Time, len(h.Times)), make(map[string]points, len(h.Series))}
	for i, at := range h.Times {
		out.Times[i] = wire.Time(at)
	}
	for name, figures := range h.Series {
		out.Series[name] = figures
	}
	return reply(out), nil
}
