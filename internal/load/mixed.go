package load

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
)

// wardSize is how many people are in each group of the mixed scenario.
const wardSize = 10

// mixing is what people at work do: of 100 operations, 50 are messages to one
// person, 10 messages to a group of ten, 20 read and acknowledge what has come, 15
// count what is unread, and 5 are searches. Each worker is one person.
type mixing struct {
	ids   requestIDs
	jobs  []job
	reads bool // whoever reads messages marks them Read, in a call more
}

// job is what one person calls.
type job struct {
	letter, groupLetter, poll, ack, read, unread *request
	searches                                     []*request
}

func (m *mixing) prepare(ctx context.Context, on *stage, p *Plan) error {
	// Whole groups of people who all have work.
	people, err := on.hire(ctx, (p.Connections+wardSize-1)/wardSize*wardSize)
	if err != nil {
		return err
	}
	if _, err := on.fill(ctx, max(0, p.Members-len(people))); err != nil {
		return err
	}
	m.ids.prepare(on, p)
	var group string
	for i, person := range people[:p.Connections] {
		if i%wardSize == 0 {
			if group, err = on.group(ctx, people[i:i+wardSize]); err != nil {
				return err
			}
		}
		m.jobs = append(m.jobs, job{
			letter:      letter(on, person, people[(i+1)%len(people)].token, p.Payload, p.TTL),
			groupLetter: letter(on, person, group, p.Payload, p.TTL),
			poll:        newRequest(person, http.MethodGet, on.url("events", fmt.Sprintf("limit=%d", queued)), ""),
			ack:         newRequest(person, http.MethodPost, on.url("events/ack", ""), "{}"),
			read:        newRequest(person, http.MethodPost, on.url("message/status", ""), "{}"),
			unread:      newRequest(person, http.MethodGet, on.url("user/me/message/unread_count", ""), ""),
			searches:    searchesOf(on, person),
		})
	}
	return on.clear(ctx, people)
}

func (m *mixing) operate(ctx context.Context, c *connection, worker int) error {
	var err error
	j := &m.jobs[worker]
	switch n := rand.IntN(100); {
	case n < 50:
		err = c.call(ctx, m.ids.put(j.letter))
	case n < 60:
		err = c.call(ctx, m.ids.put(j.groupLetter))
	case n < 80:
		err = m.catchUp(ctx, c, j)
	case n < 95:
		err = c.call(ctx, j.unread)
	default:
		err = c.call(ctx, pick(j.searches))
	}
	return err
}

// catchUp reads and acknowledges what has come, and marks the messages Read where people do.
func (m *mixing) catchUp(ctx context.Context, c *connection, j *job) error {
	if err := c.call(ctx, j.poll); err != nil {
		return err
	}
	var messages []string
	if m.reads {
		messages = messageIDs(c.answer.Body()) // the answer is gone with the next call
	}
	if _, err := acknowledge(ctx, c, j.ack); err != nil || len(messages) == 0 {
		return err
	}
	body, err := json.Marshal(map[string][]string{"read": messages})
	if err != nil {
		return err
	}
	return c.call(ctx, j.read.withBody(body))
}
