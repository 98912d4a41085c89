package api

import (
	"context"
	"net/http"

	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/scim"
)

// What is counted of people whom directories keep, the values of the label act.
const (
	scimCreated     = "created"
	scimBroughtBack = "brought_back"
	scimDisabled    = "disabled"
	scimEnabled     = "enabled"
	scimRemoved     = "removed"
)

var scimActs = [...]string{scimCreated, scimBroughtBack, scimDisabled, scimEnabled, scimRemoved}

// countSCIM counts what a directory did to a person.
func (a *API) countSCIM(act string) { a.metrics.directory.WithLabelValues(act).Inc() }

// scimUserID is the account that a path names. What is no token names nobody.
func (c *call) scimUserID() (model.AccountID, error) {
	id, ok := model.ParseAccountID(c.path("user"))
	if !ok {
		return id, model.Missing()
	}
	return id, nil
}

// sendUser answers with what the call wants to see of a person, which it reads before it changes anything.
func (a *API) sendUser(c *call, status int, u scim.User, shown *scim.Shown) (answer, error) {
	version := u.Version()
	u.Location = c.scimURL() + "/Users/" + u.ID
	return a.sendResource(c, status, u.Object(), version, u.Location, shown)
}

// listSCIMUsers: GET /scim/v2/Users, and POST /scim/v2/Users/.search.
func (a *API) listSCIMUsers(ctx context.Context, c *call) (answer, error) {
	q, err := c.readAsk(scim.People)
	if err != nil {
		return answer{}, err
	}
	page, err := a.people.ScimUsers(ctx, c.actor, c.directory(), people.ScimQuery{Filter: q.filter, Skip: q.skip(),
		Limit: q.limit})
	if err != nil {
		return answer{}, err
	}
	a.charge(c, costOfList(page.Looked))
	var list []any
	for _, u := range page.Users {
		version := u.Version()
		u.Location = c.scimURL() + "/Users/" + u.ID
		o := u.Object()
		o["meta"].(scim.Object)["version"] = version
		list = append(list, q.shown.Of(o))
	}
	return a.sendList(c, &q, page.Total, list)
}

// getSCIMUser: GET /scim/v2/Users/:user.
func (a *API) getSCIMUser(ctx context.Context, c *call) (answer, error) {
	shown, err := c.shownOf(scim.People)
	if err != nil {
		return answer{}, err
	}
	id, err := c.scimUserID()
	if err != nil {
		return answer{}, err
	}
	u, err := a.people.ScimUser(ctx, c.actor, c.directory(), id)
	if err != nil {
		return answer{}, err
	}
	return a.sendUser(c, http.StatusOK, u, shown)
}

// createSCIMUser: POST /scim/v2/Users.
func (a *API) createSCIMUser(ctx context.Context, c *call) (answer, error) {
	shown, err := c.shownOf(scim.People)
	if err != nil {
		return answer{}, err
	}
	wanted, err := scim.ReadUser(c.body.Document)
	if err != nil {
		return answer{}, err
	}
	u, back, err := a.people.ScimCreate(ctx, c.actor, c.directory(), wanted)
	if err != nil {
		return answer{}, err
	}
	if back {
		a.countSCIM(scimBroughtBack)
	} else {
		a.countSCIM(scimCreated)
	}
	return a.sendUser(c, http.StatusCreated, u, shown)
}

// replaceSCIMUser: PUT /scim/v2/Users/:user.
func (a *API) replaceSCIMUser(ctx context.Context, c *call) (answer, error) {
	return a.changeSCIMUser(ctx, c, scim.ReplaceUser(c.body.Document))
}

// patchSCIMUser: PATCH /scim/v2/Users/:user.
func (a *API) patchSCIMUser(ctx context.Context, c *call) (answer, error) {
	patch, err := scim.People.ParsePatch(c.body.Document)
	if err != nil {
		return answer{}, err
	}
	return a.changeSCIMUser(ctx, c, patch.PatchUser)
}

func (a *API) changeSCIMUser(ctx context.Context, c *call, change scim.Change[scim.User]) (answer, error) {
	shown, err := c.shownOf(scim.People)
	if err != nil {
		return answer{}, err
	}
	id, err := c.scimUserID()
	if err != nil {
		return answer{}, err
	}
	out, err := a.people.ScimChange(ctx, c.actor, people.ScimCommand{Organization: c.directory(), Account: id,
		Match: c.request.Header.Get("If-Match"), Change: change})
	if err != nil {
		return answer{}, err
	}
	if out.Disabled {
		a.countSCIM(scimDisabled)
	}
	if out.Enabled {
		a.countSCIM(scimEnabled)
	}
	return a.sendUser(c, http.StatusOK, out.User, shown)
}

// deleteSCIMUser: DELETE /scim/v2/Users/:user.
func (a *API) deleteSCIMUser(ctx context.Context, c *call) (answer, error) {
	id, err := c.scimUserID()
	if err != nil {
		return answer{}, err
	}
	if err := a.people.ScimRemove(ctx, c.actor, c.directory(), id, c.request.Header.Get("If-Match")); err != nil {
		return answer{}, err
	}
	a.countSCIM(scimRemoved)
	return noContent(), nil
}
