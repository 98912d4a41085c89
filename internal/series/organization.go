package series

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	stored "signet/internal/store/series"
	"signet/internal/tally"
)

// part are figures of an organization in some time, as rows have them.
type part struct {
	Sent    int64  `json:"sent,omitempty"`
	Storage *int64 `json:"storage,omitempty"` // bytes; nil: not counted then

	// Of a minute: how far the copies came of messages that were sent so many minutes before.
	// What a copy does long after it was sent so changes no row that is written.
	Ages []age `json:"ages,omitempty"`

	// Of an hour: of the messages that were sent in it, and how many people called, in it and
	// since the day began.
	reading
	Active int64 `json:"active,omitempty"`
	Today  int64 `json:"today,omitempty"`
}

// reading is a tally.Reading as hours have it.
type reading struct {
	Copies   int64 `json:"copies,omitempty"`
	Priority int64 `json:"priority,omitempty"`
	Soon     int64 `json:"soon,omitempty"`
	InTime   int64 `json:"in_time,omitempty"`
}

func (r *reading) add(o reading) {
	r.Copies += o.Copies
	r.Priority += o.Priority
	r.Soon += o.Soon
	r.InTime += o.InTime
}

// age is a reading of a minute: how many minutes ago that was, and its four numbers.
type age [5]int64

// partOf is what a server has counted in a minute.
func partOf(c *tally.Organization, minute time.Time) part {
	p := part{Sent: c.Sent}
	for _, sent := range slices.Backward(slices.Sorted(maps.Keys(c.Minutes))) {
		r := c.Minutes[sent]
		p.Ages = append(p.Ages, age{tally.MinuteOf(minute) - sent, r.Copies, r.Priority, r.Soon, r.InTime})
	}
	return p
}

func (p *part) stored() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // numbers always encode
	}
	return string(text)
}

func parsePart(r *stored.Row) (p part, err error) {
	if err = json.Unmarshal([]byte(r.Counted), &p); err != nil {
		err = fmt.Errorf("read the figures of %s at %s: %w", r.Organization, r.Begun, err)
	}
	return p, err
}

// follow adds what was counted in the time after. How many people called in both nobody knows but
// the day's last hour.
func (p *part) follow(o *part) {
	p.Sent += o.Sent
	p.Storage = joined(p.Storage, o.Storage, last)
	p.add(o.reading)
	p.Active, p.Today = max(p.Active, o.Active), max(p.Today, o.Today)
}

// partsOf makes figures of times of this length out of rows of minutes, by when these times begin.
// The rows begin with the day of the first of these times, and end not before tally.Late after
// the last.
func partsOf(rows []stored.Row, length time.Duration) (map[time.Time]*part, error) {
	out := map[time.Time]*part{}
	at := func(minute time.Time) *part {
		begun := minute.Truncate(length)
		if out[begun] == nil {
			out[begun] = new(part)
		}
		return out[begun]
	}
	var called, today marks // since the time, and since the day, of the row before began
	var before time.Time
	for i := range rows {
		r := &rows[i]
		p, err := parsePart(r)
		if err != nil {
			return nil, err
		}
		people, err := parseMarks(r.People)
		if err != nil {
			return nil, err
		}
		to := at(r.Begun)
		to.Sent += p.Sent
		to.Storage = joined(to.Storage, p.Storage, last)
		for _, a := range p.Ages {
			at(r.Begun.Add(-time.Duration(a[0]) * time.Minute)).add(reading{a[1], a[2], a[3], a[4]})
		}
		if !r.Begun.Truncate(length).Equal(before.Truncate(length)) {
			called = nil
		}
		if !r.Begun.Truncate(day).Equal(before.Truncate(day)) {
			today = nil
		}
		if before = r.Begun; len(people) > 0 {
			called, today = called.with(people), today.with(people)
		}
		to.Active, to.Today = called.count(), today.count()
	}
	return out, nil
}

// day is the longest step.
const day = 24 * time.Hour

// Until the figures of a time can be told that depend on what became of its messages: so long,
// and the minute in which a server writes what it has counted.
const (
	soonSettled = tally.Soon + 2*time.Minute
	lateSettled = tally.Late + 2*time.Minute
)

// partFigure is a figure of an organization by its name.
type partFigure struct {
	name    string
	settled time.Duration // after the end of the time
	value   func(p *part, step time.Duration) float64
}

// partFigures are in the order of the contract.
var partFigures = []partFigure{
	{"sent", 0, func(p *part, _ time.Duration) float64 { return float64(p.Sent) }},
	{"active_people", 0, func(p *part, step time.Duration) float64 {
		if step == day {
			return float64(p.Today)
		}
		return float64(p.Active)
	}},
	{"read_within_5m", soonSettled, func(p *part, _ time.Duration) float64 {
		if p.Priority == 0 {
			return unknown
		}
		return float64(min(p.Soon, p.Priority)) / float64(p.Priority)
	}},
	{"unread_over_1h", lateSettled, func(p *part, _ time.Duration) float64 { return float64(max(p.Copies-p.InTime, 0)) }},
	{storage, 0, func(p *part, _ time.Duration) float64 { return shown(p.Storage) }},
}
