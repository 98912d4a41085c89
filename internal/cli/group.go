package cli

import (
	"context"
	"strconv"
	"strings"

	"signet/client"
)

// groupCommands are about groups.
type groupCommands struct {
	Create  groupCreateCommand  `cmd:"" help:"Create a group and print its token."`
	Show    groupShowCommand    `cmd:"" help:"Show a group."`
	Members groupMembersCommand `cmd:"" help:"List the members of a group."`
	Add     groupAddCommand     `cmd:"" help:"Add people to a group."`
	Remove  groupRemoveCommand  `cmd:"" help:"Remove people from a group, or leave it."`
	Update  groupUpdateCommand  `cmd:"" help:"Change a group."`
	Delete  groupDeleteCommand  `cmd:"" help:"Delete a group."`
}

type groupCreateCommand struct {
	access
	within
	Members        []string          `arg:"" optional:"" name:"member" help:"Members besides the caller, by token, e-mail, phone or username."`
	Name           string            `help:"Name; without one, the first three members' names."`
	Description    string            `help:"Description."`
	Public         bool              `help:"Anyone of the organization finds it and may join."`
	ReplayHistory  bool              `help:"New members get earlier messages."`
	ExcludeCreator bool              `help:"Do not make the caller a member."`
	Avatar         string            `placeholder:"FILE" help:"Picture: PNG, JPEG, GIF or WebP of up to 2 MiB."`
	Metadata       map[string]string `placeholder:"NAME=VALUE" mapsep:"none" help:"What to keep about it; may be repeated."`
}

// Help is printed by "signet group create --help".
func (groupCreateCommand) Help() string {
	return "Example:\n\n  signet group create ann@example.com bob@example.com --name \"Night shift\""
}

// Run creates the group.
func (g *groupCreateCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	avatar, closeFile, err := con.upload(g.Avatar, "")
	if err != nil {
		return err
	}
	defer closeFile()
	group, err := c.In(g.Org).CreateGroup(ctx,
		client.NewGroup{Name: g.Name, Members: g.Members, Description: g.Description, IsPublic: g.Public,
			ReplayHistory: g.ReplayHistory, Metadata: g.Metadata, Avatar: avatar, ExcludeCreator: g.ExcludeCreator})
	if err != nil {
		return err
	}
	return g.show(con, group, group.Token)
}

type groupShowCommand struct {
	access
	Group string `arg:"" help:"Token of the group."`
}

// Help is printed by "signet group show --help".
func (groupShowCommand) Help() string {
	return "Its members may, its administrators, and if it is public anyone of the organization.\n\nExample:\n\n  " +
		"signet group show 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"
}

// Run shows the group.
func (g *groupShowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	group, err := c.Group(ctx, g.Group)
	if err != nil {
		return err
	}
	return g.show(con, group, cells("token", group.Token), cells("name", group.Name),
		cells("description", group.Description),
		cells("organization", group.OrganizationKey), cells("members", strconv.Itoa(group.NumMembers)),
		cells("public", yes(group.IsPublic)),
		cells("history for new members", yes(group.ReplayHistory)), cells("created", moment(group.CreatedTime)),
		cells("by", group.CreatedBy))
}

type groupMembersCommand struct {
	access
	Group string `arg:"" help:"Token of the group."`
}

// Help is printed by "signet group members --help".
func (groupMembersCommand) Help() string {
	return "Example:\n\n  signet group members 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"
}

// Run lists the members.
func (g *groupMembersCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	members, err := c.Members(ctx, g.Group)
	if err != nil {
		return err
	}
	var lines []string
	for _, m := range members {
		lines = append(lines, cells(m.Token, m.DisplayName))
	}
	return g.show(con, members, lines...)
}

type groupAddCommand struct {
	access
	Group   string   `arg:"" help:"Token of the group."`
	Members []string `arg:"" name:"member" help:"People to add, by token, e-mail, phone or username."`
}

// Help is printed by "signet group add --help".
func (groupAddCommand) Help() string {
	return "Example:\n\n  signet group add 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60 carol@example.com"
}

// Run adds the people.
func (g *groupAddCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.AddMembers(ctx, g.Group, g.Members...)
}

type groupRemoveCommand struct {
	access
	Group   string   `arg:"" help:"Token of the group."`
	Members []string `arg:"" name:"member" help:"People to remove, by token, e-mail, phone or username; me is to leave."`
}

// Help is printed by "signet group remove --help".
func (groupRemoveCommand) Help() string {
	return "Example:\n\n  signet group remove 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60 me"
}

// Run removes the people.
func (g *groupRemoveCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.RemoveMembers(ctx, g.Group, g.Members...)
}

type groupUpdateCommand struct {
	access
	Group         string  `arg:"" help:"Token of the group."`
	Name          *string `help:"New name."`
	Members       *string `placeholder:"A,B,..." help:"The members from now on, with commas between; replaces all."`
	Description   *string `help:"New description."`
	Public        *bool   `negatable:"" help:"Anyone of the organization finds it and may join."`
	ReplayHistory *bool   `negatable:"" help:"New members get earlier messages."`
	Avatar        string  `placeholder:"FILE" help:"Picture: PNG, JPEG, GIF or WebP of up to 2 MiB."`
}

// Help is printed by "signet group update --help".
func (groupUpdateCommand) Help() string {
	return "What is not given stays as it is.\n\nExample:\n\n  signet group update 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60 " +
		"--name \"Day shift\" --no-public"
}

// Run changes the group.
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

type groupDeleteCommand struct {
	access
	Group string `arg:"" help:"Token of the group."`
}

// Help is printed by "signet group delete --help".
func (groupDeleteCommand) Help() string {
	return "Its creator may, and administrators.\n\nExample:\n\n  signet group delete 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"
}

// Run deletes the group.
func (g *groupDeleteCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.DeleteGroup(ctx, g.Group)
}
