package cli

import (
	"context"
	"strconv"

	"signet/client"
)

type unreadCommand struct {
	access
	User string `arg:"" optional:"" default:"me" help:"Account, by token, e-mail, phone or username; without one, the caller's."`
	Org  string `name:"org" placeholder:"TOKEN" help:"Only in this organization."`
}

func (u *unreadCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	var unread *client.Unread
	var err error
	if u.Org == "" {
		unread, err = c.Unread(ctx, u.User)
	} else {
		unread, err = c.UnreadIn(ctx, u.User, u.Org)
	}
	return show(con, unread, err, func(u *client.Unread) []string {
		return []string{cells("unread", strconv.Itoa(u.Count)), cells("of high priority", strconv.Itoa(u.Priority))}
	})
}
