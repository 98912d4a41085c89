package api

import (
	"context"

	"signet/internal/api/wire"
	"signet/internal/model"
)

// getMutes: GET /mute.
func (a *API) getMutes(ctx context.Context, c *call) (answer, error) {
	mutes, err := a.service.Mutes(ctx, c.actor)
	if err != nil {
		return answer{}, err
	}
	out := make([]wire.Mute, len(mutes))
	for i := range mutes {
		out[i] = wire.ShownMute(&mutes[i])
	}
	return reply(out), nil
}

// muted reads what a mute is about: an address, or, for an organization, none.
func (c *call) muted() (address string, organization model.OrganizationID) {
	f := &c.body.Fields
	organization = organizationField(f, "receiver_organization")
	for _, other := range []model.OrganizationID{organizationField(f, "sender_organization"), c.organization()} {
		if organization == "" {
			organization = other
		}
	}
	switch {
	case c.path("group") != "":
		return c.path("group"), organization
	case c.path("organization") != "":
		return "", c.organizationPath()
	default:
		return f.RequiredText("sender_token"), organization
	}
}

// startMute: POST /mute/p2p, /mute/group/:group, /mute/organization/:organization.
func (a *API) startMute(ctx context.Context, c *call) (answer, error) {
	address, organization := c.muted()
	minutes := c.body.Int("duration")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.service.Mute(ctx, c.actor, address, organization, minutes)
}

// stopMute: DELETE of the same.
func (a *API) stopMute(ctx context.Context, c *call) (answer, error) {
	address, organization := c.muted()
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.service.Unmute(ctx, c.actor, address, organization)
}

// stopAllMutes: DELETE /mute.
func (a *API) stopAllMutes(ctx context.Context, c *call) (answer, error) {
	return noContent(), a.service.UnmuteAll(ctx, c.actor)
}
