package cli

import (
	"context"
	"fmt"
	"strconv"

	"signet/client"
	"signet/internal/offline"
)

type orgCommands struct {
	Create orgCreateCommand `cmd:"" help:"Create an organization and print its token." note:"The account that creates it becomes its member and administrator." example:"signet org create \"Ward 3\" --ttl 8h --no-forward"`
	List   orgListCommand   `cmd:"" help:"List the organizations of an account, or those that the caller administers." example:"signet org list --administered"`
	Show   orgShowCommand   `cmd:"" help:"Show an organization and its settings." note:"For its administrators." example:"signet org show Hq3nVt0cXz8Lw2RbKd5mYp7A"`
	Update orgUpdateCommand `cmd:"" help:"Change an organization's name or settings." note:"What is not given stays as it is." example:"signet org update Hq3nVt0cXz8Lw2RbKd5mYp7A --max-ttl 7d --dor"`
	Delete orgDeleteCommand `cmd:"" help:"Erase an organization with its messages, groups and memberships." example:"signet org delete Hq3nVt0cXz8Lw2RbKd5mYp7A --confirm \"Ward 3\""`

	Members     orgMembersCommand     `cmd:"" help:"List the members of an organization." note:"For its administrators." example:"signet org members Hq3nVt0cXz8Lw2RbKd5mYp7A --role admin"`
	Groups      orgGroupsCommand      `cmd:"" help:"List the groups of an organization." example:"signet org groups Hq3nVt0cXz8Lw2RbKd5mYp7A ward"`
	Requests    orgRequestsCommand    `cmd:"" help:"List the requests in an organization that await a decision." example:"signet org requests Hq3nVt0cXz8Lw2RbKd5mYp7A"`
	Keys        orgKeysCommand        `cmd:"" help:"List the keys that act in an organization." note:"No secret is shown." example:"signet org keys Hq3nVt0cXz8Lw2RbKd5mYp7A --idle-days 90"`
	Queues      orgQueuesCommand      `cmd:"" help:"List the members who have events of an organization queued." example:"signet org queues Hq3nVt0cXz8Lw2RbKd5mYp7A --older-than 15m"`
	Undelivered orgUndeliveredCommand `cmd:"" help:"List messages that are waiting for their recipients, without their content." example:"signet org undelivered Hq3nVt0cXz8Lw2RbKd5mYp7A --after 30m"`
	Messages    orgMessagesCommand    `cmd:"" help:"List messages of an organization by sender, recipient and time, without their content." note:"For its administrators, who so find a message to take back. The audit log records it." example:"signet org messages Hq3nVt0cXz8Lw2RbKd5mYp7A --sender ann@example.com --since 2026-11-21T14:00:00Z --until 2026-11-21T14:10:00Z"`
	History     orgHistoryCommand     `cmd:"" help:"Print figures of an organization, or of the installation, over time." example:"signet org history Hq3nVt0cXz8Lw2RbKd5mYp7A --names sent,active_people --step day"`

	Identity orgIdentityCommands `cmd:"" help:"Show and set the provider with which members of an organization sign in."`

	Hold    orgHoldCommand    `cmd:"" help:"Put an organization under a legal hold, in the server's data."`
	Release orgReleaseCommand `cmd:"" help:"Lift a legal hold, in the server's data."`
	Export  orgExportCommand  `cmd:"" help:"Write what a legal hold keeps, from the server's data."`
	Erase   orgEraseCommand   `cmd:"" help:"Remove every trace of an organization from the server's data."`
}

// orgSettings are the flags for an organization's settings; what is not given
// stays as it is.
type orgSettings struct {
	TTL               *lifetime         `name:"ttl" placeholder:"TIME" help:"Lifetime of messages that state none: minutes, a time such as 8h, or never."`
	MaxTTL            *lifetime         `name:"max-ttl" placeholder:"TIME" help:"Longest lifetime that a message may have."`
	DOR               *bool             `name:"dor" negatable:"" help:"Delete on read, for messages that do not state it."`
	Forward           *bool             `negatable:"" help:"Allow forwarding."`
	PriorityMessaging *bool             `negatable:"" help:"Allow messages of high priority."`
	AllowPublicGroups *bool             `name:"public-groups" negatable:"" help:"Allow public groups."`
	Attachments       *bool             `negatable:"" help:"Allow attachments."`
	AutologoutTime    *int              `placeholder:"MINUTES" help:"For clients: when to log out by themselves."`
	PinLock           *bool             `negatable:"" help:"For clients: whether to ask for a PIN."`
	DisplayNames      string            `enum:",own,administrators" default:"" placeholder:"WHO" help:"Who changes the names of members: own (everybody their own) or administrators."`
	SecondFactor      string            `enum:",optional,required" default:"" placeholder:"WHEN" help:"Whether signing in takes a passkey: optional (a password alone will do) or required."`
	Set               map[string]string `placeholder:"NAME=VALUE" mapsep:"none" help:"Any other setting, kept as given."`
}

func (s *orgSettings) settings() client.OrganizationSettings {
	out := client.OrganizationSettings{
		TTL: s.TTL.minutes(), MaxTTL: s.MaxTTL.minutes(), DOR: s.DOR, Forward: s.Forward,
		PriorityMessaging: s.PriorityMessaging,
		AllowPublicGroups: s.AllowPublicGroups, Attachments: s.Attachments, AutologoutTime: s.AutologoutTime,
		PinLock: s.PinLock,
	}
	if s.DisplayNames != "" {
		out.DisplayNames = &s.DisplayNames
	}
	if s.SecondFactor != "" {
		out.SecondFactor = &s.SecondFactor
	}
	for name, value := range s.Set {
		if out.Other == nil {
			out.Other = map[string]any{}
		}
		out.Other[name] = value
	}
	return out
}

type orgCreateCommand struct {
	access
	orgSettings
	Name string `arg:"" help:"Name of the organization."`
}

func (o *orgCreateCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	token, err := c.CreateOrganization(ctx, o.Name, o.settings())
	made := map[string]string{"token": token, "name": o.Name}
	return show(con, made, err, func(map[string]string) []string { return []string{token} })
}

type orgListCommand struct {
	access
	User         string `arg:"" optional:"" default:"me" help:"Account, by token, e-mail, phone or username; without one, the caller's."`
	Administered bool   `help:"List the organizations that the caller administers instead of an account's; for operators, all."`
	Name         string `help:"With --administered: only organizations whose names have words beginning with these."`
	Usage        bool   `help:"With --administered: also how many messages and attachments are stored."`
}

func (o *orgListCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	if o.Administered {
		all := client.Pages(func(p client.Page) (*client.Listing[client.ListedOrganization], error) {
			return c.Organizations(ctx, client.OrganizationFilter{Name: o.Name, Usage: o.Usage}, p)
		})
		return listed(con, limited{}, all, "", func(org client.ListedOrganization) string {
			line := []string{org.Token, org.Name, count(org.Members, "member", "members"), count(org.Groups, "group", "groups"),
				count(org.Requests, "request", "requests")}
			if u := org.Usage; u != nil {
				line = append(line, count(u.Messages, "message", "messages"), count(u.Attachments, "attachment", "attachments"),
					strconv.FormatInt(u.AttachmentBytes, 10)+" bytes")
			}
			return cells(line...)
		})
	}
	all, err := c.UserOrganizations(ctx, o.User)
	return table(con, all, err, "", func(org client.Organization) string {
		return cells(org.Token, org.Name, count(org.Members, "member", "members"))
	})
}

type orgShowCommand struct {
	access
	Organization string `arg:"" help:"Token of the organization."`
}

func (o *orgShowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	org, err := c.Organization(ctx, o.Organization)
	return show(con, org, err, func(org *client.AdministeredOrganization) []string {
		lines := []string{cells("token", org.Token), cells("name", org.Name), cells("members", strconv.Itoa(org.Members)),
			cells("requests", strconv.Itoa(org.Requests))}
		if org.LegalHold {
			lines = append(lines, cells("legal_hold", "true"))
		}
		for _, s := range org.Settings {
			lines = append(lines, cells(s.Name, fmt.Sprint(s.Value)))
		}
		return lines
	})
}

type orgUpdateCommand struct {
	access
	orgSettings
	Organization string  `arg:"" help:"Token of the organization."`
	Name         *string `help:"New name."`
}

func (o *orgUpdateCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	settings := o.settings()
	settings.Name = o.Name
	return c.UpdateOrganization(ctx, o.Organization, settings)
}

type orgDeleteCommand struct {
	access
	confirmation
	Organization string `arg:"" help:"Token of the organization."`
}

func (o *orgDeleteCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	if o.Confirm == "" {
		org, err := c.Organization(ctx, o.Organization)
		if err != nil {
			return err
		}
		doomed := offline.Doomed{Token: org.Token, Name: org.Name, Rows: map[string]int64{"memberships": int64(org.Members)}}
		if err := o.confirm(con, "organization", doomed); err != nil {
			return err
		}
		o.Confirm = org.Name
	}
	return c.DeleteOrganization(ctx, o.Organization, o.Confirm)
}
