package client

import (
	"context"
	"net/http"
)

// RoleAdmin is the role that makes a member an administrator.
const RoleAdmin = "admin"

// OrganizationRoles are the roles of a user in one organization.
type OrganizationRoles struct {
	OrganizationID string   `json:"organization_id"`
	Roles          []string `json:"roles"`
	PendingRoles   []string `json:"pending_roles,omitempty"` // that the user asks for
}

// Roles returns the roles of a user in an organization (GET .../roles).
func (c *Client) Roles(ctx context.Context, user, organization string) ([]OrganizationRoles, error) {
	var out struct {
		Roles []struct {
			Organization OrganizationRoles `json:"organization"`
		} `json:"roles"`
	}
	if _, err := c.do(ctx, get("user", user, "organization", organization, "roles"), &out); err != nil {
		return nil, err
	}
	roles := make([]OrganizationRoles, len(out.Roles))
	for i, r := range out.Roles {
		roles[i] = r.Organization
	}
	return roles, nil
}

// GrantRole gives a user a role (POST .../roles/:role). Asking for admin for
// oneself waits for an administrator: then pending is true.
func (c *Client) GrantRole(ctx context.Context, user, organization, role string) (pending bool, err error) {
	return c.grant(ctx, post(nil, "user", user, "organization", organization, "roles", role).harmless())
}

// grant makes a call that may have to wait until it is agreed to: then pending is true.
func (c *Client) grant(ctx context.Context, r *request) (pending bool, err error) {
	var out struct {
		State string `json:"state"`
	}
	r.ok = []int{http.StatusNoContent}
	_, err = c.do(ctx, r, &out)
	return out.State == "pending", err
}

// RevokeRole takes a role away, or refuses a request for it (DELETE .../roles/:role).
func (c *Client) RevokeRole(ctx context.Context, user, organization, role string) error {
	return c.run(ctx, remove("user", user, "organization", organization, "roles", role))
}
