package api

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strconv"

	"signet/internal/access"
	"signet/internal/api/guard"
	"signet/internal/api/input"
	"signet/internal/api/wire"
	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/service"
)

// origin says where a call comes from, for the audit log.
func (a *API) origin(c *call) *audit.Origin {
	if c.origin == nil {
		c.origin = &audit.Origin{Address: a.clientAddress(c.request).String(), RequestID: c.id}
	}
	return c.origin
}

// audit sees to it that a call which has to leave a line in the audit log has done
// so before it is answered. What was done is recorded by the use case, in its own
// transaction; what was refused is recorded here.
func (a *API) audit(ctx context.Context, c *call, err error) {
	if a.service == nil {
		return // a test of the adapter alone
	}
	if err == nil {
		if c.endpoint.audit != "" && !a.origin(c).Recorded() {
			a.logger.LogAttrs(ctx, slog.LevelError, "an act left no line in the audit log", slog.String("request_id", c.id),
				slog.String("route", c.endpoint.label))
		}
		return
	}
	told, ok := asModel(err)
	if !ok || !a.audited(c, told) {
		return
	}
	a.noteRefusal(ctx, c, told)
}

// noteRefusal leaves the line of what a call was refused.
func (a *API) noteRefusal(ctx context.Context, c *call, told *model.Error) {
	action := cmp.Or(c.action, c.endpoint.audit, model.ActionAccess)
	a.access.Refused(audit.WithOrigin(ctx, a.origin(c)), access.Refusal{
		Action: action, Outcome: told.Code, Actor: c.actor, Name: c.tried,
		Organization: c.organizationPath(), User: c.path("user"), Group: c.path("group"), Key: c.path("key"),
	})
}

// audited reports whether a refusal leaves a line: of an administrative act each
// one, of other calls what is about access.
func (a *API) audited(c *call, told *model.Error) bool {
	switch told.Kind {
	case model.Unauthenticated, model.Forbidden:
		return true
	case model.TooMany:
		return told.Code == guard.CodeTooManyFailures
	case model.Invalid:
		return c.endpoint.audit != ""
	case model.NotFound: // that there is none may be what was read, and recorded
		return c.endpoint.audit != "" && !a.origin(c).Recorded()
	case model.Unavailable: // of others than the server's own store, which would not take the line
		return c.endpoint.audit != "" && told.Code == "identity_unavailable"
	}
	return false
}

// getAudit: GET /organization/:organization/audit, and GET /audit for the platform's
// part.
func (a *API) getAudit(ctx context.Context, c *call) (answer, error) {
	if followsAudit(c) {
		return a.streamAudit(ctx, c)
	}
	q := c.readQuery()
	page := service.AuditPage{
		Limit:  q.IntBetween("limit", 1, service.MaxAuditPage, 100),
		Before: int64(q.IntBetween("before", 1, maxAuditNumber, 0)),
		After:  int64(q.IntBetween("after", 0, maxAuditNumber, 0)),
		Since:  q.Time("since"),
		Until:  q.Time("until"),

		Account: q.Text("account"),
		Actions: auditActions(q),
		Outcome: q.Text("outcome"),
		Names:   q.Bool("names"),
	}
	reads := q.OptionalBool("reads")
	page.NoReads = reads != nil && !*reads
	page.Forward = q.Has("after")
	if page.Forward && page.Before != 0 {
		q.Wrong("before", "left out where after is given")
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	found, err := a.service.Audit(ctx, c.actor, c.organizationPath(), page)
	if err != nil {
		return answer{}, err
	}
	out := make([]wire.AuditLine, len(found.Lines))
	for i := range out {
		out[i] = wire.ShownAuditLine(&found.Lines[i].AuditEntry, found.Lines[i].Renamed(), found.Lines[i].Hash)
	}
	next := ""
	if found.Next > 0 {
		next = strconv.FormatInt(found.Next, 10)
	}
	if page.Names {
		return reply(wireAuditPage{out, found.Names, wireAuditNext{next}}), nil
	}
	if next == "" {
		return reply(out), nil
	}
	return reply(out, header{a.vendor.continuation, next}), nil
}

// wireAuditPage is a page of the log with the names of what it names.
type wireAuditPage struct {
	Results  []wire.AuditLine  `json:"results"`
	Names    map[string]string `json:"names"`
	Metadata wireAuditNext     `json:"metadata"`
}

// wireAuditNext is where the log goes on: what to give as `before`, or as `after` where that was
// given.
type wireAuditNext struct {
	Continuation string `json:"continuation,omitempty"`
}

// maxAuditActions is how many kinds of acts one call asks for.
const maxAuditActions = 50

// auditActions reads the actions that are asked for, each once.
func auditActions(q *input.Fields) []model.AuditAction {
	var out []model.AuditAction
	for _, text := range q.List("action") {
		if action := model.AuditAction(text); !slices.Contains(out, action) {
			out = append(out, action)
		}
	}
	if len(out) > maxAuditActions {
		q.Wrong("action", "given "+strconv.Itoa(maxAuditActions)+" times at most")
	}
	return out
}

// maxAuditNumber is more than a chain ever has lines.
const maxAuditNumber = 1<<31 - 1
