package api

import (
	"context"

	"signet/internal/model"
	"signet/internal/people"
)

// rendersMetadata reports whether entities are wanted with their metadata.
func (c *call) rendersMetadata() bool { return c.readQuery().Bool("render_metadata") }

// getSelf: GET /user: the caller's own account.
func (a *API) getSelf(ctx context.Context, c *call) (answer, error) { return a.showUser(ctx, c, "me") }

// getUser: GET /user/:user (call 4).
func (a *API) getUser(ctx context.Context, c *call) (answer, error) {
	return a.showUser(ctx, c, c.path("user"))
}

func (a *API) showUser(ctx context.Context, c *call, address string) (answer, error) {
	withMetadata, organization := c.rendersMetadata(), c.organization()
	if err := c.err(); err != nil {
		return answer{}, err
	}
	e, err := a.people.User(ctx, c.actor, address, organization)
	if err != nil {
		return answer{}, err
	}
	u := c.User(e)
	if withMetadata {
		shown := firstOrganization(organization, e.Organization)
		if u.Metadata, err = a.metadataOf(ctx, c, model.EntityID(e.Account.ID), shown); err != nil {
			return answer{}, err
		}
	}
	return reply(u), nil
}

func firstOrganization(named, shown model.OrganizationID) model.OrganizationID {
	if named != "" {
		return named
	}
	return shown
}

// lookupUser: GET /user_lookup/:user (call 27).
func (a *API) lookupUser(ctx context.Context, c *call) (answer, error) {
	e, err := a.people.LookupUser(ctx, c.actor, c.path("user"), c.organization())
	if err != nil {
		return answer{}, err
	}
	return reply(c.User(e)), nil
}

// updateSettings: POST /user/:user/settings.
func (a *API) updateSettings(ctx context.Context, c *call) (answer, error) {
	f := &c.body.Fields
	command := people.ProfileCommand{
		FirstName:   f.OptionalText("first_name"),
		LastName:    f.OptionalText("last_name"),
		DisplayName: f.OptionalText("display_name"),
		Status:      f.OptionalText("status"),
		DND:         f.OptionalBool("dnd"),
		DNDText:     f.OptionalText("dnd_text"),
	}
	command.Avatar, command.AvatarURL = c.avatar()
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.people.UpdateProfile(ctx, c.actor, c.path("user"), command)
}

// setPassword: POST /user/:user/password.
func (a *API) setPassword(ctx context.Context, c *call) (answer, error) {
	old, password := c.body.Text("old_password"), c.body.RequiredText("password")
	organization := organizationField(&c.body.Fields, "organization")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.guardPassword(c, old, func() error {
		return a.access.SetPassword(ctx, c.actor, c.path("user"), old, password, organization)
	})
}

// setDisabled: POST /user/:user/disable and /user/:user/enable.
func (a *API) setDisabled(disabled bool) handler {
	return func(ctx context.Context, c *call) (answer, error) {
		return noContent(), a.access.SetDisabled(ctx, c.actor, c.path("user"), disabled)
	}
}
