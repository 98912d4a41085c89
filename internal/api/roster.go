package api

import (
	"context"

	"signet/internal/api/wire"
	"signet/internal/model"
	"signet/internal/service"
)

// rosterEntry shows a conversation: the entity's own fields, and what the
// conversation adds.
func (c *call) rosterEntry(e *service.RosterEntry) any {
	conversation := &e.Conversation
	more := map[string]any{
		"type":              c.EntityType(conversation.Group),
		"organization_key":  conversation.Organization,
		"organization_id":   conversation.Organization,
		"last_message_time": nil,
		"unread_count":      conversation.Unread,
		"muted":             e.Muted,
	}
	if !conversation.LastMessage.IsZero() {
		more["last_message_time"] = wire.Time(conversation.LastMessage)
	}
	if e.Metadata != nil {
		more["metadata"] = e.Metadata
	}
	if e.Entity.Group != nil {
		w := c.Group(e.Entity.Group)
		w.OrganizationKey = ""
		return c.WithFields(rosterGroup{Group: w}, more)
	}
	w := c.User(e.Entity)
	w.OrganizationKey = ""
	return c.WithFields(w, more)
}

// rosterGroup is a group without its organization key, which the entry has itself.
type rosterGroup struct {
	wire.Group
	OrganizationKey model.OrganizationID `json:"organization_key,omitempty"`
}

// getRoster: GET /roster (call 21).
func (a *API) getRoster(ctx context.Context, c *call) (answer, error) {
	withMetadata := c.rendersMetadata()
	if err := c.err(); err != nil {
		return answer{}, err
	}
	entries, err := a.service.Roster(ctx, c.actor)
	if err != nil {
		return answer{}, err
	}
	l := a.list(ctx, c, "[")
	return a.endList(c, l, "]", l.Chunked(len(entries), func(from, to int) (err error) {
		part := entries[from:to]
		if withMetadata {
			err = a.service.DescribeRoster(ctx, c.actor, part)
		}
		for i := 0; i < len(part) && err == nil; i++ {
			if err = a.service.NameMembers(ctx, c.actor, &part[i]); err == nil {
				err = l.Add(c.rosterEntry(&part[i]))
			}
			part[i] = service.RosterEntry{} // so that what was written is not kept
		}
		return err
	}))
}

// addToRoster: POST /roster (call 22).
func (a *API) addToRoster(ctx context.Context, c *call) (answer, error) {
	entity := c.body.RequiredText("entity")
	c.body.Text("type") // its token tells which it is: a client may know more types than there are here
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.service.AddToRoster(ctx, c.actor, entity, c.organization())
}

// removeFromRoster: DELETE /roster/:entity (call 23). Whether it is a person or a
// group the token itself tells; the type that clients send along is not needed.
func (a *API) removeFromRoster(ctx context.Context, c *call) (answer, error) {
	c.body.Text("type")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.service.RemoveFromRoster(ctx, c.actor, c.path("entity"), c.organization())
}

// getUnread: GET /user/:user/message/unread_count (call 25).
func (a *API) getUnread(ctx context.Context, c *call) (answer, error) {
	unread, err := a.service.Unread(ctx, c.actor, c.path("user"))
	if err != nil {
		return answer{}, err
	}
	return reply(wire.Unread(unread)), nil
}

// getUnreadIn: GET /user/:user/organization/:organization/message/unread_count (call 26).
func (a *API) getUnreadIn(ctx context.Context, c *call) (answer, error) {
	unread, err := a.service.UnreadIn(ctx, c.actor, c.path("user"), c.organizationPath())
	if err != nil {
		return answer{}, err
	}
	return reply(wire.Unread(unread)), nil
}
