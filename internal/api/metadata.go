package api

import (
	"context"
	"strings"

	"signet/internal/model"
)

// metadataOf returns an entity's metadata for an answer that shows the entity: an
// empty object where there is none, or where no organization of several is named.
func (a *API) metadataOf(
	ctx context.Context, c *call, entity model.EntityID, organization model.OrganizationID,
) (map[string]string, error) {
	if organization == "" {
		return map[string]string{}, nil
	}
	found, err := a.service.MetadataOf(ctx, c.actor, []string{entity.String()}, organization)
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// getMetadata: GET /metadata/:entity (call 19).
func (a *API) getMetadata(ctx context.Context, c *call) (answer, error) {
	m, err := a.service.Metadata(ctx, c.actor, c.path("entity"), c.organization())
	if err != nil {
		return answer{}, err
	}
	return reply(m), nil
}

// setMetadata: POST /metadata/:entity (call 20). The body itself is the object.
func (a *API) setMetadata(ctx context.Context, c *call) (answer, error) {
	if !c.body.Sent {
		return answer{}, model.Invalidf("metadata_required", "", "The body has to be the object that the metadata is to be.")
	}
	m := map[string]string{}
	for _, name := range c.body.Names() {
		if strings.EqualFold(name, a.vendor.organizationKey) || !c.body.Storable(name, name) {
			continue
		}
		m[name] = c.body.Text(name)
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.service.SetMetadata(ctx, c.actor, c.path("entity"), c.organization(), m)
}

// deleteMetadata: DELETE /metadata/:entity.
func (a *API) deleteMetadata(ctx context.Context, c *call) (answer, error) {
	return noContent(), a.service.SetMetadata(ctx, c.actor, c.path("entity"), c.organization(), nil)
}

// getMetadataBulk: POST /metadata_bulk.
func (a *API) getMetadataBulk(ctx context.Context, c *call) (answer, error) {
	entities := c.body.List("entities")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	if entities == nil {
		return answer{}, model.Invalidf("entities_required", "entities", "Entities are required.")
	}
	const most = 1000
	if len(entities) > most {
		return answer{}, model.Invalidf("too_many_entities", "entities", "At most %d entities are taken at a time.", most)
	}
	a.charge(c, costOfIDs(len(entities)))
	l, organization := a.list(ctx, c, "["), c.organization()
	return a.endList(c, l, "]", l.Chunked(len(entities), func(from, to int) error {
		found, err := a.service.MetadataOf(ctx, c.actor, entities[from:to], organization)
		for i := 0; i < len(found) && err == nil; i++ {
			err = l.Add(found[i])
		}
		return err
	}))
}
