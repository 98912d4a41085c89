package cli

import (
	"context"
	"strconv"

	"signet/client"
)

// unreadCommand counts what an account has not read.
type unreadCommand struct {
	access
	User string `arg:"" optional:"" default:"me" help:"Account, by token, e-mail, phone or username; without one, the caller's."`
	Org  string `name:"org" placeholder:"TOKEN" help:"Only in this organization."`
}

// Help is printed by "signet unread --help".
func (unreadCommand) Help() string {
	return "Example:\n\n  signet unread ann@example.com --org Hq3nVt0cXz8Lw2RbKd5mYp7A"
}

// Run prints the counts.
func (u *unreadCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	unread, err := u.count(ctx, c)
	if err != nil {
		return err
	}
	return u.show(con, unread, cells("unread", strconv.Itoa(unread.Count)),
		cells("of high priority", strconv.Itoa(unread.Priority)))
}

func (u *unreadCommand) count(ctx context.Context, c *client.Client) (*client.Unread, error) {
	if u.Org == "" {
		return c.Unread(ctx, u.User)
	}
	return c.UnreadIn(ctx, u.User, u.Org)
}
