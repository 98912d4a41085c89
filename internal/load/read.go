package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// queued is how many messages a poll reads, and a page has.
const queued = 50

// polling reads 50 queued messages, which stay there.
type polling struct{ polls []*request }

func (s *polling) prepare(ctx context.Context, on *stage, p *Plan) error {
	people, err := on.hire(ctx, p.Connections)
	if err != nil {
		return err
	}
	if err := on.write(ctx, people, queued, p.Payload); err != nil {
		return err
	}
	for _, person := range people {
		s.polls = append(s.polls, newRequest(person, http.MethodGet, on.url("events", fmt.Sprintf("limit=%d", queued)), ""))
	}
	return nil
}

func (s *polling) operate(ctx context.Context, c *connection, worker int) error {
	return c.page(ctx, s.polls[worker], "event_id")
}

// page makes a call whose answer is to be a full page, of events or messages, which this
// field identifies.
func (c *connection) page(ctx context.Context, call *request, field string) error {
	if err := c.call(ctx, call); err != nil {
		return err
	}
	if n := bytes.Count(c.answer.Body(), []byte(`"`+field+`"`)); n != queued {
		return unexpected("%s: %d times %s, want %d", call, n, field, queued)
	}
	return nil
}

// paging reads a page of a conversation, of as many messages as a poll has.
type paging struct{ pages []*request }

func (s *paging) prepare(ctx context.Context, on *stage, p *Plan) error {
	people, err := on.hire(ctx, p.Connections)
	if err != nil {
		return err
	}
	senders, err := on.writeTo(ctx, people, queued, p.Payload)
	if err != nil {
		return err
	}
	for _, person := range people {
		s.pages = append(s.pages, newRequest(person, http.MethodGet,
			on.url("conversation/"+senders[0].token+"/message", fmt.Sprintf("limit=%d", queued)), ""))
	}
	return nil
}

func (s *paging) operate(ctx context.Context, c *connection, worker int) error {
	return c.page(ctx, s.pages[worker], "message_id")
}

// write sends each of these people so many messages.
func (s *stage) write(ctx context.Context, people []*person, each, payload int) error {
	_, err := s.writeTo(ctx, people, each, payload)
	return err
}

// writeTo is write, and returns who wrote: one person.
func (s *stage) writeTo(ctx context.Context, people []*person, each, payload int) ([]*person, error) {
	senders, err := s.hire(ctx, 1)
	if err != nil {
		return nil, err
	}
	return senders, s.each(ctx, people, func(ctx context.Context, c *connection, to *person) error {
		for range each {
			if err := c.call(ctx, letter(s, senders[0], to.token, payload, 0)); err != nil {
				return err
			}
		}
		return nil
	})
}

// acknowledging sends a message, reads it from the recipient's queue, and
// acknowledges it: three calls.
type acknowledging struct {
	ids                  requestIDs
	letters, polls, acks []*request
}

func (s *acknowledging) prepare(ctx context.Context, on *stage, p *Plan) error {
	people, err := on.hire(ctx, 2*p.Connections)
	if err != nil {
		return err
	}
	s.ids.prepare(on, p)
	for i := range p.Connections {
		sender, recipient := people[2*i], people[2*i+1]
		s.letters = append(s.letters, letter(on, sender, recipient.token, p.Payload, 0))
		s.polls = append(s.polls, newRequest(recipient, http.MethodGet, on.url("events", "limit=1"), ""))
		s.acks = append(s.acks, newRequest(recipient, http.MethodPost, on.url("events/ack", ""), "{}"))
	}
	return nil
}

func (s *acknowledging) operate(ctx context.Context, c *connection, worker int) error {
	if err := c.call(ctx, s.ids.put(s.letters[worker])); err != nil {
		return err
	}
	acknowledged, err := pollAndAcknowledge(ctx, c, s.polls[worker], s.acks[worker])
	if err == nil && acknowledged != 1 {
		err = unexpected("%s: no event", s.polls[worker])
	}
	return err
}

// pollAndAcknowledge reads events and acknowledges them; it tells how many.
func pollAndAcknowledge(ctx context.Context, c *connection, poll, ack *request) (int, error) {
	if err := c.call(ctx, poll); err != nil {
		return 0, err
	}
	return acknowledge(ctx, c, ack)
}

// acknowledge acknowledges the events of a poll that was just answered; it tells how many.
func acknowledge(ctx context.Context, c *connection, ack *request) (int, error) {
	ids := eventIDs(c.answer.Body())
	if len(ids) == 0 {
		return 0, nil
	}
	body, err := json.Marshal(map[string][]string{"events": ids})
	if err != nil {
		return 0, err
	}
	return len(ids), c.call(ctx, ack.withBody(body))
}

// eventIDs finds the identifiers of events in an answer. What the events say is
// not read: that would cost more than the call.
func eventIDs(answer []byte) (ids []string) {
	for {
		_, rest, found := bytes.Cut(answer, []byte(`"event_id":"`))
		if !found {
			return ids
		}
		id, rest, _ := bytes.Cut(rest, []byte(`"`))
		ids, answer = append(ids, string(id)), rest
	}
}

// messageIDs finds the identifiers of the messages in an answer: other events have no body.
func messageIDs(answer []byte) (ids []string) {
	for event := range bytes.SplitSeq(answer, []byte(`"event_id":"`)) {
		_, rest, found := bytes.Cut(event, []byte(`"message_id":"`))
		if id, _, ended := bytes.Cut(rest, []byte(`"`)); found && ended && bytes.Contains(rest, []byte(`"body":`)) {
			ids = append(ids, string(id))
		}
	}
	return ids
}

// counting reads an unread count.
type counting struct{ counts []*request }

func (s *counting) prepare(ctx context.Context, on *stage, p *Plan) error {
	people, err := on.hire(ctx, p.Connections)
	if err != nil {
		return err
	}
	if err := on.write(ctx, people, 1, p.Payload); err != nil {
		return err
	}
	for _, person := range people {
		s.counts = append(s.counts, newRequest(person, http.MethodGet, on.url("user/me/message/unread_count", ""), ""))
	}
	return nil
}

func (s *counting) operate(ctx context.Context, c *connection, worker int) error {
	return c.call(ctx, s.counts[worker])
}
