package api

import (
	"context"
	"encoding/json"
	"strings"

	"signet/internal/api/input"
	"signet/internal/api/wire"
	"signet/internal/model"
	"signet/internal/people"
)

// organizationPath reads the organization that a path names.
func (c *call) organizationPath() model.OrganizationID {
	return model.OrganizationID(c.path("organization"))
}

// createOrganization: POST /organization (call 34).
func (a *API) createOrganization(ctx context.Context, c *call) (answer, error) {
	command, err := a.organizationCommand(c)
	if err != nil {
		return answer{}, err
	}
	id, err := a.people.CreateOrganization(ctx, c.actor, command)
	if err != nil {
		return answer{}, err
	}
	return noContent(header{a.vendor.organizationKey, string(id)}), nil
}

// updateOrganization: POST /organization/:organization (call 35).
func (a *API) updateOrganization(ctx context.Context, c *call) (answer, error) {
	command, err := a.organizationCommand(c)
	if err != nil {
		return answer{}, err
	}
	return noContent(), a.people.UpdateOrganization(ctx, c.actor, c.organizationPath(), command)
}

// getOrganization: GET /organization/:organization (call 36).
func (a *API) getOrganization(ctx context.Context, c *call) (answer, error) {
	o, err := a.people.Organization(ctx, c.actor, c.organizationPath())
	if err != nil {
		return answer{}, err
	}
	return reply(wireAdministered{wire.ShownOrganization(o.Organization), o.Requests}), nil
}

// wireAdministered is an Organization as its administrators see it.
type wireAdministered struct {
	wire.Organization
	Requests int `json:"requests"`
}

// deleteOrganization: DELETE /organization/:organization.
func (a *API) deleteOrganization(ctx context.Context, c *call) (answer, error) {
	name := c.body.RequiredText("name")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.people.DeleteOrganization(ctx, c.actor, people.DeleteCommand{Organization: c.organizationPath(),
		Name: name})
}

// setHold: POST /organization/:organization/hold.
func (a *API) setHold(ctx context.Context, c *call) (answer, error) {
	return noContent(), a.people.SetHold(ctx, c.actor, c.organizationPath(), true)
}

// releaseHold: DELETE /organization/:organization/hold.
func (a *API) releaseHold(ctx context.Context, c *call) (answer, error) {
	return noContent(), a.people.SetHold(ctx, c.actor, c.organizationPath(), false)
}

// getUserOrganizations: GET /user/:user/organization.
func (a *API) getUserOrganizations(ctx context.Context, c *call) (answer, error) {
	found, err := a.people.OrganizationsOf(ctx, c.actor, c.path("user"))
	if err != nil {
		return answer{}, err
	}
	return replyEach(ctx, a, c, "[", "]", found, func(o model.Organization) any { return wire.ShownOrganization(o) })
}

// getUserOrganization: GET /user/:user/organization/:organization.
func (a *API) getUserOrganization(ctx context.Context, c *call) (answer, error) {
	o, err := a.people.OrganizationOf(ctx, c.actor, c.path("user"), c.organizationPath())
	if err != nil {
		return answer{}, err
	}
	return reply(wire.ShownOrganization(o)), nil
}

// addMember: POST /user/:user/organization (call 29).
func (a *API) addMember(ctx context.Context, c *call) (answer, error) {
	f := &c.body.Fields
	named := organizationField(f, "organization")
	if named == "" {
		named = c.organization()
	}
	title, department := f.OptionalText("title"), f.OptionalText("department")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	pending, err := a.people.AddMember(ctx, c.actor, c.path("user"), named, title, department)
	if err != nil {
		return answer{}, err
	}
	return granted(pending), nil
}

// removeMember: DELETE /user/:user/organization/:organization (call 30).
func (a *API) removeMember(ctx context.Context, c *call) (answer, error) {
	return noContent(), a.people.RemoveMember(ctx, c.actor, c.path("user"), c.organizationPath())
}

type wireRolesIn struct {
	OrganizationID model.OrganizationID `json:"organization_id"`
	Roles          []string             `json:"roles"`
	PendingRoles   []string             `json:"pending_roles,omitempty"`
}

type wireRoles struct {
	Organization wireRolesIn `json:"organization"`
}

// getRoles: GET /user/:user/organization/:organization/roles (call 31).
func (a *API) getRoles(ctx context.Context, c *call) (answer, error) {
	found, err := a.people.Roles(ctx, c.actor, c.path("user"), c.organizationPath())
	if err != nil {
		return answer{}, err
	}
	out := make([]wireRoles, len(found))
	for i, r := range found {
		roles := r.Roles
		if roles == nil {
			roles = []string{}
		}
		out[i] = wireRoles{wireRolesIn{r.Organization, roles, r.Pending}}
	}
	return reply(map[string]any{"roles": out}), nil
}

// grantRole: POST /user/:user/organization/:organization/roles/:role (call 32).
func (a *API) grantRole(ctx context.Context, c *call) (answer, error) {
	pending, err := a.people.GrantRole(ctx, c.actor, c.path("user"), c.organizationPath(), c.path("role"))
	if err != nil {
		return answer{}, err
	}
	return granted(pending), nil
}

// granted says that something was granted, or waits for that.
func granted(pending bool) answer {
	if pending {
		return reply(map[string]string{"state": "pending"})
	}
	return noContent()
}

// revokeRole: DELETE /user/:user/organization/:organization/roles/:role (call 33).
func (a *API) revokeRole(ctx context.Context, c *call) (answer, error) {
	return noContent(), a.people.RevokeRole(ctx, c.actor, c.path("user"), c.organizationPath(), c.path("role"))
}

// aboutSelf lets a regular key ask for the roles of its own account, take it out of an
// organization, and agree to join one.
func (a *API) aboutSelf(ctx context.Context, c *call) bool {
	return a.access.IsSelf(ctx, c.actor, c.path("user"))
}

// asksForAdmin lets a regular key ask for the role admin for its own account.
func (a *API) asksForAdmin(ctx context.Context, c *call) bool {
	return c.path("role") == model.RoleAdmin && a.aboutSelf(ctx, c)
}

// organizationCommand reads a name and settings, in snake_case or camelCase. Any
// other field is a setting that is kept as given.
func (a *API) organizationCommand(c *call) (people.OrganizationCommand, error) {
	f := &c.body.Fields
	var out people.OrganizationCommand
	s := &out.Settings
	s.Other = map[string]json.RawMessage{}
	numbers, switches, words := s.Numbers(), s.Switches(), s.Words()
	known := map[string]bool{}
	for _, given := range f.Names() {
		name := input.SnakeCase(given)
		if known[name] {
			f.RefuseRepeated(given)
		}
		known[name] = true
		switch name {
		case "name":
			out.Name = f.OptionalText(given)
		case "token", "members", "pending", "paid", "settings", "legal_hold", "requests":
			// What an Organization shows of itself is no setting: a client may send back
			// all that it was shown.
		default:
			if number := numbers[name]; number != nil {
				*number = f.OptionalInt(given)
				continue
			}
			if on := switches[name]; on != nil {
				*on = f.OptionalBool(given)
				continue
			}
			if word := words[name]; word != nil {
				*word = f.OptionalText(given)
				continue
			}
			known[name] = false // `a_b` and `aB` are two
			if strings.EqualFold(given, a.vendor.organizationKey) || !f.Storable(given, given) {
				continue
			}
			if value := f.Scalar(given); value != nil {
				s.Other[given] = value
			}
		}
	}
	if err := c.err(); err != nil {
		return out, err
	}
	if s.RequiresSecondFactor() && a.party == nil {
		refused := a.noPasskeys()
		refused.Kind, refused.Field = model.Invalid, "second_factor" // nobody could sign in any more
		return out, refused
	}
	return out, nil
}
