package cli

import (
	"context"
	"fmt"
	"strings"

	"signet/internal/config"
	"signet/internal/model"
	"signet/internal/offline"
)

type accountCommands struct {
	Addresses accountAddressesCommand `cmd:"" help:"List addresses that are stored in a form that is no longer used."`
	Erase     accountEraseCommand     `cmd:"" help:"Remove every trace of an account from the server's data."`
}

type accountEraseCommand struct {
	dataFlags
	erasure
	LastAdministrator bool `help:"Erase it even if it is the last administrator of an organization, which then has none."`

	Region  string `default:"US" env:"SIGNET_DEFAULT_REGION" placeholder:"REGION" help:"Country of telephone numbers without +, as in the server's settings (default US)."`
	Account string `arg:"" help:"Account, by token, e-mail, phone or username."`
}

func (accountEraseCommand) Help() string {
	return `For those who run the server, whether or not it is running. What the account sent is gone for all
readers, and so is what was sent only to it. Entries of the audit log stay. The last administrator of an
organization is not erased without --last-administrator. If the erasure was interrupted, a server continues it,
or this command does when it is run again with the token that it prints first.

It says what would be erased and asks for the account's display name, or takes it from --confirm.

Examples:

  signet account erase ann@example.com --data /var/lib/signet --dry-run
  signet account erase ann@example.com --data /var/lib/signet --confirm "Ann Miller"`
}

func (a *accountEraseCommand) Run(ctx context.Context, con *console) error {
	doomed, err := offline.CountAccount(ctx, a.Data, a.Database, a.Region, a.Account)
	if err == nil && len(doomed.LastOf) > 0 && !a.LastAdministrator {
		err = lastAdministrator(doomed.LastOf)
	}
	if yes, err := a.confirmed(con, "account", doomed, err); err != nil || !yes {
		return err
	}
	con.printf("Erasing account %s\n", doomed.Token)
	if err := offline.EraseAccount(ctx, a.Data, a.Database, a.Region, doomed.Token, a.LastAdministrator); err != nil {
		return err
	}
	return con.erased(doomed)
}

// lastAdministrator says what to do where organizations would have no administrator.
func lastAdministrator(of []model.OrganizationID) error {
	names := make([]string, len(of))
	for i, organization := range of {
		names[i] = string(organization)
	}
	return fmt.Errorf("it is the last administrator of %s: give another member the role first (`signet roles grant "+
		"ACCOUNT admin --org %s`), or erase it with --last-administrator, and an operator gives the role to somebody "+
		"later", strings.Join(names, ", "), names[0])
}

type userEraseCommand struct {
	dataFlags
	confirmation
	Region string `default:"US" env:"SIGNET_DEFAULT_REGION" placeholder:"REGION" help:"Country of telephone numbers without +, if no server answers (default US)."`
	User   string `arg:"" help:"Account, by token, e-mail, phone or username."`
}

func (userEraseCommand) Help() string {
	return `It asks the server, with the key of an operator or of an administrator of the organization that created
the account, as long as the account is in no other. The account is gone at once, and the server then erases what
it left behind. If SIGNET_URL is not set and no server answers, it does what "signet account erase" does, in the
data directory or the database. Entries of the audit log stay. The last administrator of an organization is not
erased.

It asks for the account's display name, or takes it from --confirm.

Example:

  signet user erase ann@example.com --confirm "Ann Miller"`
}

func (u *userEraseCommand) Run(ctx context.Context, con *console) error {
	c, err := u.server(ctx, con)
	if err != nil {
		return err
	}
	if c == nil {
		offline := accountEraseCommand{dataFlags: u.dataFlags, Region: u.Region, Account: u.User}
		offline.confirmation = u.confirmation
		return offline.Run(ctx, con)
	}
	user, err := c.User(ctx, u.User)
	if err != nil {
		return err
	}
	if err := u.confirm(con, "account", offline.Doomed{Token: user.Token, Name: user.DisplayName}); err != nil {
		return err
	}
	name := user.Username // which the call wants repeated, or an address of who has none
	switch {
	case name != "":
	case len(user.Emails) > 0:
		name = user.Emails[0].Address
	case len(user.Phones) > 0:
		name = user.Phones[0].Number
	}
	return c.EraseUser(ctx, user.Token, name)
}

// erased prints what an erasure has removed.
func (c *console) erased(d offline.Doomed) error { return c.lines(counted(d.Rows)...) }

type orgEraseCommand struct {
	keysFlags
	erasure
	KeepAccounts bool   `help:"Keep the accounts that it created and that are in no other organization."`
	Organization string `arg:"" help:"Token of the organization."`
}

func (orgEraseCommand) Help() string {
	return "For those who run the server, whether or not it is running. Entries of the audit log stay. If it was " +
		"interrupted, a server continues it, or " +
		"this command does when it is run again. It says what would be erased and asks for the organization's name, " +
		"or takes it from --confirm.\n\n" +
		"Examples:\n\n  signet organization erase Hq3nVt0cXz8Lw2RbKd5mYp7A --data /var/lib/signet --dry-run\n  signet " +
		"organization erase Hq3nVt0cXz8Lw2RbKd5mYp7A --data /var/lib/signet --confirm \"Ward 3\""
}

func (o *orgEraseCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	doomed, err := offline.CountOrganization(ctx, cfg.Data, cfg.Database, o.Organization, o.KeepAccounts)
	if yes, err := o.confirmed(con, "organization", doomed, err); err != nil || !yes {
		return err
	}
	if err := offline.EraseOrganization(ctx, cfg, o.Organization, o.KeepAccounts); err != nil {
		return err
	}
	return con.erased(doomed)
}

type orgHoldCommand struct {
	dataFlags
	Organization string `arg:"" help:"Token of the organization."`
}

func (orgHoldCommand) Help() string {
	return "For those who run the server, whether or not it is running. Readers notice nothing, but nothing of what its " +
		"messages say is erased until `signet organization release`.\n\nExample:\n\n  signet organization hold " +
		"Hq3nVt0cXz8Lw2RbKd5mYp7A --data /var/lib/signet"
}

func (o *orgHoldCommand) Run(ctx context.Context, con *console) error {
	return offline.HoldOrganization(ctx, o.Data, o.Database, o.Organization, true)
}

type orgReleaseCommand struct {
	dataFlags
	erasure
	Organization string `arg:"" help:"Token of the organization."`
}

func (orgReleaseCommand) Help() string {
	return "For those who run the server, whether or not it is running. The server's next sweep erases what only the " +
		"hold keeps. The command first counts it, and asks for the organization's name, or takes it from --confirm." +
		"\n\nExample:\n\n  signet organization release Hq3nVt0cXz8Lw2RbKd5mYp7A --data /var/lib/signet --confirm \"Ward 3\""
}

func (o *orgReleaseCommand) Run(ctx context.Context, con *console) error {
	doomed, err := offline.CountHeld(ctx, o.Data, o.Database, o.Organization)
	if yes, err := o.confirmed(con, "organization", doomed, err); err != nil || !yes {
		return err
	}
	return offline.HoldOrganization(ctx, o.Data, o.Database, o.Organization, false)
}

type orgExportCommand struct {
	keysFlags
	Held         bool   `required:"" help:"Export what a legal hold keeps: required, because there is no other export."`
	Organization string `arg:"" help:"Token of the organization."`
	Target       string `arg:"" help:"Directory to make."`
}

func (orgExportCommand) Help() string {
	return "For those who run the server, whether or not it is running. It writes every message of an organization " +
		"under a legal hold, including those that readers can no longer see, to messages.jsonl in a new directory, and the " +
		"attachments beside it. The audit log records the export.\n\nExample:\n\n  signet organization export --held " +
		"Hq3nVt0cXz8Lw2RbKd5mYp7A ./case-17 --data /var/lib/signet"
}

func (o *orgExportCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	n, err := offline.ExportHeld(ctx, cfg, o.Organization, o.Target)
	return con.report(err, "%s\n", count(n, "message", "messages"))
}
