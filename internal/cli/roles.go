package cli

import (
	"context"

	"signet/client"
)

type rolesCommands struct {
	List   rolesListCommand   `cmd:"" default:"withargs" help:"List the roles of an account." example:"signet roles ann@example.com --org Hq3nVt0cXz8Lw2RbKd5mYp7A"`
	Grant  rolesGrantCommand  `cmd:"" help:"Give an account a role, or ask for it."`
	Revoke rolesRevokeCommand `cmd:"" help:"Take a role away, or refuse a request for it." example:"signet roles revoke ann@example.com help_desk --org Hq3nVt0cXz8Lw2RbKd5mYp7A"`
}

// membership names an account in an organization.
type membership struct {
	access
	User string `arg:"" help:"Account, by token, e-mail, phone or username; me is the caller's."`
	Org  string `required:"" placeholder:"TOKEN" help:"Organization."`
}

type rolesListCommand struct{ membership }

func (r *rolesListCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	all, err := c.Roles(ctx, r.User, r.Org)
	return show(con, all, err, func(all []client.OrganizationRoles) (lines []string) {
		for _, o := range all {
			for _, role := range o.Roles {
				lines = append(lines, cells(o.OrganizationID, role))
			}
		}
		return lines
	})
}

// roleArgument is the role itself.
type roleArgument struct {
	Role string `arg:"" help:"Role: admin, help_desk, reporting, or another name of letters, digits and underscores."`
}

type rolesGrantCommand struct {
	membership
	roleArgument
}

func (rolesGrantCommand) Help() string {
	return `It prints "granted", or "pending" if an administrator of the organization has to approve: the
administrator does this by granting the same role.

Example:

  signet roles grant ann@example.com ` + client.RoleAdmin + ` --org Hq3nVt0cXz8Lw2RbKd5mYp7A`
}

func (r *rolesGrantCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	pending, err := c.GrantRole(ctx, r.User, r.Org, r.Role)
	state := "granted"
	if pending {
		state = "pending"
	}
	return show(con, map[string]string{"state": state}, err,
		func(map[string]string) []string { return []string{state} })
}

type rolesRevokeCommand struct {
	membership
	roleArgument
}

func (r *rolesRevokeCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.RevokeRole(ctx, r.User, r.Org, r.Role)
}
