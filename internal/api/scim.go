package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"signet/internal/api/guard"
	"signet/internal/api/output"
	"signet/internal/model"
	"signet/internal/scim"
)

// SCIM 2.0 (contract, section 9): the calls by which the directory of an organization keeps its people and groups.
// What clients of it wait for is in RFC 7644, and openapi/scim.yaml says which part of it there is.

const (
	// scimPath is what the paths of SCIM begin with.
	scimPath = "/scim/v2"
	// scimType is the type of its bodies and answers.
	scimType = "application/scim+json"
	// scimRate is how many times as many calls a second a directory makes: one for each person of a large house.
	scimRate = 5
	// scimBytes is how large a body may be at least: a group of 2,000 members, each with its name and URL.
	scimBytes = 1 << 20

	codeSCIMUnsupported = "scim_unsupported" // 501: of the standard, and not here
)

// isSCIM reports whether a path is one of SCIM, whose errors have a form of their own.
func isSCIM(path string) bool { return path == scimPath || strings.HasPrefix(path, scimPath+"/") }

// scimRoutes are the calls of SCIM. They stand beside the table of the interface: directories make them, and nobody
// else.
func (a *API) scimRoutes() (out []route) {
	for _, r := range []route{
		{method: http.MethodGet, pattern: "/ServiceProviderConfig", handler: a.getSCIMConfig},
		{method: http.MethodGet, pattern: "/ResourceTypes", handler: a.listSCIMTypes},
		{method: http.MethodGet, pattern: "/ResourceTypes/:id", handler: a.getSCIMType},
		{method: http.MethodGet, pattern: "/Schemas", handler: a.listSCIMSchemas},
		{method: http.MethodGet, pattern: "/Schemas/:id", handler: a.getSCIMSchema},

		{method: http.MethodGet, pattern: "/Users", handler: a.listSCIMUsers},
		{method: http.MethodPost, pattern: "/Users/.search", handler: a.listSCIMUsers, reads: true},
		{method: http.MethodPost, pattern: "/Users", handler: a.createSCIMUser},
		{method: http.MethodGet, pattern: "/Users/:user", handler: a.getSCIMUser},
		{method: http.MethodPut, pattern: "/Users/:user", handler: a.replaceSCIMUser},
		{method: http.MethodPatch, pattern: "/Users/:user", handler: a.patchSCIMUser},
		{method: http.MethodDelete, pattern: "/Users/:user", handler: a.deleteSCIMUser},

		{method: http.MethodGet, pattern: "/Groups", handler: a.listSCIMGroups},
		{method: http.MethodPost, pattern: "/Groups/.search", handler: a.listSCIMGroups, reads: true},
		{method: http.MethodPost, pattern: "/Groups", handler: a.createSCIMGroup},
		{method: http.MethodGet, pattern: "/Groups/:group", handler: a.getSCIMGroup},
		{method: http.MethodPut, pattern: "/Groups/:group", handler: a.replaceSCIMGroup},
		{method: http.MethodPatch, pattern: "/Groups/:group", handler: a.patchSCIMGroup},
		{method: http.MethodDelete, pattern: "/Groups/:group", handler: a.deleteSCIMGroup},

		{method: http.MethodPost, pattern: "/Bulk", handler: unsupportedSCIM},
		{method: http.MethodGet, pattern: "/Me", handler: unsupportedSCIM},
	} {
		r.pattern, r.scim, r.overseen, r.bytes = scimPath+r.pattern, true, true, scimBytes
		out = append(out, r)
	}
	return out
}

// wantDirectory lets directories through, and nobody else: administrative keys whose scope is one organization, which
// they then act in.
func wantDirectory(actor *model.Actor) error {
	if scope := actor.Key.Scope; scope != "" && actor.Administers(scope) {
		return nil
	}
	return model.Forbiddenf(codeAdministrativeKey,
		"SCIM takes an administrative key whose scope is the organization, of an account that administers it.")
}

// directory is the organization of a call of SCIM.
func (c *call) directory() model.OrganizationID { return c.actor.Key.Scope }

// scimURL is what the URLs of resources begin with.
func (c *call) scimURL() string { return c.View.Base + scimPath }

func unsupportedSCIM(context.Context, *call) (answer, error) {
	return answer{}, model.Invalidf(codeSCIMUnsupported, "", "The server has no such part of SCIM.")
}

// scimFailure is an error as SCIM has it (RFC 7644, section 3.12).
type scimFailure struct {
	Schemas []string `json:"schemas"`
	Status  string   `json:"status"`
	Type    string   `json:"scimType,omitempty"`
	Detail  string   `json:"detail"`
}

var scimChallenges = []string{`Bearer realm="signet"`, `Basic realm="signet", charset="UTF-8"`}

// writeSCIMError answers a call of SCIM with an error.
func (a *API) writeSCIMError(c *call, status int, shown *model.Error) {
	switch {
	case shown.Code == scim.CodePrecondition:
		status = http.StatusPreconditionFailed
	case shown.Code == codeSCIMUnsupported:
		status = http.StatusNotImplemented
	case scim.Conflicts(shown):
		status = http.StatusConflict
	}
	failure := scimFailure{Schemas: []string{scim.ErrorMessage}, Status: strconv.Itoa(status), Detail: shown.Message}
	if status == http.StatusBadRequest || status == http.StatusConflict {
		failure.Type = scim.Type(shown)
	}
	if shown.Field != "" {
		failure.Detail += " (" + shown.Field + ")"
	}
	output.ErrorAs(&c.writer, c.request, status, shown, scimChallenges, scimType, failure)
}

// sendSCIM answers with a resource, or a list of them.
func (a *API) sendSCIM(c *call, status int, body any) (answer, error) {
	e := output.NewBody()
	defer e.Release()
	if err := e.Encode(body); err != nil {
		return answer{}, err
	}
	if c.onlyReads() && c.answer == (guard.Held{}) {
		c.answer = a.answers.Hold(c.actor.Key.Counter)
		if err := c.answer.Take(e.Len()); err != nil {
			return answer{}, err
		}
	}
	a.charge(c, costOfAnswer(e.Len()))
	c.large.Leave()
	output.SendAs(&c.writer, c.request, status, scimType, e.Bytes())
	return written(), nil
}

// sendResource answers with a resource of a version, as far as it is wanted. Who has that version already gets 304.
func (a *API) sendResource(c *call, status int, o scim.Object, version, location string, shown *scim.Shown) (answer,
	error) {
	h := c.writer.Header()
	h["ETag"] = []string{version}
	if has := c.request.Header.Get("If-None-Match"); has != "" && c.onlyReads() && scim.Names(has, version) {
		c.writer.WriteHeader(http.StatusNotModified)
		return written(), nil
	}
	if status == http.StatusCreated {
		h["Location"] = []string{location}
	}
	meta := o["meta"].(scim.Object)
	meta["version"] = version
	return a.sendSCIM(c, status, shown.Of(o))
}

// scimAsk is what a list of resources is to have.
type scimAsk struct {
	filter       *scim.Filter
	start, limit int // start counts from 1
	shown        *scim.Shown
}

func (q *scimAsk) skip() int { return q.start - 1 }

// readAsk reads what a list is to have: of the query, or of the body of a search.
func (c *call) readAsk(kind *scim.Kind) (q scimAsk, err error) {
	get := c.readQuery().Text
	if c.request.Method == http.MethodPost {
		get = func(name string) string { return documentText(c.body.Document[name]) }
	}
	filter, start, count := get("filter"), get("startIndex"), get("count")
	q.shown = kind.ReadShown(get("attributes"), get("excludedAttributes"))
	if err := c.err(); err != nil {
		return q, err
	}
	if q.filter, err = kind.ParseFilter(filter); err != nil {
		return q, err
	}
	if q.start, err = number("startIndex", start, 1); err != nil {
		return q, err
	}
	if q.limit, err = number("count", count, scim.DefaultResults); err != nil {
		return q, err
	}
	q.start, q.limit = max(q.start, 1), min(max(q.limit, 0), scim.MaxResults)
	return q, nil
}

// documentText is a value of a search as it would stand in a query.
func documentText(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	case []any:
		var all []string
		for _, one := range value {
			if text, ok := one.(string); ok {
				all = append(all, text)
			}
		}
		return strings.Join(all, ",")
	}
	return ""
}

// number reads a number of a query, or what stands for it where it is not given.
func number(name, text string, missing int) (int, error) {
	if text == "" {
		return missing, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, model.Invalidf(scim.CodeValue, name, "It has to be a whole number.")
	}
	return int(n), nil
}

// sendList answers with some of all resources that match.
func (a *API) sendList(c *call, q *scimAsk, total int, resources []any) (answer, error) {
	if resources == nil {
		resources = []any{}
	}
	return a.sendSCIM(c, http.StatusOK, scim.Object{"schemas": []string{scim.ListMessage}, "totalResults": total,
		"startIndex": q.start, "itemsPerPage": len(resources), "Resources": resources})
}

// shownOf reads which attributes of an answer are wanted.
func (c *call) shownOf(kind *scim.Kind) (*scim.Shown, error) {
	q := c.readQuery()
	shown := kind.ReadShown(q.Text("attributes"), q.Text("excludedAttributes"))
	return shown, c.err()
}

// getSCIMConfig: GET /scim/v2/ServiceProviderConfig.
func (a *API) getSCIMConfig(_ context.Context, c *call) (answer, error) {
	return a.sendSCIM(c, http.StatusOK, scim.Config(c.scimURL()))
}

// describing answers with all of what describes resources, or with the one whose id the path names.
func (a *API) describing(c *call, all []scim.Object) (answer, error) {
	id := c.path("id")
	if id == "" {
		list := make([]any, len(all))
		for i := range all {
			list[i] = all[i]
		}
		return a.sendList(c, &scimAsk{start: 1}, len(list), list)
	}
	for _, one := range all {
		if name, _ := one["id"].(string); strings.EqualFold(name, id) {
			return a.sendSCIM(c, http.StatusOK, one)
		}
	}
	return answer{}, model.Missing()
}

// listSCIMTypes: GET /scim/v2/ResourceTypes.
func (a *API) listSCIMTypes(_ context.Context, c *call) (answer, error) {
	var all []scim.Object
	for _, kind := range scim.Kinds {
		all = append(all, kind.Type(c.scimURL()))
	}
	return a.describing(c, all)
}

// getSCIMType: GET /scim/v2/ResourceTypes/:id.
func (a *API) getSCIMType(ctx context.Context, c *call) (answer, error) {
	return a.listSCIMTypes(ctx, c)
}

// listSCIMSchemas: GET /scim/v2/Schemas.
func (a *API) listSCIMSchemas(_ context.Context, c *call) (answer, error) {
	return a.describing(c, scim.Schemas(c.scimURL()))
}

// getSCIMSchema: GET /scim/v2/Schemas/:id.
func (a *API) getSCIMSchema(ctx context.Context, c *call) (answer, error) {
	return a.listSCIMSchemas(ctx, c)
}
