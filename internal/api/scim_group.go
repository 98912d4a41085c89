package api

import (
	"context"
	"net/http"

	"signet/internal/scim"
	"signet/internal/service"
)

// sendGroup answers with what the call wants to see of a group, which it reads before it changes anything.
func (a *API) sendGroup(c *call, status int, g scim.Group, shown *scim.Shown) (answer, error) {
	version := g.Version()
	c.placeGroup(&g)
	return a.sendResource(c, status, g.Object(), version, g.Location, shown)
}

// placeGroup says where a group and its members are.
func (c *call) placeGroup(g *scim.Group) {
	g.Location, g.People = c.scimURL()+"/Groups/"+g.ID, c.scimURL()+"/Users/"
}

// listSCIMGroups: GET /scim/v2/Groups, and POST /scim/v2/Groups/.search. Of the members there is only who they are.
func (a *API) listSCIMGroups(ctx context.Context, c *call) (answer, error) {
	q, err := c.readAsk(scim.Groups)
	if err != nil {
		return answer{}, err
	}
	members := !q.shown.Hides("members")
	page, err := a.service.ScimGroups(ctx, c.actor, c.directory(), service.ScimGroupQuery{Filter: q.filter, Skip: q.skip(),
		Limit: q.limit, Members: members})
	if err != nil {
		return answer{}, err
	}
	a.charge(c, costOfMembers(page.Looked))
	var list []any
	for _, g := range page.Groups {
		version := g.Version()
		g.Location = c.scimURL() + "/Groups/" + g.ID
		o := g.Object()
		if members { // else it is not known
			o["meta"].(scim.Object)["version"] = version
		}
		list = append(list, q.shown.Of(o))
	}
	return a.sendList(c, &q, page.Total, list)
}

// getSCIMGroup: GET /scim/v2/Groups/:group.
func (a *API) getSCIMGroup(ctx context.Context, c *call) (answer, error) {
	shown, err := c.shownOf(scim.Groups)
	if err != nil {
		return answer{}, err
	}
	id, err := c.groupID()
	if err != nil {
		return answer{}, err
	}
	g, err := a.service.ScimGroup(ctx, c.actor, c.directory(), id)
	if err != nil {
		return answer{}, err
	}
	a.charge(c, costOfMembers(len(g.Members)))
	return a.sendGroup(c, http.StatusOK, g, shown)
}

// createSCIMGroup: POST /scim/v2/Groups.
func (a *API) createSCIMGroup(ctx context.Context, c *call) (answer, error) {
	shown, err := c.shownOf(scim.Groups)
	if err != nil {
		return answer{}, err
	}
	wanted, err := scim.ReadGroup(c.body.Document)
	if err != nil {
		return answer{}, err
	}
	g, err := a.service.ScimCreateGroup(ctx, c.actor, c.directory(), wanted)
	if err != nil {
		return answer{}, err
	}
	return a.sendGroup(c, http.StatusCreated, g, shown)
}

// replaceSCIMGroup: PUT /scim/v2/Groups/:group.
func (a *API) replaceSCIMGroup(ctx context.Context, c *call) (answer, error) {
	shown, err := c.shownOf(scim.Groups)
	if err != nil {
		return answer{}, err
	}
	g, err := a.changeSCIMGroup(ctx, c, scim.ReplaceGroup(c.body.Document))
	if err != nil {
		return answer{}, err
	}
	return a.sendGroup(c, http.StatusOK, g, shown)
}

// patchSCIMGroup: PATCH /scim/v2/Groups/:group. The answer is 204, as Entra advises for groups, which may be large,
// unless the call names the attributes that it wants to see.
func (a *API) patchSCIMGroup(ctx context.Context, c *call) (answer, error) {
	shown, err := c.shownOf(scim.Groups)
	if err != nil {
		return answer{}, err
	}
	wanted := c.readQuery().Text("attributes") != ""
	patch, err := scim.Groups.ParsePatch(c.body.Document)
	if err != nil {
		return answer{}, err
	}
	g, err := a.changeSCIMGroup(ctx, c, patch.PatchGroup)
	if err != nil {
		return answer{}, err
	}
	if wanted {
		return a.sendGroup(c, http.StatusOK, g, shown)
	}
	return noContent(header{"ETag", g.Version()}), nil
}

func (a *API) changeSCIMGroup(ctx context.Context, c *call, change scim.Change[scim.Group]) (g scim.Group, err error) {
	id, err := c.groupID()
	if err != nil {
		return g, err
	}
	return a.service.ScimChangeGroup(ctx, c.actor, c.directory(), id, c.request.Header.Get("If-Match"), change)
}

// deleteSCIMGroup: DELETE /scim/v2/Groups/:group.
func (a *API) deleteSCIMGroup(ctx context.Context, c *call) (answer, error) {
	id, err := c.groupID()
	if err != nil {
		return answer{}, err
	}
	return noContent(), a.service.ScimDeleteGroup(ctx, c.actor, c.directory(), id, c.request.Header.Get("If-Match"))
}
