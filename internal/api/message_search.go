package api

import (
	"context"

	"signet/internal/service"
)

// The size of a page of messages that were found (contract, section 7).
const (
	defaultFoundSize = 20
	maxFoundSize     = 100
)

// searchMessages: POST /conversation/search (contract, section 7).
func (a *API) searchMessages(ctx context.Context, c *call) (answer, error) {
	f := &c.body.Fields
	command := service.MessageSearchCommand{
		Text: f.Text("text"), Entity: f.Text("entity"), Sender: f.Text("sender"), Organization: c.organization(),
		Since: f.Time("since"), Until: f.Time("until"),
		PageSize:     f.IntBetween("page_size", 1, maxFoundSize, defaultFoundSize),
		Continuation: f.Text("continuation"),
	}
	switch f.Text("has") {
	case "":
	case "attachment":
		command.Attachment = true
	default:
		f.Wrong("has", "`attachment`, or left out")
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	found, err := a.service.SearchMessages(ctx, c.actor, command)
	a.charge(c, costOfFinding(found.Looked))
	if err != nil {
		return answer{}, err
	}
	return reply(c.FoundMessages(&found)), nil
}
