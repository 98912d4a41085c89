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
	File      string            `arg:"" optional:"" help:"File with a row for each person, and the names of the columns in the first row; - is standard input."`
	Org       string            `aliases:"organization" placeholder:"TOKEN" help:"Organization that receives the accounts. It is needed, except with --template."`
	Template  bool              `help:"Print a file to fill in: the names of the columns, and an example, which the import leaves out."`
	DryRun    bool              `help:"Create no account: only say who is new, who is a member already, and all that is wrong."`
	Column    map[string]string `placeholder:"NAME=FIELD" mapsep:"none" help:"What a column holds, whatever its name says; - leaves it out. NAME may be the column's number; may be repeated."`
	RequestID string            `name:"request-id" placeholder:"ID" help:"Names the run, so that no account is made twice; if left out, it is made from the file's content and the organization."`
}

func (userImportCommand) Help() string {
	return `The file is CSV as spreadsheets write it: with commas, semicolons or tabs, in UTF-8, or in UTF-16 with
its mark ("Unicode text"). Anything else is read as windows-1252, and the command says this. The columns are
those of "signet user create": username, email, emails, phone, phones, first_name, last_name, display_name,
password, title, department, issue_key. The columns may also have the names that the console gives them, so that
you can import its list of people, and that of "signet org members --csv". Several addresses in one cell are
separated by commas.

It prints a line for each account that it makes and for each person who is a member already, with the fields in
which the file says something else; nothing of these is changed. It says what is wrong with a row by the number
of its line in the file, from 1. If you run it again with the same file within 24 hours, it makes the accounts
that are missing, and none twice; the same is true for rows corrected in place, if both runs have the same
--request-id.

Exit code 0: every person has an account in the organization, or could have one. 1: a row was refused. 2: the
file can't be read, or has a column that is no field or (unless in a dry run) a cell that cannot be read; then
nobody was made.

Examples:

  signet user import --template > people.csv
  signet user import people.csv --org Hq3nVt0cXz8Lw2RbKd5mYp7A --dry-run
  signet user import people.csv --org Hq3nVt0cXz8Lw2RbKd5mYp7A --column "Shoe size=-" --column "Work mail=email"`
}

func (u *userImportCommand) Run(ctx context.Context, con *console) error {
	switch {
	case u.Template:
		_, err := io.WriteString(con.stdout, spreadsheet.Template())
		return err
	case u.File == "" || u.Org == "":
		return wrongConfiguration{errors.New("name a file and the organization (--org), or ask for a --template")}
	}
	content, err := con.readTable(u.File)
	if err != nil {
		return wrongConfiguration{err}
	}
	people, err := u.read(content)
	if err != nil {
		return wrongConfiguration{fmt.Errorf("%s: %w", u.File, err)}
	}
	if people.Latin {
		con.note("%s is not UTF-8 and was read as windows-1252: look at the names", commandline.Plain(u.File))
	}
	c, err := u.ProvideClient(con)
	if err != nil {
		return err
	}
	id := u.RequestID
	if id == "" {
		sum := sha256.Sum256(append([]byte(u.Org+"\n"), content...))
		id = "import-" + hex.EncodeToString(sum[:16])
	}
	i := importing{command: u, con: con, client: c, id: id, claimed: map[string]int{}}
	for part := range slices.Chunk(people.Rows, mostAtOnce) {
		if err := i.take(ctx, part); err != nil {
			return err
		}
	}
	if u.DryRun {
		con.note("%s, %s", count(i.made, "person is new", "people are new"),
			count(i.existing, "is a member already", "are members already"))
	}
	if i.refused > 0 {
		return fmt.Errorf("%d of %s refused", i.refused, count(len(people.Rows), "row was", "rows were"))
	}
	return nil
}

// read reads the people of a file. A dry run leaves what is wrong with single rows to them.
func (u *userImportCommand) read(content []byte) (people spreadsheet.People, err error) {
	if people, err = spreadsheet.ReadPeople(content, nil); err != nil {
		return people, err
	}
	if len(u.Column) > 0 {
		choices, err := u.choices(people.Columns)
		if err != nil {
			return people, err
		}
		if people, err = spreadsheet.ReadPeople(content, choices); err != nil {
			return people, err
		}
	}
	var wrong []error
	for _, problem := range people.Problems {
		wrong = append(wrong, withAdvice(problem, people.Columns[problem.Column-1].Suggestion))
	}
	for i := range people.Rows {
		if !u.DryRun {
			for _, problem := range people.Rows[i].Problems {
				wrong = append(wrong, problem)
			}
		}
	}
	return people, errors.Join(wrong...)
}

// withAdvice adds to what is wrong with a column how it is read all the same.
func withAdvice(problem *spreadsheet.Problem, suggestion string) error {
	flag := "--column " + strconv.Itoa(problem.Column) + "="
	if suggestion == "" {
		return fmt.Errorf("%w (%s- leaves it out)", problem, flag)
	}
	return fmt.Errorf("%w (%s%s if it is that, and %s- leaves it out)", problem, flag, suggestion, flag)
}

// choices are what the columns hold by the flags.
func (u *userImportCommand) choices(columns []spreadsheet.Column) (spreadsheet.Choices, error) {
	out := spreadsheet.Choices{}
	for name, text := range u.Column {
		field := spreadsheet.FieldNamed(text)
		if field == "" {
			return nil, fmt.Errorf("--column %s=%s: %q is no field", name, text, text)
		}
		found := false
		for i := range columns {
			if columns[i].Name == name || strconv.Itoa(i+1) == name {
				out[i+1], found = field, true
			}
		}
		if !found {
			return nil, fmt.Errorf("--column %s=%s: there is no column %q", name, text, name)
		}
	}
	return out, nil
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

func newUser(of *spreadsheet.Person) client.NewUser {
	return client.NewUser{FirstName: of.FirstName, LastName: of.LastName, DisplayName: of.DisplayName,
		Username: of.Username, Emails: of.Emails, Phones: of.Phones, Password: of.Password, Title: of.Title,
		Department: of.Department, IssueKey: of.IssueKey}
}
