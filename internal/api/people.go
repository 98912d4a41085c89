package api

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"signet/internal/api/input"
	"signet/internal/api/output"
	"signet/internal/api/wire"
	"signet/internal/model"
	"signet/internal/people"
)

// createUser: POST /user (call 28).
func (a *API) createUser(ctx context.Context, c *call) (answer, error) {
	f := &c.body.Fields
	command := personAsked(f)
	command.Organization = c.organization()
	if err := c.err(); err != nil {
		return answer{}, err
	}
	created, err := a.people.Create(ctx, c.actor, command)
	if err != nil {
		return answer{}, blameList(f, err)
	}
	return reply(c.createdUser(&created)), nil
}

func (c *call) createdUser(made *people.Created) wire.CreatedUser {
	out := wire.CreatedUser{User: c.User(made.Entity)}
	if made.Key != nil {
		out.APIKey, out.APISecret = made.Key.Key.Key, made.Key.Secret
	}
	return out
}

// personAsked reads an account that is to be made.
func personAsked(f *input.Fields) people.CreateCommand {
	return people.CreateCommand{
		FirstName:   f.Text("first_name"),
		LastName:    f.Text("last_name"),
		DisplayName: f.Text("display_name"),
		Username:    f.Text("username"),
		Emails:      addresses(f, "email", "emails"),
		Phones:      addresses(f, "phone", "phones"),
		Password:    f.Text("password"),
		Title:       f.Text("title"),
		Department:  f.Text("department"),
		IssueKey:    f.Bool("issue_key"),
	}
}

// addresses reads one address and a list of them into one list.
func addresses(f *input.Fields, one, many string) []string {
	var out []string
	if address := f.Text(one); address != "" {
		out = append(out, address)
	}
	return slices.Concat(out, f.List(many))
}

// blameList names the field of an error as the caller called it: the list, where it
// sent that and not the field for one address.
func blameList(f *input.Fields, err error) error {
	fault, ok := asModel(err)
	if !ok {
		return err
	}
	for one, many := range map[string]string{"email": "emails", "phone": "phones"} {
		if fault.Field == one && !f.Has(one) && f.Has(many) {
			renamed := *fault
			renamed.Field = many
			return &renamed
		}
	}
	return err
}

// eraseUser: DELETE /user/:user.
func (a *API) eraseUser(ctx context.Context, c *call) (answer, error) {
	username := c.body.RequiredText("username")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.people.EraseUser(ctx, c.actor, people.EraseCommand{Address: c.path("user"), Username: username})
}

// wireResult is what became of one of many people.
type wireResult struct {
	Index    int               `json:"index"`
	Status   int               `json:"status"`
	Repeated bool              `json:"repeated,omitempty"`
	User     *wire.CreatedUser `json:"user,omitempty"`
	Error    *wire.Error       `json:"error,omitempty"`
}

// wireResults are what became of all of them, in their order.
type wireResults struct {
	Results []wireResult `json:"results"`
}

const (
	// personFields is how many names and values one of many people may have.
	personFields = 64
	// personBytes is how many bytes of a body each of them may take, if all take as many.
	personBytes = 2 << 10
)

// createUsers: POST /user/bulk: each as POST /user would make it.
func (a *API) createUsers(ctx context.Context, c *call) (answer, error) {
	asked := c.body.Objects("users", people.Most, personFields)
	many := people.Many{Organization: c.organization(), DryRun: c.body.Bool("dry_run"),
		People: make([]people.Asked, len(asked))}
	var err error
	if many.Request, err = c.requestID(); err == nil {
		err = c.err()
	}
	switch {
	case err != nil:
	case len(asked) == 0:
		err = model.Invalidf("users_required", "users", "One user or more is required.")
	case len(asked) > people.Most:
		err = model.Invalidf("too_many_users", "users", "At most %d users are made at a time.", people.Most)
	}
	if err != nil {
		return answer{}, err
	}
	for i := range asked {
		many.People[i] = people.Asked{CreateCommand: personAsked(&asked[i]), Refused: asked[i].Err()}
	}
	a.charge(c, costOfPeople(len(asked))) // before they are made, which may take a while
	made, err := a.people.CreateMany(ctx, c.actor, many)
	if err != nil {
		return answer{}, err
	}
	out := wireResults{Results: make([]wireResult, len(made))}
	var failed error
	for i := range made {
		result := &out.Results[i]
		result.Index, result.Status, result.Repeated = i, http.StatusOK, made[i].Repeated
		switch err := blameList(&asked[i], made[i].Err); {
		case err != nil:
			shown := shownError(err)
			result.Status = output.Status(shown.Kind)
			result.Error = &wire.Error{Status: result.Status, Code: shown.Code, Message: shown.Message, Field: shown.Field,
				RequestID: c.id}
			if told, ok := asModel(err); !ok {
				failed = err
			} else if a.audited(c, told) && !many.DryRun {
				a.noteRefusal(ctx, c, told)
			}
		case !many.DryRun || made[i].Repeated:
			user := c.createdUser(&made[i].Created)
			result.User = &user
		}
	}
	if failed != nil {
		a.logFailure(ctx, c, slog.LevelError, failed)
	}
	return reply(out), nil
}
