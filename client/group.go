package client

import (
	"context"
	"fmt"
)

// NewGroup is a group to create in the client's organization.
type NewGroup struct {
	Name           string   `json:"name,omitempty"` // else the first three members' names
	Members        []string `json:"members"`        // addresses; at most 2,000
	Description    string   `json:"description,omitempty"`
	IsPublic       bool     `json:"is_public,omitempty"`
	ReplayHistory  bool     `json:"replay_history,omitempty"` // new members get earlier messages
	Everyone       bool     `json:"everyone,omitempty"`       // all members of the organization, now and later; without Members
	Metadata       Metadata `json:"metadata,omitempty"`
	AvatarURL      string   `json:"avatar,omitempty"` // not together with Avatar
	Avatar         *Upload  `json:"-"`                // PNG, JPEG, GIF or WebP of up to 2 MiB
	ExcludeCreator bool     `json:"-"`                // do not make the caller a member
}

// CreateGroup creates a group and returns it (POST /group).
func (c *Client) CreateGroup(ctx context.Context, g NewGroup) (*Group, error) {
	if g.Avatar != nil && g.AvatarURL != "" {
		return nil, fmt.Errorf("%w: an avatar is a file or a URL, not both", ErrArgument)
	}
	if g.Members == nil {
		g.Members = []string{}
	}
	r := post(g, "group").when("render_entity", true).when("exclude_creator", g.ExcludeCreator)
	r.file, r.fileField = g.Avatar, "avatar"
	return fetch[Group](ctx, c, r)
}

// Group returns a group (GET /group/:group): to its members and administrators,
// a public one to anyone of its organization.
func (c *Client) Group(ctx context.Context, group string) (*Group, error) {
	return fetch[Group](ctx, c, get("group", group))
}

// GroupUpdate is a change of a group; nil leaves a field as it is.
type GroupUpdate struct {
	Name          *string   `json:"name,omitempty"`
	Members       *[]string `json:"members,omitempty"` // replaces them all
	Description   *string   `json:"description,omitempty"`
	IsPublic      *bool     `json:"is_public,omitempty"`      // creator or administrator
	ReplayHistory *bool     `json:"replay_history,omitempty"` // creator or administrator
	AvatarURL     *string   `json:"avatar,omitempty"`         // not together with Avatar
	Avatar        *Upload   `json:"-"`
}

// UpdateGroup changes a group (POST /group/:group) and returns the URL of its avatar.
func (c *Client) UpdateGroup(ctx context.Context, group string, u GroupUpdate) (avatar string, err error) {
	if u.Avatar != nil && u.AvatarURL != nil {
		return "", fmt.Errorf("%w: an avatar is a file or a URL, not both", ErrArgument)
	}
	r := post(u, "group", group).harmless()
	r.file, r.fileField = u.Avatar, "avatar"
	got, err := c.do(ctx, r, nil)
	if err != nil {
		return "", err
	}
	return got.header.Get(c.header("Group-Avatar")), nil
}

// DeleteGroup deletes a group (DELETE /group/:group): its creator or an
// administrator. Again by them, it succeeds.
func (c *Client) DeleteGroup(ctx context.Context, group string) error {
	return c.run(ctx, remove("group", group))
}

// Members returns the members of a group (GET /group/:group/members).
func (c *Client) Members(ctx context.Context, group string) ([]User, error) {
	return list[User](ctx, c, get("group", group, "members"))
}

// AddMembers adds people to a group (POST /group/:group/members); those who are
// in it already stay.
func (c *Client) AddMembers(ctx context.Context, group string, members ...string) error {
	return c.run(ctx, post(map[string][]string{"members": members}, "group", group, "members").harmless())
}

// RemoveMembers removes people from a group (POST /group/:group/members/remove).
// A member may so leave it.
func (c *Client) RemoveMembers(ctx context.Context, group string, members ...string) error {
	return c.run(ctx, post(map[string][]string{"members": members}, "group", group, "members", "remove").harmless())
}

// NewRoleGroup is a group made for a role account.
type NewRoleGroup struct {
	Name          string   `json:"name,omitempty"`
	CreatedBy     string   `json:"created_by,omitempty"`
	Members       []string `json:"members"`
	ReplayHistory bool     `json:"replay_history,omitempty"`
}

// CreateRoleGroup creates a group for a role account and returns its token (POST
// /role_group).
func (c *Client) CreateRoleGroup(ctx context.Context, g NewRoleGroup) (token string, err error) {
	var out struct {
		Token string `json:"token"`
	}
	_, err = c.do(ctx, post(g, "role_group"), &out)
	return out.Token, err
}

// OpenAvatar downloads the picture of a user or a group, given the URL in its
// Avatar field (GET /avatar/:id). The caller closes it. Only a picture that this
// server keeps can be had so: the credentials go nowhere else.
func (c *Client) OpenAvatar(ctx context.Context, avatar string) (*Download, error) {
	id, err := avatarID(avatar)
	if err != nil {
		return nil, err
	}
	return c.open(ctx, get("avatar", id), 0, "")
}
