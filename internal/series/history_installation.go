package series

import (
	"slices"
	"strings"
	"time"

	"signet/internal/store"
	stored "signet/internal/store/series"
)

// Installation returns figures of the installation. Where no server was, they are not known.
func Installation(tx *store.Tx, ask *Ask, now time.Time) (h History, err error) {
	w, err := ask.window(now)
	if err != nil {
		return h, err
	}
	found, blobs, err := w.whole(tx)
	if err != nil {
		return h, err
	}
	h = w.history()
	for _, f := range wholeFigures {
		if !ask.wants(f.name) {
			continue
		}
		points := make([]float64, len(h.Times))
		for i, at := range h.Times {
			points[i] = unknown
			if of := found[at]; of != nil {
				points[i] = f.value(of)
			}
		}
		if f.name == storage+".blobs" {
			carry(points, blobs, func(i int) bool { return found[h.Times[i]] != nil })
		}
		if !strings.HasPrefix(f.name, storage) || slices.ContainsFunc(points, known) {
			h.Series[f.name] = points
		}
	}
	return h, nil
}

// whole reads the figures of the installation by when the times of the window begin, and how
// many bytes of files there were last before it.
func (w *window) whole(tx *store.Tx) (found map[time.Time]*whole, blobs float64, err error) {
	blobs = unknown
	earlier, err := w.last(tx, "")
	for i := 0; i < len(earlier) && err == nil && !known(blobs); i++ {
		if earlier[i].Counted != "" {
			var of whole
			of, err = parseWhole(&earlier[i])
			blobs = shown(of.Blobs)
		}
	}
	if err != nil {
		return nil, 0, err
	}
	if w.step == time.Minute {
		rows, err := w.read(tx, "", stored.Minute, w.from.Add(-lookBack), w.until)
		if err != nil {
			return nil, 0, err
		}
		if found, err = wholes(rows); err != nil {
			return nil, 0, err
		}
		if before := lastBefore(found, w.from, func(o *whole) *int64 { return o.Blobs }); known(before) {
			blobs = before
		}
		return found, blobs, nil
	}
	hours, err := w.hours(tx)
	if err != nil {
		return nil, 0, err
	}
	found = map[time.Time]*whole{}
	for _, at := range sorted(hours.made) {
		of, err := parseWhole(hours.made[at])
		if err != nil {
			return nil, 0, err
		}
		w.followWhole(found, at, &of)
	}
	if len(hours.open) == 0 {
		return found, blobs, nil
	}
	first, end := hours.span()
	rows, err := w.read(tx, "", stored.Minute, first, end)
	if err != nil {
		return nil, 0, err
	}
	minutes, err := wholes(rows)
	for _, at := range sorted(minutes) {
		if hours.open[at.Truncate(time.Hour)] {
			w.followWhole(found, at, minutes[at])
		}
	}
	return found, blobs, err
}

// followWhole adds figures to those of the window's time in which theirs is.
func (w *window) followWhole(found map[time.Time]*whole, at time.Time, of *whole) {
	begun := at.Truncate(w.step)
	if found[begun] == nil {
		found[begun] = new(whole)
	}
	found[begun].follow(of)
}

// wholes makes figures of minutes out of rows of servers.
func wholes(rows []stored.Row) (map[time.Time]*whole, error) {
	out := map[time.Time]*whole{}
	for i := range rows {
		if out[rows[i].Begun] == nil {
			out[rows[i].Begun] = new(whole)
		}
		if rows[i].Counted == "" {
			continue
		}
		of, err := parseWhole(&rows[i])
		if err != nil {
			return nil, err
		}
		out[rows[i].Begun].beside(&of)
	}
	return out, nil
}
