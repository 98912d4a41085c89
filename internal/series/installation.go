package series

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	stored "signet/internal/store/series"
	"signet/internal/tally"
)

// whole are figures of the installation in some time, as rows have them: of one server, of what
// only the store tells, or of all together. What is nil is not known.
type whole struct {
	Sent    int64    `json:"sent,omitempty"`
	Copies  int64    `json:"copies,omitempty"`
	Refused int64    `json:"refused,omitempty"`
	Sends   []int64  `json:"sends,omitempty"` // tally.Durations, without zeros at the end
	CPU     *float64 `json:"cpu,omitempty"`   // seconds

	// At the end of the time, as far as a server has them.
	Streams *int64 `json:"streams,omitempty"`
	Memory  *int64 `json:"memory,omitempty"`
	Free    *int64 `json:"free,omitempty"`

	// Of all servers together, as one of them found them.
	Queued       *int64 `json:"queued,omitempty"`
	OldestUnread *int64 `json:"oldest_unread,omitempty"` // seconds
	Database     *int64 `json:"database,omitempty"`
	Log          *int64 `json:"log,omitempty"`
	Blobs        *int64 `json:"blobs,omitempty"`
}

// wholeOf is what a server has counted.
func wholeOf(c *tally.Counts) whole {
	w := whole{Sent: c.Sent, Copies: c.Copies, Refused: c.Refused}
	for i, n := range c.Sends {
		if n > 0 {
			w.Sends = slices.Clone(c.Sends[:i+1])
		}
	}
	return w
}

func (w *whole) stored() string {
	text, err := json.Marshal(w)
	if err != nil {
		panic(err) // numbers always encode
	}
	return string(text)
}

func parseWhole(r *stored.Row) (w whole, err error) {
	if err = json.Unmarshal([]byte(r.Counted), &w); err != nil {
		err = fmt.Errorf("read the figures of %s: %w", r.Begun, err)
	}
	return w, err
}

// beside adds what another server has counted in the same time.
func (w *whole) beside(o *whole) {
	w.count(o)
	w.Streams = joined(w.Streams, o.Streams, sum)
	w.Memory = joined(w.Memory, o.Memory, sum)
	w.Free = joined(w.Free, o.Free, least)
	w.note(o)
}

// follow adds what was counted in the time after.
func (w *whole) follow(o *whole) {
	w.count(o)
	w.Streams = joined(w.Streams, o.Streams, most)
	w.Memory = joined(w.Memory, o.Memory, most)
	w.Free = joined(w.Free, o.Free, last)
	queued, oldest := joined(w.Queued, o.Queued, most), joined(w.OldestUnread, o.OldestUnread, most)
	w.note(o)
	w.Queued, w.OldestUnread = queued, oldest
}

// count adds what adds up.
func (w *whole) count(o *whole) {
	w.Sent += o.Sent
	w.Copies += o.Copies
	w.Refused += o.Refused
	w.CPU = joined(w.CPU, o.CPU, sum)
	w.Sends = append(w.Sends, make([]int64, max(len(o.Sends)-len(w.Sends), 0))...)
	for i, n := range o.Sends {
		w.Sends[i] += n
	}
}

// note takes over what one server has found for all.
func (w *whole) note(o *whole) {
	w.Queued, w.OldestUnread = joined(w.Queued, o.Queued, last), joined(w.OldestUnread, o.OldestUnread, last)
	w.Database, w.Log = joined(w.Database, o.Database, last), joined(w.Log, o.Log, last)
	w.Blobs = joined(w.Blobs, o.Blobs, last)
}

// joined makes one figure of two, of which either may be unknown.
func joined[N int64 | float64](a, b *N, join func(a, b N) N) *N {
	switch {
	case b == nil:
		return a
	case a == nil:
		return b
	}
	return new(join(*a, *b))
}

func sum[N int64 | float64](a, b N) N   { return a + b }
func least[N int64 | float64](a, b N) N { return min(a, b) }
func most[N int64 | float64](a, b N) N  { return max(a, b) }
func last[N int64 | float64](_, b N) N  { return b }

// unknown is a figure that is not known.
var unknown = math.NaN()

// shown is a figure that may be unknown.
func shown[N int64 | float64](n *N) float64 {
	if n == nil {
		return unknown
	}
	return float64(*n)
}

// storage begins the names of what is stored, by kind.
const storage = "storage_bytes"

// wholeFigure is a figure of the installation by its name.
type wholeFigure struct {
	name  string
	value func(w *whole) float64
}

// wholeFigures are in the order of the contract.
var wholeFigures = []wholeFigure{
	{"sent", func(w *whole) float64 { return float64(w.Sent) }},
	{"copies", func(w *whole) float64 { return float64(w.Copies) }},
	{"streams", func(w *whole) float64 { return shown(w.Streams) }},
	{"send_p50", func(w *whole) float64 { return w.quantile(0.50) }},
	{"send_p99", func(w *whole) float64 { return w.quantile(0.99) }},
	{"refused", func(w *whole) float64 { return float64(w.Refused) }},
	{"queued", func(w *whole) float64 { return shown(w.Queued) }},
	{"oldest_unread", func(w *whole) float64 { return shown(w.OldestUnread) }},
	{storage + ".database", func(w *whole) float64 { return shown(w.Database) }},
	{storage + ".log", func(w *whole) float64 { return shown(w.Log) }},
	{storage + ".blobs", func(w *whole) float64 { return shown(w.Blobs) }},
	{storage + ".free", func(w *whole) float64 { return shown(w.Free) }},
	{"memory_bytes", func(w *whole) float64 { return shown(w.Memory) }},
	{"cpu_seconds", func(w *whole) float64 { return shown(w.CPU) }},
}

// quantile is that of how long sends took, in seconds.
func (w *whole) quantile(share float64) float64 {
	took, ok := tally.Quantile(w.Sends, share)
	if !ok {
		return unknown
	}
	return took.Seconds()
}
