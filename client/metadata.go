package client

import "context"

// Metadata returns what the client's organization keeps about a user or group
// (GET /metadata/:entity); empty if nothing.
func (c *Client) Metadata(ctx context.Context, entity string) (Metadata, error) {
	m, err := fetch[Metadata](ctx, c, get("metadata", entity))
	if err != nil {
		return nil, err
	}
	return *m, nil
}

// SetMetadata replaces all that is kept about a user or group (POST
// /metadata/:entity).
func (c *Client) SetMetadata(ctx context.Context, entity string, m Metadata) error {
	if m == nil {
		m = Metadata{}
	}
	return c.run(ctx, post(m, "metadata", entity).harmless())
}

// DeleteMetadata removes all that is kept about a user or group (DELETE
// /metadata/:entity).
func (c *Client) DeleteMetadata(ctx context.Context, entity string) error {
	return c.run(ctx, remove("metadata", entity))
}

// MetadataOf returns what is kept about many entities, in their order, and an
// empty one where there is nothing (POST /metadata_bulk).
func (c *Client) MetadataOf(ctx context.Context, entities ...string) ([]Metadata, error) {
	return list[Metadata](ctx, c, post(map[string][]string{"entities": entities}, "metadata_bulk").harmless())
}
