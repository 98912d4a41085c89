package api

import (
	"context"

	"signet/internal/model"
	"signet/internal/overview"
	"signet/internal/service"
)

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
	return listed(a, c, overview.Page[service.Conversation]{Results: found, Continuation: next}, err, c.Conversation)
}

// getHistory: GET /conversation/:entity/message (contract, section 7).
func (a *API) getHistory(ctx context.Context, c *call) (answer, error) {
	q := c.readQuery()
	command := service.HistoryCommand{
		Entity: c.path("entity"), Organization: c.organization(),
		Before: q.OptionalCount("before"), After: q.OptionalCount("after"),
		Limit: q.IntBetween("limit", 1, maxPageSize, defaultPageSize),
		Notes: q.Bool("notes"),
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	history, err := a.service.History(ctx, c.actor, command)
	if err != nil {
		return answer{}, err
	}
	a.charge(c, costOfHistory(history.Looked))
	return reply(c.HistoryText(&history)), nil
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
