// Package link is what the buses between nodes have in common beside what they carry:
// whether the other nodes can be reached, how the log is told of it, and counts.
//
// It knows neither connections nor the notices that they carry.
package link

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
)

var errClosed = errors.New("the connection was closed")

// Levels are how loudly the log is told that the bus went away, and that it is back. Where
// something else tells of the same failure, both are for debugging.
type Levels struct{ Away, Back slog.Level }

// Link is the state of the connection, told to the log once for each change. It is safe
// for concurrent use.
type Link struct {
	Counts

	log    *slog.Logger
	levels Levels
	up     atomic.Bool

	mu         sync.Mutex      // guards all below
	away       bool            // it was told that the bus is not there
	complained map[string]bool // about what, since the connection was made
	barred     error           // why there will be no connection, as things are set up
	left       bool            // the bus is closed
}

// New returns a link that is not up yet.
func New(log *slog.Logger, levels Levels) *Link { return &Link{log: log, levels: levels} }

// Up reports whether the other nodes can be reached.
func (l *Link) Up() bool { return l.up.Load() }

// Restore says that there is a connection to a server.
func (l *Link) Restore(server string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left {
		return
	}
	level := l.levels.Back
	if l.barred != nil {
		level = slog.LevelInfo
	}
	l.away, l.complained, l.barred = false, nil, nil
	l.up.Store(true)
	l.tell(level, "connected to the bus", "server", server)
}

// Lose says that there is none any more, or not yet.
func (l *Link) Lose(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.up.Store(false)
	if l.away || l.left || l.barred != nil {
		return
	}
	l.away = true
	if err == nil {
		err = errClosed
	}
	l.tell(l.levels.Away, "the bus is away: other nodes hear of things later; it is tried again until it is back",
		"error", err)
}

// Bar says that there will be none until somebody changes how things are set up.
func (l *Link) Bar(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.up.Store(false)
	if l.left {
		return
	}
	if l.barred == nil {
		l.tell(slog.LevelInfo, "there is no bus: nodes on one database hear of each other by looking into it", "error", why)
	}
	l.barred = why
}

// Barred returns what Bar said; nil: there is a connection, or it is only a matter of time.
func (l *Link) Barred() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.barred
}

// Complain logs a failure, and keeps quiet about others of the same words until the link is restored. what
// is one of a few sentences; err may differ each time.
func (l *Link) Complain(what string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.complained[what] || l.left {
		return
	}
	if l.complained == nil {
		l.complained = map[string]bool{}
	}
	l.complained[what] = true
	l.tell(slog.LevelWarn, what+"; what follows like it is not told", "error", err)
}

// Leave keeps the link quiet from then on, and reports whether it was up.
func (l *Link) Leave() (up bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = true
	return l.up.Swap(false)
}

func (l *Link) tell(level slog.Level, text, name string, value any) {
	l.log.Log(context.Background(), level, text, name, value)
}

// Counts are what a bus did since it was opened.
type Counts struct{ Published, Received, Dropped atomic.Uint64 }

// Stats are what Counts hold at one moment.
type Stats struct {
	Published uint64 // messages given to the bus, those that it did not take included
	Received  uint64 // messages of other nodes
	Dropped   uint64 // messages that were not sent, or not taken in
}

// Stats returns the counts of now.
func (c *Counts) Stats() Stats {
	return Stats{c.Published.Load(), c.Received.Load(), c.Dropped.Load()}
}
