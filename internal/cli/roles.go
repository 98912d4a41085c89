package cli

import (
	"context"

	"signet/client"
)

// rolesCommands are about the roles of people in organizations.
type rolesCommands struct {
	List   rolesListCommand   `cmd:"" default:"withargs" help:"List the roles of an account."`
	Grant  rolesGrantCommand  `cmd:"" help:"Give an account a role, or ask for it."`
	Revoke rolesRevokeCommand `cmd:"" help:"Take a role away, or refuse a request for it."`
}

// membership names an account in an organization.
type membership struct {
	User string `arg:"" help:"Account, by token, e-mail, phone or username; me is the caller's."`
	Org  string `required:"" placeholder:"TOKEN" help:"Organization."`
}

type rolesListCommand struct {
	access
	membership
}

// Help is printed by "signet roles list --help".
func (rolesListCommand) Help() string {
	return "Example:\n\n  signet roles ann@example.com --org Hq3nVt0cXz8Lw2RbKd5mYp7A"
}

// Run lists the roles.
func (r *rolesListCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	all, err := c.Roles(ctx, r.User, r.Org)
	if err != nil {
		return err
	}
	var lines []string
	for _, o := range all {
		for _, role := range o.Roles {
			lines = append(lines, cells(o.OrganizationID, role))
		}
	}
	return r.show(con, all, lines...)
}

// roleArgument is the role itself.
type roleArgument struct {
	Role string `arg:"" help:"Role: admin, help_desk, reporting, or another name of letters, digits and underscores."`
}

type rolesGrantCommand struct {
	access
	membership
	roleArgument
}

// Help is printed by "signet roles grant --help".
func (rolesGrantCommand) Help() string {
	return `It prints "granted", or "pending" where an administrator of the organization has to approve: then the
administrator grants the same role.

Example:

  signet roles grant ann@example.com ` + client.RoleAdmin + ` --org Hq3nVt0cXz8Lw2RbKd5mYp7A`
}

// Run grants the role.
func (r *rolesGrantCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	pending, err := c.GrantRole(ctx, r.User, r.Org, r.Role)
	if err != nil {
		return err
	}
	state := "granted"
	if pending {
		state = "pending"
	}
	return r.show(con, map[string]string{"state": state}, state)
}

type rolesRevokeCommand struct {
	access
	membership
	roleArgument
}

// Help is printed by "signet roles revoke --help".
func (rolesRevokeCommand) Help() string {
	return "Example:\n\n  signet roles revoke ann@example.com help_desk --org Hq3nVt0cXz8Lw2RbKd5mYp7A"
}

// Run takes the role away.
func (r *rolesRevokeCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.RevokeRole(ctx, r.User, r.Org, r.Role)
}
