package api

import (
	"context"

	"signet/internal/api/input"
	"signet/internal/model"
	"signet/internal/service"
)

// groupID reads the group that a path names. What is no token names nothing.
func (c *call) groupID() (model.GroupID, error) {
	id, ok := model.ParseGroupID(c.path("group"))
	if !ok {
		return id, model.Missing()
	}
	return id, nil
}

// groupCommand reads the fields of a group.
func (c *call) groupCommand() service.GroupCommand {
	f := &c.body.Fields
	command := service.GroupCommand{
		CallOrganization: c.organization(),
		Name:             f.OptionalText("name"),
		Description:      f.OptionalText("description"),
		Members:          f.List("members"),
		ReplayHistory:    f.OptionalBool("replay_history"),
		Public:           f.OptionalBool("is_public"),
		Everyone:         f.OptionalBool("everyone"),
	}
	command.Avatar, command.AvatarURL = c.avatar()
	return command
}

// createGroup: POST /group (call 5).
func (a *API) createGroup(ctx context.Context, c *call) (answer, error) {
	command := c.groupCommand()
	q := c.readQuery()
	renderEntity := q.Bool("render_entity")
	command.ExcludeCreator = q.Bool("exclude_creator")
	command.Metadata = metadataField(&c.body.Fields)
	if err := c.err(); err != nil {
		return answer{}, err
	}
	g, err := a.service.CreateGroup(ctx, c.actor, command)
	if err != nil {
		return answer{}, err
	}
	headers := c.groupHeaders(&g)
	if renderEntity {
		return reply(c.Group(&g), headers...), nil
	}
	return noContent(headers...), nil
}

// metadataField reads the metadata of a new group. A null is left out, as where it is set later.
func metadataField(f *input.Fields) map[string]string {
	var given map[string]*string
	f.Decode("metadata", &given, "an object of texts")
	var metadata map[string]string
	for name, value := range given {
		if value == nil {
			continue
		}
		if metadata == nil {
			metadata = make(map[string]string, len(given))
		}
		metadata[name] = *value
	}
	return metadata
}

func (c *call) groupHeaders(g *model.Group) []header {
	return []header{{c.vendor.groupToken, g.ID.String()}, {c.vendor.groupAvatar, c.AvatarURL(g.Avatar)}}
}

// createRoleGroup: POST /role_group: a group as POST /group makes it.
func (a *API) createRoleGroup(ctx context.Context, c *call) (answer, error) {
	command := c.groupCommand()
	c.body.Text("created_by") // the caller, whatever it says
	if err := c.err(); err != nil {
		return answer{}, err
	}
	g, err := a.service.CreateGroup(ctx, c.actor, command)
	if err != nil {
		return answer{}, err
	}
	return reply(c.Group(&g), c.groupHeaders(&g)...), nil
}

// getGroup: GET /group/:group (call 6).
func (a *API) getGroup(ctx context.Context, c *call) (answer, error) {
	withMetadata := c.rendersMetadata()
	if err := c.err(); err != nil {
		return answer{}, err
	}
	id, err := c.groupID()
	if err != nil {
		return answer{}, err
	}
	g, err := a.service.Group(ctx, c.actor, id)
	if err != nil {
		return answer{}, err
	}
	w := c.Group(&g)
	if withMetadata {
		if w.Metadata, err = a.metadataOf(ctx, c, g.Entity(), g.Organization); err != nil {
			return answer{}, err
		}
	}
	return reply(w), nil
}

// getGroupMembers: GET /group/:group/members.
func (a *API) getGroupMembers(ctx context.Context, c *call) (answer, error) {
	id, err := c.groupID()
	if err != nil {
		return answer{}, err
	}
	members, err := a.service.GroupMembers(ctx, c.actor, id)
	if err != nil {
		return answer{}, err
	}
	a.charge(c, costOfMembers(len(members)))
	return replyEach(ctx, a, c, "[", "]", members, func(e model.Entity) any { return c.User(e) })
}

// updateGroup: POST /group/:group (call 7).
func (a *API) updateGroup(ctx context.Context, c *call) (answer, error) {
	command := c.groupCommand()
	if err := c.err(); err != nil {
		return answer{}, err
	}
	// What is no token is no group's: found missing after the body was checked.
	id, _ := model.ParseGroupID(c.path("group"))
	g, err := a.service.UpdateGroup(ctx, c.actor, id, command)
	if err != nil {
		return answer{}, err
	}
	return noContent(header{a.vendor.groupAvatar, c.AvatarURL(g.Avatar)}), nil
}

// deleteGroup: DELETE /group/:group (call 8).
func (a *API) deleteGroup(ctx context.Context, c *call) (answer, error) {
	id, err := c.groupID()
	if err != nil {
		return answer{}, err
	}
	return noContent(), a.service.DeleteGroup(ctx, c.actor, id)
}

// addGroupMembers: POST /group/:group/members (call 9).
func (a *API) addGroupMembers(ctx context.Context, c *call) (answer, error) {
	return a.changeMembers(ctx, c, a.service.AddGroupMembers)
}

// removeGroupMembers: POST /group/:group/members/remove (call 10).
func (a *API) removeGroupMembers(ctx context.Context, c *call) (answer, error) {
	return a.changeMembers(ctx, c, a.service.RemoveGroupMembers)
}

func (a *API) changeMembers(
	ctx context.Context, c *call, change func(context.Context, *model.Actor, model.GroupID, []string) error,
) (answer, error) {
	members := c.body.List("members")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	if len(members) == 0 {
		return answer{}, model.Invalidf("members_required", "members", "Members are required.")
	}
	id, err := c.groupID()
	if err != nil {
		return answer{}, err
	}
	a.charge(c, costOfIDs(len(members)))
	return noContent(), change(ctx, c.actor, id, members)
}
