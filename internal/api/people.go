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
	Error    *wire.Error       `json:"error,omitempty"` // the first of Errors
	Errors   []wire.Error      `json:"errors,omitempty"`
	SameAs   *int              `json:"same_as,omitempty"`
	Existing *wireExisting     `json:"existing,omitempty"`
}

// wireExisting is an account that has the addresses of a person who is asked for.
type wireExisting struct {
	User    wire.User `json:"user"`
	Member  bool      `json:"member"`
	Differs []string  `json:"differs,omitzero"`
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
		errs := made[i].Errs
		for j, err := range errs {
			errs[j] = blameList(&asked[i], err)
		}
		out.Results[i] = c.shownResult(i, &made[i], many.DryRun)
		if len(errs) == 0 {
			continue
		}
		if told, ok := asModel(errs[0]); !ok {
			failed = errs[0]
		} else if a.audited(c, told) && !many.DryRun {
			a.noteRefusal(ctx, c, told)
		}
	}
	if failed != nil {
		a.logFailure(ctx, c, slog.LevelError, failed)
	}
	return reply(out), nil
}

// shownResult shows what became of one of many people.
func (c *call) shownResult(index int, made *people.Outcome, dry bool) wireResult {
	out := wireResult{Index: index, Status: http.StatusOK, Repeated: made.Repeated}
	for _, err := range made.Errs {
		shown := shownError(err)
		out.Errors = append(out.Errors, wire.Error{Status: output.Status(shown.Kind), Code: shown.Code,
			Message: shown.Message, Field: shown.Field, RequestID: c.id})
	}
	if made.SameAs >= 0 {
		out.SameAs = &made.SameAs
	}
	if found := made.Existing; found != nil {
		out.Existing = &wireExisting{User: c.User(found.Entity), Member: found.Member, Differs: found.Differs}
	}
	switch {
	case len(out.Errors) > 0:
		out.Error = &out.Errors[0]
		out.Status = out.Error.Status
	case !dry || made.Repeated:
		user := c.createdUser(&made.Created)
		out.User = &user
	}
	return out
}
