package api

import (
	"context"
	"net/http"

	"signet/internal/api/output"
	"signet/internal/duty"
	"signet/internal/model"
	"signet/internal/service"
)

const (
	// dutyFields is how many names and values a rotation, or an override, may have.
	dutyFields = 16
	// mostOverridesGiven is how many overrides a call may give: more than a rota has, since old ones are forgotten.
	mostOverridesGiven = 2 * duty.MostOverrides
)

// setDuty: POST /group/:group/duty (contract, section 8).
func (a *API) setDuty(ctx context.Context, c *call) (answer, error) {
	f := &c.body.Fields
	command := service.DutyCommand{Timezone: f.RequiredText("timezone"), Always: f.List("always"),
		Fallback: f.List("fallback")}
	if r := f.Object("rotation", dutyFields); r != nil {
		command.Rotation = &service.DutyRotation{Accounts: r.List("accounts"), Start: r.Time("start"), Hours: r.Int("hours")}
		f.RefuseFor(r)
	}
	overrides := f.Objects("overrides", mostOverridesGiven, dutyFields)
	for i := range overrides {
		o := &overrides[i]
		command.Overrides = append(command.Overrides, service.DutyOverride{From: o.Time("from"), To: o.Time("to"),
			Account: o.Text("account")})
		f.RefuseFor(o)
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	if len(overrides) > mostOverridesGiven {
		return answer{}, model.Invalidf("rota_invalid", "overrides", "At most %d overrides are given at a time.",
			mostOverridesGiven)
	}
	id, err := c.groupID()
	if err != nil {
		return answer{}, err
	}
	named := len(command.Overrides) + len(command.Always) + len(command.Fallback)
	if command.Rotation != nil {
		named += len(command.Rotation.Accounts)
	}
	a.charge(c, costOfIDs(named))
	return noContent(), a.service.SetDuty(ctx, c.actor, id, command)
}

// endDuty: DELETE /group/:group/duty.
func (a *API) endDuty(ctx context.Context, c *call) (answer, error) {
	id, err := c.groupID()
	if err != nil {
		return answer{}, err
	}
	return noContent(), a.service.EndDuty(ctx, c.actor, id)
}

// readDuty reads the rota of a group that a call asks for.
func (a *API) readDuty(ctx context.Context, c *call) (view service.DutyView, err error) {
	q := c.readQuery()
	query := service.DutyQuery{From: q.Time("from"), To: q.Time("to")}
	if err := c.err(); err != nil {
		return view, err
	}
	id, err := c.groupID()
	if err != nil {
		return view, err
	}
	if view, err = a.service.Duty(ctx, c.actor, id, query); err == nil {
		a.charge(c, costOfMembers(len(view.People))+costOfShifts(len(view.Shifts)))
	}
	return view, err
}

// getDuty: GET /group/:group/duty.
func (a *API) getDuty(ctx context.Context, c *call) (answer, error) {
	view, err := a.readDuty(ctx, c)
	if err != nil {
		return answer{}, err
	}
	return reply(c.Duty(&view)), nil
}

// getDutyCalendar: GET /group/:group/duty.ics: the same as a calendar.
func (a *API) getDutyCalendar(ctx context.Context, c *call) (answer, error) {
	view, err := a.readDuty(ctx, c)
	if err != nil {
		return answer{}, err
	}
	calendar := duty.Calendar{Group: view.Group.ID, Name: view.Group.Name, Zone: view.Rota.Timezone, Shifts: view.Shifts,
		People: make(map[model.AccountID]string, len(view.People)), Made: a.clock()}
	for _, e := range view.People {
		calendar.People[e.Account.ID] = e.Account.DisplayName
	}
	c.writer.Header()["Content-Disposition"] = []string{output.Disposition("attachment", view.Group.Name+".ics")}
	output.SendAs(&c.writer, c.request, http.StatusOK, "text/calendar; charset=utf-8", calendar.Bytes())
	return written(), nil
}
