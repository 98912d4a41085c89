package health

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// The parts that a server works with and that may be away for a while.
const (
	Store       = "store"
	Keyring     = "keyring"
	Attachments = "attachments"
)

// lookTimeout is how long a part that is away may take to answer when it is checked.
const lookTimeout = 5 * time.Second

// Pace is how often parts that are away are checked.
type Pace struct {
	Look time.Duration // between two checks; 0: 1 s
	// Quiet is how long a part has to work without a failure before it counts as back: a
	// full disk can be read all the time. 0: 5 s
	Quiet time.Duration
}

// Outages makes one warning of the many calls that fail while a part is away. Its
// beginning is one line of the log. Its end is another one, which says how long it
// lasted and how many calls were refused. A nil *Outages knows no parts. It is safe
// for concurrent use.
type Outages struct {
	warnings *Warnings
	begun    chan struct{}
	pace     Pace

	mu    sync.Mutex // guards what follows
	parts map[string]*part
}

// part is a part of the server that may be away.
type part struct {
	text    string
	check   func(context.Context) error
	since   time.Time // zero: it is there
	last    time.Time // when something failed for it
	back    time.Time // since when it answers again; zero: it does not
	refused int
}

// NewOutages returns the outages of a server, which has no parts yet.
func NewOutages(warnings *Warnings, pace Pace) *Outages {
	pace = Pace{cmp.Or(pace.Look, time.Second), cmp.Or(pace.Quiet, 5*time.Second)}
	return &Outages{warnings: warnings, begun: make(chan struct{}, 1), pace: pace, parts: map[string]*part{}}
}

// Add names a part by the topic of its warning. text is the warning while it is away;
// check asks whether it is back. Call Add before Run.
func (o *Outages) Add(topic, text string, check func(context.Context) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.parts[topic] = &part{text: text, check: check}
}

// Refused notes that a call was refused because a part is away, and reports whether
// that is told here: then it needs no line of its own.
func (o *Outages) Refused(topic string, err error) bool { return o.note(topic, err, 1) }

// Failed notes the same of a task in the background.
func (o *Outages) Failed(topic string, err error) bool { return o.note(topic, err, 0) }

func (o *Outages) note(topic string, err error, refused int) bool {
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.parts[topic]
	if p == nil {
		return false
	}
	p.last, p.back = time.Now(), time.Time{}
	p.refused += refused
	if p.since.IsZero() {
		p.since = p.last
		o.warnings.Set(topic, p.text, "error", err)
		select {
		case o.begun <- struct{}{}:
		default: // Run is about to look
		}
	}
	return true
}

// Outage is one that lasts.
type Outage struct {
	Since   time.Time
	Refused int // calls
}

// Lasting returns the outages that are not over, by topic.
func (o *Outages) Lasting() map[string]Outage {
	out := map[string]Outage{}
	if o == nil {
		return out
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for topic, p := range o.parts {
		if !p.since.IsZero() {
			out[topic] = Outage{p.since, p.refused}
		}
	}
	return out
}

// Run looks for parts that are away until ctx ends.
func (o *Outages) Run(ctx context.Context) {
	tick := time.NewTicker(o.pace.Look)
	tick.Stop()
	defer tick.Stop()
	for {
		select {
		case <-o.begun:
			tick.Reset(o.pace.Look)
		case <-tick.C:
			if !o.look(ctx) {
				tick.Stop()
			}
		case <-ctx.Done():
			return
		}
	}
}

// look ends the outages that are over, and reports whether there are others.
func (o *Outages) look(ctx context.Context) (more bool) {
	for _, topic := range o.away() {
		ctx, cancel := context.WithTimeout(ctx, lookTimeout)
		err := o.parts[topic].check(ctx) // which does not change any more
		cancel()
		if !o.end(topic, err == nil) {
			more = true
		}
	}
	return more
}

// away lists the parts that are.
func (o *Outages) away() (topics []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for topic, p := range o.parts {
		if !p.since.IsZero() {
			topics = append(topics, topic)
		}
	}
	return topics
}

// end ends an outage, unless something has just failed.
func (o *Outages) end(topic string, answers bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	p, now := o.parts[topic], time.Now()
	switch {
	case !answers:
		p.back = time.Time{}
		return false
	case p.back.IsZero():
		p.back = now
	}
	if now.Sub(p.last) < o.pace.Quiet {
		return false
	}
	o.warnings.Clear(topic, "away", p.back.Sub(p.since).Round(time.Millisecond), "refused_calls", p.refused)
	p.since, p.refused = time.Time{}, 0
	return true
}
