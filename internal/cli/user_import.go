package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"signet/client"
	"signet/internal/commandline"
	"signet/internal/spreadsheet"
)

type userImportCommand struct {
	access
	File      string `arg:"" help:"File with a row for each person, and the names of the columns in the first row; - is standard input."`
	Org       string `required:"" aliases:"organization" placeholder:"TOKEN" help:"Organization that receives the accounts."`
	DryRun    bool   `help:"Only say what would be refused."`
	RequestID string `name:"request-id" placeholder:"ID" help:"Names the run, so that no account is made twice; if left out, it is made from the file's content and the organization."`
}

func (userImportCommand) Help() string {
	return `The file is CSV as spreadsheets write it: with commas, semicolons or tabs, in UTF-8, or in UTF-16 with
its mark ("Unicode text"). Anything else is read as windows-1252, and the command says this. The columns are
those of "signet user create": username, email, emails, phone, phones, first_name, last_name, display_name,
password, title, department, issue_key. The columns may also have the names that the console gives them, so that
you can import its list of people. Several addresses in one cell are separated by commas.

It prints a line for each account that it makes, and says what is wrong with a row by the number of its line in
the file, from 1. If you run it again with the same file within 24 hours, it makes the accounts that are
missing, and none twice; the same is true for rows corrected in place, if both runs have the same --request-id.
Otherwise rows whose address is taken are refused. Exit code 1: a row was refused.

Example:

  signet user import people.csv --org Hq3nVt0cXz8Lw2RbKd5mYp7A --dry-run`
}

// mostAtOnce is how many people one call makes.
const mostAtOnce = 500

// imported is what became of a row.
type imported struct {
	Row int `json:"row"`
	client.CreateResult
}

func (u *userImportCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	text, err := con.readTable(u.File)
	if err != nil {
		return err
	}
	people, err := spreadsheet.ReadPeople(text)
	if err != nil {
		return wrongConfiguration{fmt.Errorf("%s: %w", u.File, err)}
	}
	if people.Latin {
		fmt.Fprintf(con.stderr, "signet: %s is not UTF-8 and was read as windows-1252: look at the names\n",
			commandline.Plain(u.File))
	}
	id := u.RequestID
	if id == "" {
		sum := sha256.Sum256(append([]byte(u.Org+"\n"), text...))
		id = "import-" + hex.EncodeToString(sum[:16])
	}
	refused := 0
	for part := range slices.Chunk(people.Rows, mostAtOnce) {
		users := client.NewUsers{DryRun: u.DryRun, RequestID: id + "-" + strconv.Itoa(part[0].Row)}
		for i := range part {
			users.Users = append(users.Users, newUser(&part[i]))
		}
		results, err := c.CreateUsers(ctx, u.Org, users)
		if err != nil {
			return fmt.Errorf("rows from %d on, of which some may be made (run it again): %w", part[0].Row, err)
		}
		if len(results) != len(part) {
			return fmt.Errorf("%w: %d results for %d people", client.ErrProtocol, len(results), len(part))
		}
		var lines []string
		for i := range results {
			line := imported{part[i].Row, results[i]}
			if line.Err != nil {
				refused++
				fmt.Fprintf(con.stderr, "signet: row %d: %v\n", line.Row, commandline.Plain(line.Err.Error()))
			}
			if !u.JSON {
				lines = append(lines, line.cells()...)
			} else if err := con.json(line); err != nil {
				return err
			}
		}
		if err := con.lines(lines...); err != nil {
			return err
		}
	}
	if refused > 0 {
		return fmt.Errorf("%d of %s refused", refused, count(len(people.Rows), "row was", "rows were"))
	}
	return nil
}

func newUser(of *spreadsheet.Person) client.NewUser {
	return client.NewUser{FirstName: of.FirstName, LastName: of.LastName, DisplayName: of.DisplayName,
		Username: of.Username, Emails: of.Emails, Phones: of.Phones, Password: of.Password, Title: of.Title,
		Department: of.Department, IssueKey: of.IssueKey}
}

// cells shows a person who was made.
func (i *imported) cells() []string {
	switch {
	case i.User == nil:
		return nil
	case i.Repeated:
		return []string{cells(fmt.Sprint("row ", i.Row), i.User.Token, "made before")}
	case i.User.APIKey == "":
		return []string{cells(fmt.Sprint("row ", i.Row), i.User.Token, "made")}
	}
	return []string{cells(fmt.Sprint("row ", i.Row), i.User.Token, "made", i.User.APIKey, i.User.APISecret)}
}

// largestTable is how many bytes of a file are imported: more than 100,000 people.
const largestTable = 64 << 20

// readTable reads a file, or standard input where its name is "-".
func (c *console) readTable(name string) ([]byte, error) {
	r := c.stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		r = file
	}
	text, err := io.ReadAll(io.LimitReader(r, largestTable+1))
	if err == nil && len(text) > largestTable {
		err = errors.New("it is longer than 64 MiB")
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return text, nil
}
