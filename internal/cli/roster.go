package cli

import (
	"context"
	"strconv"

	"signet/client"
)

// rosterCommands are about the caller's conversations.
type rosterCommands struct {
	List   rosterListCommand   `cmd:"" default:"withargs" help:"List the conversations, newest first."`
	Add    rosterAddCommand    `cmd:"" help:"Put a user or group into the roster."`
	Remove rosterRemoveCommand `cmd:"" help:"Take a conversation out of the roster."`
}

type rosterListCommand struct {
	access
	Metadata bool `help:"With the metadata of each, in JSON."`
}

// Help is printed by "signet roster list --help".
func (rosterListCommand) Help() string { return "Example:\n\n  signet roster" }

// Run lists the conversations.
func (r *rosterListCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	roster := c.Roster
	if r.Metadata {
		roster = c.RosterWithMetadata
	}
	entries, err := roster(ctx)
	if err != nil {
		return err
	}
	lines := []string{cells("TOKEN", "KIND", "NAME", "UNREAD", "LAST MESSAGE")}
	for _, e := range entries {
		lines = append(lines, cells(e.Token(), string(e.Kind), e.DisplayName(), strconv.Itoa(e.UnreadCount),
			moment(e.LastMessageTime)))
	}
	return r.show(con, entries, lines...)
}

// entityFlags say what a roster's entry is.
type entityFlags struct {
	Entity string `arg:"" help:"Token of the user or group."`
	Group  bool   `help:"It is a group."`
}

func (e entityFlags) kind() client.EntityKind {
	if e.Group {
		return client.KindGroup
	}
	return client.KindAccount
}

type rosterAddCommand struct {
	access
	within
	entityFlags
}

// Help is printed by "signet roster add --help".
func (rosterAddCommand) Help() string {
	return "Example:\n\n  signet roster add 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"
}

// Run adds the entry.
func (r *rosterAddCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.In(r.Org).AddToRoster(ctx, r.Entity, r.kind())
}

type rosterRemoveCommand struct {
	access
	within
	entityFlags
}

// Help is printed by "signet roster remove --help".
func (rosterRemoveCommand) Help() string {
	return "With a user, the caller's copies of its messages are gone; with a group, the caller leaves " +
		"it.\n\nExample:\n\n  signet roster remove 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60 --group"
}

// Run removes the entry.
func (r *rosterRemoveCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.In(r.Org).RemoveFromRoster(ctx, r.Entity, r.kind())
}
