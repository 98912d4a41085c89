package app

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"signet/client"
)

// screen is a client of an account, as somebody writes one from the interface alone: it
// loads the conversations, follows the events, and whenever a stream begins asks what came
// after the last that it got so.
type screen struct {
	*client.Client
	me   string
	line *line
	now  func() time.Time

	mu    sync.Mutex // guards all below
	shown map[string]*client.Message
	taken map[string]bool  // back, by id: the recall may arrive before the message
	after map[string]int64 // of each conversation, up to where all has been asked for
	last  string           // the event that was seen last
	fails error
}

// conversation is the entity with which the account has a message.
func (s *screen) conversation(m *client.Message) string {
	switch {
	case m.GroupToken != "":
		return m.GroupToken
	case m.SenderToken == s.me:
		return m.RecipientToken
	}
	return m.SenderToken
}

// run follows what happens until the context ends.
func (s *screen) run(ctx context.Context) {
	if err := s.load(ctx); err != nil {
		s.fail(ctx, err)
		return
	}
	for n := 0; ctx.Err() == nil; n++ {
		connected, lost := context.WithCancel(ctx)
		o := client.StreamOptions{SelfCopies: true, Signals: true, Heartbeat: time.Second,
			OnDisconnect: func(error, time.Duration) { lost() }} // it comes back at once
		if n%2 == 0 { // else what was seen, and not acknowledged, comes again
			o.LastEventID = s.last
		}
		for e, err := range s.Events(connected, o) {
			if err == nil {
				err = s.follow(ctx, e)
			}
			if err != nil && connected.Err() == nil {
				s.fail(ctx, err)
				lost()
				return
			}
		}
		lost()
	}
}

func (s *screen) fail(ctx context.Context, err error) {
	if ctx.Err() == nil {
		s.mu.Lock()
		s.fails = err
		s.mu.Unlock()
	}
}

// page reads one of a conversation, which may have ended meanwhile.
func (s *screen) page(ctx context.Context, entity string, at client.HistoryRange, limit int) (*client.MessagePage,
	error) {
	page, err := s.History(ctx, entity, at, limit)
	if isMissing(err) {
		page, err = new(client.MessagePage), nil
	}
	if err == nil {
		s.show(page.Results)
	}
	return page, err
}

func isMissing(err error) bool {
	refused, ok := errors.AsType[*client.Error](err)
	return ok && refused.Status == http.StatusNotFound
}

// load shows all there is, each conversation from its newest message on.
func (s *screen) load(ctx context.Context) error {
	return s.each(ctx, func(c *client.Conversation) error {
		entity := c.Entity.Token()
		for before := (*int64)(nil); ; {
			page, err := s.page(ctx, entity, client.HistoryRange{Before: before}, 4)
			if err != nil {
				return err
			}
			for i := range page.Results {
				before = &page.Results[i].SortNumber
				s.after[entity] = max(s.after[entity], *before)
			}
			if !page.Metadata.More {
				return nil
			}
		}
	})
}

// each calls f for the conversations that have a message.
func (s *screen) each(ctx context.Context, f func(*client.Conversation) error) error {
	for at := (client.Page{Size: 2}); ; {
		page, err := s.Conversations(ctx, at)
		if err != nil {
			return err
		}
		for i := range page.Results {
			if c := &page.Results[i]; c.LastMessage != nil {
				if err := f(c); err != nil {
					return err
				}
			}
		}
		if at.Continuation = page.Metadata.Continuation; at.Continuation == "" {
			return nil
		}
	}
}

// ask loads what came since it was last asked for: of the conversations that it knows, which the list may
// miss while messages move them up, and then of those that it does not.
func (s *screen) ask(ctx context.Context) error {
	for entity := range maps.Clone(s.after) {
		if err := s.askOne(ctx, entity); err != nil {
			return err
		}
	}
	return s.each(ctx, func(c *client.Conversation) error { return s.askOne(ctx, c.Entity.Token()) })
}

func (s *screen) askOne(ctx context.Context, entity string) error {
	for {
		after := s.after[entity]
		page, err := s.page(ctx, entity, client.HistoryRange{After: &after}, 3)
		if err != nil {
			return err
		}
		s.after[entity] = after
		for i := range page.Results {
			s.after[entity] = page.Results[i].SortNumber
		}
		if !page.Metadata.More {
			return nil
		}
	}
}

func (s *screen) show(messages []client.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range messages {
		m := &messages[i]
		if s.taken[m.MessageID] {
			m.IsRecalled, m.Body = true, ""
		}
		s.shown[m.MessageID] = m
	}
}

// follow does what an event says, and acknowledges it.
func (s *screen) follow(ctx context.Context, e client.Event) error {
	switch e.Kind {
	case client.EventMessage, client.EventGroupMessage:
		m, err := e.Message()
		if err != nil {
			return err
		}
		s.show([]client.Message{*m})
		entity := s.conversation(m)
		if _, loaded := s.after[entity]; !loaded { // it moved up in the list while that was read
			if err := s.askOne(ctx, entity); err != nil {
				return err
			}
		}
	case client.EventStatus, client.EventGroupStatus:
		change, err := e.Status()
		if err != nil {
			return err
		}
		if change.IsRecalled && !s.recalled(change.ClientID) {
			// Its event was withdrawn before it came here.
			m, err := s.Message(ctx, change.ClientID)
			if err == nil {
				s.show([]client.Message{*m})
			} else if !isMissing(err) {
				return err
			}
		}
	case client.EventFriends:
		change, err := e.Friend()
		if err != nil {
			return err
		}
		if change.Action == "del" && change.Entity.User != nil {
			if err := s.forget(ctx, change.Entity.Token()); err != nil {
				return err
			}
		}
	case client.EventAdvisory:
		advisory, err := e.Advisory()
		if err != nil {
			return err
		}
		if advisory.Name == "replay_stop" { // from here on nothing is missed while the stream lasts
			return s.ask(ctx)
		}
	}
	if !e.Queued() {
		return nil
	}
	s.last = e.ID
	return s.Ack(ctx, e.ID)
}

// recalled empties a message, if it is known. Who took it back itself hears of it from nobody
// else.
func (s *screen) recalled(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken[id] = true
	if m := s.shown[id]; m != nil {
		kept := *m
		kept.IsRecalled, kept.Body = true, ""
		s.shown[id] = &kept
	}
	return s.shown[id] != nil
}

// forget removes a conversation that the account removed, and shows what it has of it since.
func (s *screen) forget(ctx context.Context, entity string) error {
	s.mu.Lock()
	for id, m := range s.shown {
		if s.conversation(m) == entity {
			delete(s.shown, id)
		}
	}
	s.mu.Unlock()
	s.after[entity] = 0
	return s.askOne(ctx, entity)
}

// line of a screen: a message, in short.
type lineShown struct{ id, text string }

// showing is what a conversation shows now, in the order of the sort numbers. What goes once
// it is read is asked for.
func (s *screen) showing(ctx context.Context, entity string) (out []lineShown, err error) {
	now := s.now()
	s.mu.Lock()
	var all []*client.Message
	for _, m := range s.shown {
		if s.conversation(m) == entity && (m.ExpiresTime.IsZero() || m.ExpiresTime.After(now)) {
			all = append(all, m)
		}
	}
	fails := s.fails
	s.mu.Unlock()
	if fails != nil {
		return nil, fails
	}
	slices.SortFunc(all, func(a, b *client.Message) int { return int(a.SortNumber - b.SortNumber) })
	for _, m := range all {
		if m.DOR {
			_, err := s.Message(ctx, m.MessageID)
			if isMissing(err) {
				continue
			} else if err != nil {
				return nil, err
			}
		}
		out = append(out, lineShown{m.MessageID, said(m)})
	}
	return out, nil
}

// said is what is read of a message.
func said(m *client.Message) string {
	if m.IsRecalled {
		return "(recalled)" + m.Body
	}
	return m.Body
}
