package cli

import (
	"cmp"
	"context"
	"strconv"

	"signet/client"
)

// passkeyCommands do what needs no browser: only a browser makes a passkey.
type passkeyCommands struct {
	List   passkeyListCommand   `cmd:"" help:"List the passkeys of an account." example:"signet passkey list ann@example.com"`
	Remove passkeyRemoveCommand `cmd:"" help:"End a passkey at once, with the sessions that came of it." example:"signet passkey remove 0193... --user ann@example.com"`
	Allow  passkeyAllowCommand  `cmd:"" help:"Let somebody whose passkey is lost make another one." note:"Within a day, the account's password alone makes one passkey. The account is told. It is for administrators of the organization that created the account, and for operators." example:"signet passkey allow ann@example.com"`
}

type passkeyListCommand struct {
	access
	User string `arg:"" optional:"" default:"me" help:"Account, by token, e-mail, phone or username; without one, the caller's."`
}

func (p *passkeyListCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	all, err := c.Passkeys(ctx, p.User)
	head := cells("PASSKEY", "LABEL", "CREATED", "LAST USED", "SYNCED", "AT", "ORGANIZATION")
	return table(con, all, err, head, func(p client.Passkey) string {
		return cells(p.Passkey, cmp.Or(p.Label, "-"), moment(p.CreatedTime), moment(p.LastUsedTime),
			strconv.FormatBool(p.Synced), p.RelyingParty, cmp.Or(p.Organization, "-"))
	})
}

type passkeyRemoveCommand struct {
	access
	Passkey string `arg:"" help:"The passkey's token."`
	User    string `default:"me" placeholder:"ADDRESS" help:"Account that it belongs to; without one, the caller's."`
}

func (p *passkeyRemoveCommand) Run(ctx context.Context, _ *console, c *client.Client) error {
	return c.RemovePasskey(ctx, p.User, p.Passkey)
}

type passkeyAllowCommand struct {
	access
	User string `arg:"" help:"Account, by token, e-mail, phone or username."`
}

func (p *passkeyAllowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	allowed, err := c.AllowPasskey(ctx, p.User)
	return show(con, allowed, err, func(a *client.PasskeyAllowance) []string {
		return []string{cells("until", moment(a.ExpiresTime))}
	})
}
