package api

import (
	"context"
	"encoding/json"
	"strconv"

	"signet/internal/console"
	"signet/internal/model"
	"signet/internal/service"
)

// wireConversation is a Conversation.
type wireConversation struct {
	Entity         json.RawMessage      `json:"entity"`
	OrganizationID model.OrganizationID `json:"organization_id"`
	LastMessage    *wireMessage         `json:"last_message,omitempty"`
	Unread         int                  `json:"unread_count"`
	UnreadPriority int                  `json:"unread_priority_count"`
	Muted          bool                 `json:"muted"`
	SortNumber     int64                `json:"sort_number"`
}

// getConversations: GET /conversation (contract, section 7).
func (a *API) getConversations(ctx context.Context, c *call) (answer, error) {
	q := c.readQuery()
	command := service.ConversationsCommand{
		Organization: c.organization(),
		PageSize:     q.IntBetween("page_size", 1, maxPageSize, defaultPageSize),
		Continuation: q.Text("continuation"),
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	found, next, err := a.service.Conversations(ctx, c.actor, command)
	return listed(a, c, console.Page[service.Conversation]{Results: found, Continuation: next}, err, c.conversation)
}

// conversation shows a conversation, as the roster shows its entity.
func (v *view) conversation(f *service.Conversation) wireConversation {
	c := &f.Conversation
	w := wireConversation{
		Entity:         v.withFields(v.entity(f.Entity), map[string]any{"type": v.entityType(c.Group)}),
		OrganizationID: c.Organization, Unread: c.Unread, UnreadPriority: c.UnreadPriority, Muted: f.Muted,
	}
	if f.LastMessage != nil {
		m := v.message(f.LastMessage)
		w.LastMessage, w.SortNumber = &m, m.SortNumber
	}
	return w
}

// getHistory: GET /conversation/:entity/message (contract, section 7).
func (a *API) getHistory(ctx context.Context, c *call) (answer, error) {
	q := c.readQuery()
	command := service.HistoryCommand{
		Entity: c.path("entity"), Organization: c.organization(),
		Before: q.OptionalCount("before"), After: q.OptionalCount("after"),
		Limit: q.IntBetween("limit", 1, maxPageSize, defaultPageSize),
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	history, err := a.service.History(ctx, c.actor, command)
	if err != nil {
		return answer{}, err
	}
	a.charge(c, costOfHistory(history.Looked))
	return reply(c.appendedHistory(&history)), nil
}

// appendedHistory is a page of messages as an answer.
func (v *view) appendedHistory(h *service.History) appended {
	return appended{(len(h.Messages) + 1) * usualEvent, func(b []byte) ([]byte, error) {
		b = append(b, `{"results":[`...)
		for i := range h.Messages {
			if i > 0 {
				b = append(b, ',')
			}
			m := v.message(&h.Messages[i])
			b = m.appendJSON(b)
		}
		b = append(b, `],"metadata":{"more":`...)
		return append(strconv.AppendBool(b, h.More), "}}"...), nil
	}}
}

// readConversation: POST /conversation/:entity/read (contract, section 7).
func (a *API) readConversation(ctx context.Context, c *call) (answer, error) {
	upTo := c.body.OptionalCount("up_to")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	if upTo == nil {
		return answer{}, model.Invalidf("up_to_required", "up_to", "The field up_to is required.")
	}
	marked, err := a.service.ReadConversation(ctx, c.actor, c.path("entity"), c.organization(), *upTo)
	a.charge(c, costOfIDs(marked))
	return noContent(), err
}
