// Package testlog is the log of tests: it collects what a server writes, for a test to
// look at. It owns nothing else, and must not be imported by what is no test.
package testlog

import (
	"strings"
	"sync"
)

// Log collects what is written to it. Its zero value is an empty one; it is safe for
// concurrent use.
type Log struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

// Write appends to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns all that was written.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Take returns all that was written, and forgets it: it was expected.
func (l *Log) Take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

// Count returns how often a text was written.
func (l *Log) Count(part string) int { return strings.Count(l.String(), part) }
