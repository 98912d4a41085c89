package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"signet/client"
	"signet/internal/commandline"
	"signet/internal/spreadsheet"
)

// mostAtOnce is how many people one call makes.
const mostAtOnce = 500

// importing is a run of "signet user import".
type importing struct {
	command *userImportCommand
	con     *console
	client  *client.Client
	id      string         // the beginning of the Request-IDs
	claimed map[string]int // the rows of those who are new in a dry run, by their addresses

	made, existing, refused int
}

// imported is what became of a row.
type imported struct {
	Row      int                    `json:"row"`
	Problems []*spreadsheet.Problem `json:"problems,omitempty"` // of its cells
	Repeats  int                    `json:"repeats,omitempty"`  // an earlier row of the same person
	client.CreateResult
}

// take makes the people of some rows, and tells what became of them.
func (i *importing) take(ctx context.Context, part []spreadsheet.Person) error {
	users := client.NewUsers{DryRun: i.command.DryRun, RequestID: i.id + "-" + strconv.Itoa(part[0].Row)}
	for j := range part {
		users.Users = append(users.Users, newUser(&part[j]))
	}
	results, err := i.call(ctx, users)
	if err != nil {
		return fmt.Errorf("rows from %d on, of which some may be made (run it again): %w", part[0].Row, err)
	}
	if err := i.recognize(ctx, users, results); err != nil {
		return fmt.Errorf("who has the addresses of rows from %d on: %w", part[0].Row, err)
	}
	var lines []string
	for j := range results {
		line := imported{Row: part[j].Row, Problems: part[j].Problems, CreateResult: results[j]}
		if line.SameAs != nil && *line.SameAs < len(part) {
			line.Repeats = part[*line.SameAs].Row
		}
		i.claim(&line, &part[j])
		i.count(&line)
		if !i.con.asJSON {
			lines = append(lines, line.cells(part[j].DisplayName)...)
		} else if err := i.con.json(line); err != nil {
			return err
		}
	}
	return i.con.lines(lines...)
}

func (i *importing) call(ctx context.Context, users client.NewUsers) ([]client.CreateResult, error) {
	results, err := i.client.CreateUsers(ctx, i.command.Org, users)
	if err == nil && len(results) != len(users.Users) {
		err = fmt.Errorf("%w: %d results for %d people", client.ErrProtocol, len(results), len(users.Users))
	}
	return results, err
}

// recognize asks who has the addresses of the people who were refused for that: only a dry run
// tells it.
func (i *importing) recognize(ctx context.Context, users client.NewUsers, results []client.CreateResult) error {
	var places []int
	again := client.NewUsers{DryRun: true}
	for j := range results {
		if r := &results[j]; r.Err != nil && errors.Is(r.Err, client.ErrAddressTaken) && r.SameAs == nil && !users.DryRun {
			places, again.Users = append(places, j), append(again.Users, users.Users[j])
		}
	}
	if len(places) == 0 {
		return nil
	}
	looked, err := i.call(ctx, again)
	if err != nil {
		return err
	}
	for j, place := range places {
		results[place].Existing, results[place].Errors = looked[j].Existing, looked[j].Errors
	}
	return nil
}

// claim notes whose addresses a new person has. The server knows repeats within one call alone.
func (i *importing) claim(line *imported, person *spreadsheet.Person) {
	if !i.command.DryRun || line.Err != nil || line.Problems != nil || line.Repeated {
		return
	}
	addresses := person.Addresses()
	for _, address := range addresses {
		if earlier, claimed := i.claimed[address]; claimed {
			line.Repeats = earlier
			return
		}
	}
	for _, address := range addresses {
		i.claimed[address] = line.Row
	}
}

// count counts what became of a row, and tells all that is wrong with it.
func (i *importing) count(line *imported) {
	switch wrong := line.wrong(i.command.Org); {
	case line.exists():
		i.existing++
	case len(wrong) == 0:
		i.made++
	default:
		i.refused++
		for _, words := range wrong {
			i.con.note("row %d: %s", line.Row, commandline.Plain(words))
		}
	}
}

// exists reports whether the person is a member already, and nothing else is wrong with the row.
func (l *imported) exists() bool {
	return l.Existing != nil && l.Existing.Member && l.Repeats == 0 && l.Problems == nil &&
		!slices.ContainsFunc(l.Errors, func(e *client.Error) bool { return !errors.Is(e, client.ErrAddressTaken) })
}

// wrong is all that is wrong with a row.
func (l *imported) wrong(organization string) (out []string) {
	for _, problem := range l.Problems {
		out = append(out, problem.Error())
	}
	told := l.Errors
	if len(told) == 0 && l.Err != nil { // a server of before tells one
		told = []*client.Error{l.Err}
	}
	for _, err := range told {
		out = append(out, err.Error())
	}
	switch {
	case l.Repeats > 0:
		out = append(out, fmt.Sprintf("row %d is of the same person", l.Repeats))
	case l.Existing != nil && !l.Existing.Member:
		out = append(out, fmt.Sprintf("the account is in another organization; to add it: signet user add %s --org %s",
			l.Existing.User.Token, organization))
	}
	return out
}

// cells shows a row that was not refused.
func (l *imported) cells(name string) []string {
	line := []string{fmt.Sprint("row ", l.Row)}
	switch {
	case l.exists():
		line = append(line, l.Existing.User.Token, "exists")
		if len(l.Existing.Differs) > 0 {
			line = append(line, "differs in "+strings.Join(l.Existing.Differs, ", "))
		}
	case l.Err != nil || l.Problems != nil || l.Repeats > 0:
		return nil
	case l.User == nil:
		line = append(line, "-", "new", cmp.Or(name, "-"))
	case l.Repeated:
		line = append(line, l.User.Token, "made before")
	case l.User.APIKey == "":
		line = append(line, l.User.Token, "made")
	default:
		line = append(line, l.User.Token, "made", l.User.APIKey, l.User.APISecret)
	}
	return []string{cells(line...)}
}
