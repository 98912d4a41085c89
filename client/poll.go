package client

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// pollSource reads the queue by polls, for as long as its account has no stream to spare:
// the server does not count them.
type pollSource struct {
	ctx    context.Context // of the stream
	c      *Client
	after  string // what was read last; empty: nothing
	until  time.Time
	events []Event // that were read and are not given yet
}

// errPolled is the end of such a time: a stream may be opened again.
var errPolled = errors.New("time to open a stream again")

// canPoll reports whether polls yield what the stream would, but for what is not queued.
func (s *stream) canPoll() bool { return s.polls && (!s.o.NoReplay || s.lastID != "") }

func (p *pollSource) next() (frame, error) {
	for len(p.events) == 0 {
		left := time.Until(p.until)
		if left <= 0 {
			return frame{}, errPolled
		}
		events, err := p.c.Poll(p.ctx, PollOptions{After: p.after, Wait: min(left, time.Minute)})
		switch {
		case err == nil:
			p.events = events
		case p.after != "" && errors.Is(err, errAfterInvalid):
			p.after = "" // of another history: as with a stream, all that is queued comes
		default:
			return frame{}, err
		}
	}
	event := p.events[0]
	p.events, p.after = p.events[1:], event.ID
	text, err := json.Marshal(event)
	return frame{data: text, id: event.ID, retry: -1}, err
}

func (p *pollSource) close() {}

var errAfterInvalid = &Error{Code: "after_invalid"}
