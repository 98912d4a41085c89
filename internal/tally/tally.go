// Package tally counts what a server does, by organization too, cheaply enough for the way of
// every message: in memory, under one lock that nobody holds for long.
//
// It owns what was counted since somebody took it. It does not know minutes as others count them,
// nor where figures are kept (internal/series).
package tally

import (
	"sync"
	"time"

	"signet/internal/model"
)

const (
	// Soon is within which time a priority message is to be read.
	Soon = 5 * time.Minute
	// Late is after which time a message counts as left unread.
	Late = time.Hour
)

// Tally counts. A nil *Tally counts nothing. It is safe for concurrent use.
type Tally struct {
	mu     sync.Mutex // guards all below
	counts Counts
	called map[caller]*model.Actor
}

// caller is an account with a key of some scope.
type caller struct {
	account model.AccountID
	scope   model.OrganizationID
}

// Counts are what was counted since it was last taken.
type Counts struct {
	Sent, Copies  int64
	Refused       int64 // calls, for a limit or because something is away
	Sends         Durations
	Organizations map[model.OrganizationID]*Organization
}

// Organization is what was counted of one.
type Organization struct {
	Sent    int64
	Minutes map[int64]*Reading // by the minute since 1970 in which the messages were sent
	People  []model.AccountID  // who called; some may be there twice
}

// Reading is how far the copies came of messages that were sent within a minute.
type Reading struct {
	Copies, Priority int64 // that there are; of these, of priority messages
	Soon             int64 // of priority messages, and read within Soon
	InTime           int64 // read before Late
}

// MinuteOf numbers the minutes since 1970.
func MinuteOf(at time.Time) int64 { return at.Unix() / 60 }

// Sent counts a message that is on disk.
func (t *Tally) Sent(m *model.Message, copies int, took time.Duration) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Sent++
	t.counts.Copies += int64(copies)
	t.counts.Sends.observe(took)
	o := t.organization(m.Organization)
	o.Sent++
	r := o.minute(MinuteOf(m.Created))
	r.Copies += int64(copies)
	if m.Priority > 0 {
		r.Priority += int64(copies)
	}
}

// Read counts a copy that was read.
func (t *Tally) Read(m *model.Message, at time.Time) {
	age := at.Sub(m.Created)
	if t == nil || age > Late {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.organization(m.Organization).minute(MinuteOf(m.Created))
	r.InTime++
	if m.Priority > 0 && age <= Soon {
		r.Soon++
	}
}

// Called counts who calls.
func (t *Tally) Called(actor *model.Actor) {
	if t == nil {
		return
	}
	who := caller{actor.Account, actor.Key.Scope}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.called[who]; known {
		return
	}
	if t.called == nil {
		t.called = map[caller]*model.Actor{}
	}
	t.called[who] = actor
}

// Refused counts a call that was refused for a limit, or because something is away.
func (t *Tally) Refused() {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.counts.Refused++
	t.mu.Unlock()
}

// Take returns what was counted, and begins anew.
func (t *Tally) Take() Counts {
	t.mu.Lock()
	counts, called := t.counts, t.called
	t.counts, t.called = Counts{}, nil
	t.mu.Unlock()
	for who, actor := range called {
		for i := range actor.Memberships {
			o := counts.organization(actor.Memberships[i].Organization)
			o.People = append(o.People, who.account)
		}
	}
	return counts
}

func (t *Tally) organization(id model.OrganizationID) *Organization { return t.counts.organization(id) }

func (c *Counts) organization(id model.OrganizationID) *Organization {
	o := c.Organizations[id]
	if o == nil {
		if c.Organizations == nil {
			c.Organizations = map[model.OrganizationID]*Organization{}
		}
		o = new(Organization)
		c.Organizations[id] = o
	}
	return o
}

func (o *Organization) minute(number int64) *Reading {
	r := o.Minutes[number]
	if r == nil {
		if o.Minutes == nil {
			o.Minutes = map[int64]*Reading{}
		}
		r = new(Reading)
		o.Minutes[number] = r
	}
	return r
}
