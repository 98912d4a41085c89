package cli

import (
	"context"
	"maps"
	"slices"

	"signet/client"
)

type metadataCommands struct {
	Show   metadataShowCommand   `cmd:"" help:"Show what is kept about a user or group." example:"signet metadata show ann@example.com"`
	Set    metadataSetCommand    `cmd:"" help:"Replace everything that is kept about a user or group." example:"signet metadata set ann@example.com pager=4711 ward=3"`
	Delete metadataDeleteCommand `cmd:"" help:"Remove everything that is kept about a user or group." example:"signet metadata delete ann@example.com"`
}

// keptAbout names what metadata is about.
type keptAbout struct {
	access
	within
	Entity string `arg:"" help:"User or group."`
}

type metadataShowCommand struct{ keptAbout }

func (m *metadataShowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	kept, err := c.In(m.Org).Metadata(ctx, m.Entity)
	return show(con, kept, err, func(kept client.Metadata) (lines []string) {
		for _, name := range slices.Sorted(maps.Keys(kept)) {
			lines = append(lines, cells(name, kept[name]))
		}
		return lines
	})
}

type metadataSetCommand struct {
	keptAbout
	Values map[string]string `arg:"" name:"NAME=VALUE" mapsep:"none" help:"What to keep: at most 11 names. What is not named is removed."`
}

func (m *metadataSetCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.In(m.Org).SetMetadata(ctx, m.Entity, client.Metadata(m.Values))
}

type metadataDeleteCommand struct{ keptAbout }

func (m *metadataDeleteCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.In(m.Org).DeleteMetadata(ctx, m.Entity)
}
