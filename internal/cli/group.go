package cli

import (
	"context"
	"strconv"
	"strings"

	"signet/client"
)

type groupCommands struct {
	Create  groupCreateCommand  `cmd:"" help:"Create a group and print its token." example:"signet group create ann@example.com bob@example.com --name \"Night shift\""`
	Show    groupShowCommand    `cmd:"" help:"Show a group." note:"For its members and its administrators and, if it is public, everybody in the organization." example:"signet group show 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"`
	Members groupMembersCommand `cmd:"" help:"List the members of a group." example:"signet group members 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"`
	Add     groupAddCommand     `cmd:"" help:"Add people to a group." example:"signet group add 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60 carol@example.com"`
	Remove  groupRemoveCommand  `cmd:"" help:"Remove people from a group, or leave it." example:"signet group remove 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60 me"`
	Update  groupUpdateCommand  `cmd:"" help:"Change a group." note:"What is not given stays as it is." example:"signet group update 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60 --name \"Day shift\" --no-public"`
	Duty    groupDutyCommands   `cmd:"" help:"Have the members of a group change by a rota."`
	Delete  groupDeleteCommand  `cmd:"" help:"Delete a group." note:"For its creator and for administrators." example:"signet group delete 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"`
}

type groupCreateCommand struct {
	access
	within
	Members        []string          `arg:"" optional:"" name:"member" help:"Members besides the caller, by token, e-mail, phone or username."`
	Name           string            `help:"Name; without one, the first three members' names."`
	Description    string            `help:"Description."`
	Public         bool              `help:"Anyone in the organization can find it and join."`
	ReplayHistory  bool              `help:"New members get earlier messages."`
	Everyone       bool              `help:"All members of the organization, now and later, without naming them. Only administrators write to it."`
	ExcludeCreator bool              `help:"Do not make the caller a member."`
	Avatar         string            `placeholder:"FILE" help:"Picture: PNG, JPEG, GIF or WebP of up to 2 MiB."`
	Metadata       map[string]string `placeholder:"NAME=VALUE" mapsep:"none" help:"What to keep about it; may be repeated."`
}

func (g *groupCreateCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	avatar, closeFile, err := con.upload(g.Avatar, "")
	if err != nil {
		return err
	}
	defer closeFile()
	group, err := c.In(g.Org).CreateGroup(ctx,
		client.NewGroup{Name: g.Name, Members: g.Members, Description: g.Description, IsPublic: g.Public,
			ReplayHistory: g.ReplayHistory, Everyone: g.Everyone, Metadata: g.Metadata, Avatar: avatar,
			ExcludeCreator: g.ExcludeCreator})
	return show(con, group, err, func(g *client.Group) []string { return []string{g.Token} })
}

// oneGroup names a group.
type oneGroup struct {
	access
	Group string `arg:"" help:"Token of the group."`
}

type groupShowCommand struct{ oneGroup }

func (g *groupShowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	group, err := c.Group(ctx, g.Group)
	return show(con, group, err, func(g *client.Group) []string {
		return []string{cells("token", g.Token), cells("name", g.Name), cells("description", g.Description),
			cells("organization", g.OrganizationKey), cells("members", strconv.Itoa(g.NumMembers)),
			cells("public", yes(g.IsPublic)), cells("everybody", yes(g.Everyone)), cells("rota", yes(g.Duty)),
			cells("history for new members", yes(g.ReplayHistory)), cells("created", moment(g.CreatedTime)),
			cells("by", g.CreatedBy)}
	})
}

type groupMembersCommand struct{ oneGroup }

func (g *groupMembersCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	members, err := c.Members(ctx, g.Group)
	return table(con, members, err, "", func(m client.User) string { return cells(m.Token, m.DisplayName) })
}

type groupAddCommand struct {
	oneGroup
	Members []string `arg:"" name:"member" help:"People to add, by token, e-mail, phone or username."`
}

func (g *groupAddCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.AddMembers(ctx, g.Group, g.Members...)
}

type groupRemoveCommand struct {
	oneGroup
	Members []string `arg:"" name:"member" help:"People to remove, by token, e-mail, phone or username; me leaves the group."`
}

func (g *groupRemoveCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.RemoveMembers(ctx, g.Group, g.Members...)
}

type groupUpdateCommand struct {
	oneGroup
	Name          *string `help:"New name."`
	Members       *string `placeholder:"A,B,..." help:"The members from now on, separated by commas; replaces all."`
	Description   *string `help:"New description."`
	Public        *bool   `negatable:"" help:"Anyone in the organization can find it and join."`
	ReplayHistory *bool   `negatable:"" help:"New members get earlier messages."`
	Avatar        string  `placeholder:"FILE" help:"Picture: PNG, JPEG, GIF or WebP of up to 2 MiB."`
}

func (g *groupUpdateCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	avatar, closeFile, err := con.upload(g.Avatar, "")
	if err != nil {
		return err
	}
	defer closeFile()
	update := client.GroupUpdate{Name: g.Name, Description: g.Description, IsPublic: g.Public,
		ReplayHistory: g.ReplayHistory, Avatar: avatar}
	if g.Members != nil {
		members := strings.FieldsFunc(*g.Members, func(r rune) bool { return r == ',' })
		update.Members = &members
	}
	_, err = c.UpdateGroup(ctx, g.Group, update)
	return err
}

type groupDeleteCommand struct{ oneGroup }

func (g *groupDeleteCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.DeleteGroup(ctx, g.Group)
}
