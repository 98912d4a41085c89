package cli

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"signet/client"
)

// limited is the flag of commands that list what may be very long.
type limited struct {
	Limit int `default:"50" placeholder:"N" help:"Print at most N; 0 prints all. Default 50."`
}

// listed prints the first entries of a list, each on a line below the head.
func listed[T any](con *console, l limited, all iter.Seq2[T, error], head string,
	text func(T) string) error {
	if l.Limit < 0 {
		return wrongConfiguration{fmt.Errorf("--limit is 0 or more")}
	}
	rows := []T{}
	for row, err := range all {
		if err != nil {
			return err
		}
		if rows = append(rows, row); len(rows) == l.Limit {
			break
		}
	}
	return table(con, rows, nil, head, text)
}

type orgMembersCommand struct {
	access
	limited
	Organization string `arg:"" help:"Token of the organization."`
	Text         string `arg:"" optional:"" help:"Only members whose names or details have words beginning with these."`
	Role         string `help:"Only members with this role."`
	WithoutKeys  bool   `help:"Only members without a key that acts in the organization."`
	IdleDays     int    `placeholder:"N" help:"Only members who were not seen and did not join in the last N days."`
	Disabled     *bool  `negatable:"" help:"Only members whose account is disabled."`
	CSV          bool   `name:"csv" help:"Print all of them, whatever the limit, as a table for spreadsheets (CSV), which \"signet user import\" reads."`
}

func (o *orgMembersCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	f := client.MemberFilter{Query: o.Text, Role: o.Role, WithoutKeys: o.WithoutKeys, IdleDays: o.IdleDays,
		Disabled: o.Disabled}
	all := client.Pages(func(p client.Page) (*client.Listing[client.Member], error) {
		return c.OrganizationMembers(ctx, o.Organization, f, p)
	})
	if o.CSV {
		return writeMembers(con.stdout, all)
	}
	return listed(con, o.limited, all, "", func(m client.Member) string {
		keys := "keys"
		if !m.HasKeys {
			keys = "no keys"
		}
		if m.Disabled {
			keys = "disabled"
		}
		return cells(m.Token, m.DisplayName, cmp.Or(strings.Join(m.Roles, ","), "-"), keys, "seen "+since(m.LastSeenTime))
	})
}

// since writes when something last happened.
func since(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return moment(at)
}

type orgGroupsCommand struct {
	access
	limited
	Organization string `arg:"" help:"Token of the organization."`
	Text         string `arg:"" optional:"" help:"Only groups whose names have words beginning with these."`
}

func (o *orgGroupsCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	all := client.Pages(func(p client.Page) (*client.Listing[client.ListedGroup], error) {
		return c.OrganizationGroups(ctx, o.Organization, o.Text, p)
	})
	return listed(con, o.limited, all, "", func(g client.ListedGroup) string {
		return cells(g.Token, g.Name, count(g.NumMembers, "member", "members"), "last message "+since(g.LastMessageTime))
	})
}

type orgRequestsCommand struct {
	access
	limited
	Organization string `arg:"" help:"Token of the organization."`
}

func (o *orgRequestsCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	all := client.Pages(func(p client.Page) (*client.Listing[client.Request], error) {
		return c.OpenRequests(ctx, o.Organization, p)
	})
	return listed(con, o.limited, all, "", func(r client.Request) string {
		return cells(r.Kind, r.Account.Token, r.Account.DisplayName, r.OrganizationID, "made "+moment(r.CreatedTime))
	})
}

type orgKeysCommand struct {
	access
	limited
	Organization string `arg:"" optional:"" help:"Token of the organization; without one, all of the installation, for operators."`
	Text         string `placeholder:"TEXT" help:"Only keys whose label or owner's names have words beginning with these, or whose name does."`
	User         string `placeholder:"USER" help:"Only the keys of this account."`
	Kind         string `enum:",regular,administrative" default:"" help:"Only keys of this kind: regular or administrative."`
	Session      *bool  `negatable:"" help:"Only keys of browsers' sessions."`
	IdleDays     int    `placeholder:"N" help:"Only keys that were neither used nor made in the last N days."`
}

func (o *orgKeysCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	f := client.KeyFilter{Query: o.Text, Kind: client.KeyKind(o.Kind), Session: o.Session, IdleDays: o.IdleDays,
		Account: o.User}
	all := client.Pages(func(p client.Page) (*client.Listing[client.ListedKey], error) {
		if o.Organization == "" {
			return c.AllKeys(ctx, f, p)
		}
		return c.OrganizationKeys(ctx, o.Organization, f, p)
	})
	return listed(con, o.limited, all, "", func(k client.ListedKey) string {
		return cells(k.APIKey, string(k.Kind), cmp.Or(k.Username, k.AccountID), cmp.Or(k.Label, "-"),
			cmp.Or(k.Organization, "-"), "used "+since(k.LastUsedTime))
	})
}

type orgQueuesCommand struct {
	access
	limited
	Organization string `arg:"" optional:"" help:"Token of the organization; without one, all of the installation, for operators."`
	OlderThan    span   `placeholder:"TIME" help:"Only queues whose oldest event is older, such as 15m."`
}

func (o *orgQueuesCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	all := client.Pages(func(p client.Page) (*client.Listing[client.Queue], error) {
		if o.Organization == "" {
			return c.AllQueues(ctx, time.Duration(o.OlderThan), p)
		}
		return c.OrganizationQueues(ctx, o.Organization, time.Duration(o.OlderThan), p)
	})
	return listed(con, o.limited, all, "", func(q client.Queue) string {
		return cells(q.AccountID, q.DisplayName, count(q.Depth, "event", "events"), "since "+moment(q.OldestEventTime),
			count(q.Streams, "stream", "streams"))
	})
}

type orgUndeliveredCommand struct {
	access
	limited
	Organization string `arg:"" help:"Token of the organization."`
	After        span   `default:"15m" placeholder:"TIME" help:"Only messages sent longer ago than this. Default 15m."`
}

func (o *orgUndeliveredCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	all := client.Pages(func(p client.Page) (*client.Listing[client.Undelivered], error) {
		return c.Undelivered(ctx, o.Organization, time.Duration(o.After), p)
	})
	return listed(con, o.limited, all, "", func(m client.Undelivered) string {
		return cells(m.MessageID, "from "+m.SenderToken, "to "+m.RecipientToken, moment(m.CreatedTime),
			"priority "+strconv.Itoa(m.Priority))
	})
}

type orgMessagesCommand struct {
	access
	limited
	Organization string    `arg:"" help:"Token of the organization."`
	Sender       string    `placeholder:"USER" help:"Only messages of this account."`
	Recipient    string    `placeholder:"USER|GROUP" help:"Only messages to this account or group."`
	Since        time.Time `placeholder:"TIME" help:"Only messages sent from this time, such as 2026-11-21T14:00:00Z."`
	Until        time.Time `placeholder:"TIME" help:"Only messages sent before this time."`
}

func (o *orgMessagesCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	f := client.MessageFilter{Sender: o.Sender, Recipient: o.Recipient, Since: o.Since, Until: o.Until}
	all := client.Pages(func(p client.Page) (*client.Listing[client.ListedMessage], error) {
		return c.OrganizationMessages(ctx, o.Organization, f, p)
	})
	return listed(con, o.limited, all, "", func(m client.ListedMessage) string {
		state := "priority " + strconv.Itoa(m.Priority)
		if m.IsRecalled {
			state = "recalled"
		}
		return cells(m.MessageID, "from "+m.SenderToken, "to "+m.RecipientToken, moment(m.CreatedTime), state)
	})
}
