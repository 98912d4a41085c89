package series

import (
	"time"

	"signet/internal/model"
	"signet/internal/store"
	stored "signet/internal/store/series"
)

// Organization returns figures of an organization. Where no server was, and before it was made,
// they are not known.
func Organization(tx *store.Tx, of *model.Organization, ask *Ask, now time.Time) (h History, err error) {
	w, err := ask.window(now)
	if err != nil {
		return h, err
	}
	p, err := w.parts(tx, of.ID)
	if err != nil {
		return h, err
	}
	h = w.history()
	made := of.Created.UTC().Truncate(w.step)
	covered := func(i int) bool { return p.covered[h.Times[i]] && !h.Times[i].Before(made) }
	none := new(part)
	for _, f := range partFigures {
		if !ask.wants(f.name) {
			continue
		}
		points := make([]float64, len(h.Times))
		for i, at := range h.Times {
			points[i] = unknown
			if !covered(i) || now.Before(at.Add(w.step+f.settled)) && f.settled > 0 {
				continue
			}
			found := p.found[at]
			if found == nil {
				found = none
			}
			points[i] = f.value(found, w.step)
		}
		if f.name == storage {
			carry(points, p.storage, covered)
		}
		h.Series[f.name] = points
	}
	return h, nil
}

// parts are the figures of an organization in a window.
type parts struct {
	covered map[time.Time]bool // the times in which a server counted
	found   map[time.Time]*part
	storage float64 // what was stored when that was counted last before the window
}

func (w *window) parts(tx *store.Tx, id model.OrganizationID) (p parts, err error) {
	p = parts{covered: map[time.Time]bool{}, found: map[time.Time]*part{}, storage: unknown}
	earlier, err := w.last(tx, id)
	for i := 0; i < len(earlier) && err == nil && !known(p.storage); i++ {
		var of part
		of, err = parsePart(&earlier[i])
		p.storage = shown(of.Storage)
	}
	if err != nil {
		return p, err
	}
	if w.step == time.Minute {
		err = w.minuteParts(tx, id, &p)
	} else {
		err = w.hourParts(tx, id, &p)
	}
	return p, err
}

// minuteParts reads the figures of minutes. How many people called it tells of the whole hour: in a
// small organization that of each minute would tell more than administrators see of their members,
// who may have called for another organization (overview.Member.Seen).
func (w *window) minuteParts(tx *store.Tx, id model.OrganizationID, p *parts) error {
	covered, err := stored.Covered(tx, stored.Minute, w.from, w.until)
	if err != nil {
		return err
	}
	w.rows += len(covered)
	for _, at := range covered {
		p.covered[at] = true
	}
	rows, err := w.read(tx, id, stored.Minute, w.from.Truncate(time.Hour).Add(-lookBack), w.until.Add(lateSettled))
	if err != nil {
		return err
	}
	hours, err := partsOf(rows, time.Hour)
	if err != nil {
		return err
	}
	if p.found, err = partsOf(rows, time.Minute); err != nil {
		return err
	}
	for at := range p.covered {
		if p.found[at] == nil {
			p.found[at] = new(part)
		}
		p.found[at].Active = 0
		if hour := hours[at.Truncate(time.Hour)]; hour != nil {
			p.found[at].Active = hour.Active
		}
	}
	if before := lastBefore(p.found, w.from, func(o *part) *int64 { return o.Storage }); known(before) {
		p.storage = before
	}
	return nil
}

// hourParts reads the figures of hours, and makes those that nobody has made yet.
func (w *window) hourParts(tx *store.Tx, id model.OrganizationID, p *parts) error {
	hours, err := w.hours(tx)
	if err != nil {
		return err
	}
	follow := func(at time.Time, of *part) {
		begun := at.Truncate(w.step)
		if p.found[begun] == nil {
			p.found[begun] = new(part)
		}
		p.found[begun].follow(of)
	}
	rows, err := w.read(tx, id, stored.Hour, w.from, w.until)
	if err != nil {
		return err
	}
	for i := range rows {
		if hours.made[rows[i].Begun] == nil {
			continue
		}
		of, err := parsePart(&rows[i])
		if err != nil {
			return err
		}
		follow(rows[i].Begun, &of)
	}
	for at := range hours.made {
		p.covered[at.Truncate(w.step)] = true
	}
	if len(hours.open) == 0 {
		return nil
	}
	first, end := hours.span()
	if rows, err = w.read(tx, id, stored.Minute, first.Truncate(day), end.Add(lateSettled)); err != nil {
		return err
	}
	made, err := partsOf(rows, time.Hour)
	for _, at := range sorted(made) {
		if hours.open[at] {
			follow(at, made[at])
		}
	}
	for at := range hours.open {
		p.covered[at.Truncate(w.step)] = true
	}
	return err
}
