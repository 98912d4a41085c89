package cli

import (
	"context"
	"strconv"

	"signet/client"
)

type rosterCommands struct {
	List   rosterListCommand   `cmd:"" default:"withargs" help:"List the conversations, newest first." example:"signet roster"`
	Add    rosterAddCommand    `cmd:"" help:"Put a user or group into the roster." example:"signet roster add 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"`
	Remove rosterRemoveCommand `cmd:"" help:"Take a conversation out of the roster." note:"With a user, the caller's copies of its messages are gone; with a group, the caller leaves it." example:"signet roster remove 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60 --group"`
}

type rosterListCommand struct {
	access
	Metadata bool `help:"Also print the metadata of each, in JSON."`
}

func (r *rosterListCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	roster := c.Roster
	if r.Metadata {
		roster = c.RosterWithMetadata
	}
	entries, err := roster(ctx)
	head := cells("TOKEN", "KIND", "NAME", "UNREAD", "LAST MESSAGE")
	return table(con, entries, err, head, func(e client.RosterEntry) string {
		return cells(e.Token(), string(e.Kind), e.DisplayName(), strconv.Itoa(e.UnreadCount), moment(e.LastMessageTime))
	})
}

// rosterEntry names an entry of the roster.
type rosterEntry struct {
	access
	within
	Entity string `arg:"" help:"Token of the user or group."`
	Group  bool   `help:"It is a group."`
}

func (e rosterEntry) kind() client.EntityKind {
	if e.Group {
		return client.KindGroup
	}
	return client.KindAccount
}

type rosterAddCommand struct{ rosterEntry }

func (r *rosterAddCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.In(r.Org).AddToRoster(ctx, r.Entity, r.kind())
}

type rosterRemoveCommand struct{ rosterEntry }

func (r *rosterRemoveCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.In(r.Org).RemoveFromRoster(ctx, r.Entity, r.kind())
}
