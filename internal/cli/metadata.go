package cli

import (
	"context"
	"maps"
	"slices"

	"signet/client"
)

// metadataCommands are about what an organization keeps about users and groups.
type metadataCommands struct {
	Show   metadataShowCommand   `cmd:"" help:"Show what is kept about a user or group."`
	Set    metadataSetCommand    `cmd:"" help:"Replace all that is kept about a user or group."`
	Delete metadataDeleteCommand `cmd:"" help:"Remove all that is kept about a user or group."`
}

type metadataShowCommand struct {
	access
	within
	Entity string `arg:"" help:"User or group."`
}

// Help is printed by "signet metadata show --help".
func (metadataShowCommand) Help() string {
	return "Example:\n\n  signet metadata show ann@example.com"
}

// Run shows the metadata.
func (m *metadataShowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	kept, err := c.In(m.Org).Metadata(ctx, m.Entity)
	if err != nil {
		return err
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		lines = append(lines, cells(name, kept[name]))
	}
	return m.show(con, kept, lines...)
}

type metadataSetCommand struct {
	access
	within
	Entity string            `arg:"" help:"User or group."`
	Values map[string]string `arg:"" name:"NAME=VALUE" mapsep:"none" help:"What to keep: at most 11 names. What is not named is removed."`
}

// Help is printed by "signet metadata set --help".
func (metadataSetCommand) Help() string {
	return "Example:\n\n  signet metadata set ann@example.com pager=4711 ward=3"
}

// Run replaces the metadata.
func (m *metadataSetCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.In(m.Org).SetMetadata(ctx, m.Entity, client.Metadata(m.Values))
}

type metadataDeleteCommand struct {
	access
	within
	Entity string `arg:"" help:"User or group."`
}

// Help is printed by "signet metadata delete --help".
func (metadataDeleteCommand) Help() string {
	return "Example:\n\n  signet metadata delete ann@example.com"
}

// Run removes the metadata.
func (m *metadataDeleteCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.In(m.Org).DeleteMetadata(ctx, m.Entity)
}
