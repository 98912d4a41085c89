package api

import (
	"context"

	"signet/internal/api/input"
	"signet/internal/people"
)

// updatePerson: POST /user/:user, by administrators.
func (a *API) updatePerson(ctx context.Context, c *call) (answer, error) {
	f := &c.body.Fields
	command := people.PersonCommand{
		Address:      c.path("user"),
		Organization: c.organization(),
		FirstName:    f.OptionalText("first_name"),
		LastName:     f.OptionalText("last_name"),
		DisplayName:  f.OptionalText("display_name"),
		Username:     f.OptionalText("username"),
		Emails:       newAddresses(f, "email", "emails"),
		Phones:       newAddresses(f, "phone", "phones"),
		Title:        f.OptionalText("title"),
		Department:   f.OptionalText("department"),
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	e, err := a.people.UpdatePerson(ctx, c.actor, command)
	if err != nil {
		return answer{}, blameList(f, err)
	}
	return reply(c.User(e)), nil
}

// newAddresses reads what addresses does, and tells none from those that a call leaves out: it is
// nil where neither field is given.
func newAddresses(f *input.Fields, one, many string) []string {
	if f.OptionalText(one) == nil && f.List(many) == nil {
		return nil
	}
	return append([]string{}, addresses(f, one, many)...)
}
