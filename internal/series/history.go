package series

import (
	"math"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	stored "signet/internal/store/series"
)

const (
	// lastLooked is how many hours are looked through, back from a time, for what is counted less
	// often than by the hour, and stays what it was in between.
	lastLooked = 48
	// lookBack is how long before a time minutes are looked at, too: longer than hours stay that are
	// not made.
	lookBack = 3 * time.Hour
)

// history is one of the window's times, without figures.
func (w *window) history() History {
	return History{Times: w.times(), Series: map[string][]float64{}, Rows: w.rows}
}

// read reads rows, and counts them.
func (w *window) read(tx *store.Tx, of model.OrganizationID, step stored.Step, from,
	until time.Time) ([]stored.Row, error) {
	rows, err := stored.Rows(tx, of, step, from, until)
	w.rows += len(rows)
	return rows, err
}

// last reads the last rows before the window of what is counted now and then, and counts them.
func (w *window) last(tx *store.Tx, of model.OrganizationID) ([]stored.Row, error) {
	rows, err := stored.Last(tx, of, stored.Hour, w.from.Truncate(time.Hour), lastLooked)
	w.rows += len(rows)
	return rows, err
}

func known(point float64) bool { return !math.IsNaN(point) }

// carry fills in what is counted now and then and stays what it was until it is counted again,
// where something else was counted.
func carry(points []float64, before float64, covered func(i int) bool) {
	for i := range points {
		switch {
		case known(points[i]):
			before = points[i]
		case covered(i):
			points[i] = before
		}
	}
}

// lastBefore returns a figure as it was counted last before a time.
func lastBefore[T any](found map[time.Time]*T, before time.Time, figure func(*T) *int64) float64 {
	for _, at := range slices.Backward(sorted(found)) {
		if n := figure(found[at]); n != nil && at.Before(before) {
			return float64(*n)
		}
	}
	return unknown
}

// sorted lists times in their order.
func sorted[T any](of map[time.Time]T) []time.Time {
	out := make([]time.Time, 0, len(of))
	for at := range of {
		out = append(out, at)
	}
	slices.SortFunc(out, time.Time.Compare)
	return out
}

// hours are those of a window in which a server counted.
type hours struct {
	made map[time.Time]*stored.Row // whose figures were made out of those of their minutes
	open map[time.Time]bool        // the others, which are still to be counted
}

func (w *window) hours(tx *store.Tx) (h hours, err error) {
	rows, err := w.read(tx, "", stored.Hour, w.from, w.until)
	h = hours{made: map[time.Time]*stored.Row{}, open: map[time.Time]bool{}}
	for i := range rows {
		if rows[i].Counted == "" {
			h.open[rows[i].Begun] = true
		} else {
			h.made[rows[i].Begun] = &rows[i]
		}
	}
	return h, err
}

// span is from the first of the hours that are still to be counted to the end of the last.
func (h *hours) span() (first, end time.Time) {
	open := sorted(h.open)
	return open[0], open[len(open)-1].Add(time.Hour)
}
