package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"signet/client"
)

// The scenarios, by what one operation of each is.
const (
	Send        = "send"        // a message from one person to another
	Attachments = "attachments" // a message with a file, and the file fetched
	Poll        = "poll"        // 50 queued messages, read
	History     = "history"     // a page of 50 messages of a conversation
	Acknowledge = "ack"         // a message sent, polled and acknowledged
	Unread      = "unread"      // an unread count
	Search      = "search"      // the first page of a search
	Group       = "group"       // a message to a group whose members are away
	Deliver     = "deliver"     // a message to streams, until all have it
	Streams     = "streams"     // streams opened, and then nothing
	Mixed       = "mixed"       // one of several, as people at work make them
	Soak        = "soak"        // the same, by people who read what they get; messages expire
	Floor       = "floor"       // a call that the floor answers
	FileFloor   = "copy"        // a file put on the floor, and fetched
)

// Scenarios lists them.
func Scenarios() []string {
	return []string{Send, Attachments, Poll, History, Acknowledge, Unread, Search, Group, Deliver, Streams, Mixed, Soak,
		Floor, FileFloor}
}

// scenario is a kind of load. Its people are made by prepare; operate is called
// by as many workers as the plan has connections, each with its own.
type scenario interface {
	prepare(ctx context.Context, s *stage, p *Plan) error
	operate(ctx context.Context, c *connection, worker int) error
}

func newScenario(name string) scenario {
	switch name {
	case Send:
		return new(sending)
	case Attachments:
		return new(attaching)
	case Poll:
		return new(polling)
	case History:
		return new(paging)
	case Acknowledge:
		return new(acknowledging)
	case Unread:
		return new(counting)
	case Search:
		return new(searching)
	case Group:
		return new(grouping)
	case Deliver:
		return new(delivering)
	case Mixed:
		return new(mixing)
	case Soak:
		return &mixing{reads: true}
	}
	return nil // Streams are no such loop, Floor and FileFloor have no server behind them
}

// letter is the call that sends a message of so many bytes, with a ttl as letterBody has it.
func letter(s *stage, from *person, recipient string, payload, ttl int) *request {
	body := letterBody(recipient, strings.Repeat("x", payload), ttl)
	return newRequest(from, http.MethodPost, s.url("message", ""), body)
}

// letterBody is what such a call carries. The ttl is in minutes; 0: as long as the server lets messages live.
func letterBody(recipient, body string, ttl int) string {
	text, _ := json.Marshal(struct {
		Recipient string `json:"recipient"`
		Body      string `json:"body"`
		TTL       int    `json:"ttl,omitempty"`
	}{recipient, body, ttl}) // texts and a number have no way to fail
	return string(text)
}

// requestIDs makes each message of a run distinct, where the plan wants a
// Request-ID.
type requestIDs struct {
	mark string // of the run; empty: none are wanted
	last atomic.Int64
}

func (ids *requestIDs) prepare(s *stage, p *Plan) {
	if p.RequestID {
		ids.mark = s.name[strings.LastIndexByte(s.name, ' ')+1:]
	}
}

func (ids *requestIDs) put(r *request) *request {
	if ids.mark == "" {
		return r
	}
	return r.withHeader("Request-Id", ids.mark+"-"+strconv.FormatInt(ids.last.Add(1), 10))
}

// sending is a message from one person to another. Each worker has a pair of its
// own, as conversations do not wait for each other.
type sending struct {
	ids     requestIDs
	letters []*request
}

func (s *sending) prepare(ctx context.Context, on *stage, p *Plan) error {
	senders, err := on.hire(ctx, p.Connections)
	if err != nil {
		return err
	}
	recipients, err := on.fill(ctx, p.Connections)
	if err != nil {
		return err
	}
	s.ids.prepare(on, p)
	for i, sender := range senders {
		s.letters = append(s.letters, letter(on, sender, recipients[i].token, p.Payload, 0))
	}
	return nil
}

func (s *sending) operate(ctx context.Context, c *connection, worker int) error {
	return c.call(ctx, s.ids.put(s.letters[worker]))
}

// grouping is a message to one group whose members read nothing meanwhile.
type grouping struct {
	ids     requestIDs
	letters []*request
}

func (g *grouping) prepare(ctx context.Context, on *stage, p *Plan) error {
	group, senders, err := on.gather(ctx, min(p.Connections, p.Members), p.Members)
	if err != nil {
		return err
	}
	g.ids.prepare(on, p)
	for worker := range p.Connections {
		g.letters = append(g.letters, letter(on, senders[worker%len(senders)], group, p.Payload, 0))
	}
	return nil
}

func (g *grouping) operate(ctx context.Context, c *connection, worker int) error {
	return c.call(ctx, g.ids.put(g.letters[worker]))
}

// gather makes a group of so many members, some of whom can send.
func (s *stage) gather(ctx context.Context, senders, members int) (group string, hired []*person, err error) {
	if hired, err = s.hire(ctx, senders); err != nil {
		return "", nil, err
	}
	others, err := s.fill(ctx, members-senders)
	if err != nil {
		return "", nil, err
	}
	group, err = s.group(ctx, append(hired[:len(hired):len(hired)], others...))
	return group, hired, err
}

// group makes a group of people and returns its token.
func (s *stage) group(ctx context.Context, members []*person) (string, error) {
	tokens := make([]string, len(members))
	for i, p := range members {
		tokens[i] = p.token
	}
	group, err := s.admin.In(s.organization).CreateGroup(ctx,
		client.NewGroup{Name: "signet bench", Members: tokens, ExcludeCreator: true})
	if err != nil {
		return "", fmt.Errorf("make a group: %w", err)
	}
	return group.Token, nil
}
