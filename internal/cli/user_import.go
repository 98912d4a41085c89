package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"signet/client"
)

type userImportCommand struct {
	access
	File      string `arg:"" help:"File with a row for each person, and the names of the columns in the first; - is standard input."`
	Org       string `required:"" aliases:"organization" placeholder:"TOKEN" help:"Organization that receives the accounts."`
	DryRun    bool   `help:"Only say what would be refused."`
	RequestID string `name:"request-id" placeholder:"ID" help:"Names the run, so that nobody is made twice; if left out, made of the file's content and the organization."`
}

func (userImportCommand) Help() string {
	return `The file is CSV (RFC 4180), in UTF-8, with commas or semicolons. Its columns are those of "signet user create":
username, email, emails, phone, phones, first_name, last_name, display_name, password, title, department, issue_key.
Several addresses in one cell have commas between them.

It prints a line for each person who is made, and says what is wrong with a row by its number, which counts the names
of the columns as the first. Run again with the same file, within 24 hours, it makes those who are missing, and nobody
twice; so it does with rows corrected in place, where both runs have the same --request-id. Otherwise who is there is
refused, for the address. Exit code 1: a row was refused.

Example:

  signet user import people.csv --org Hq3nVt0cXz8Lw2RbKd5mYp7A --dry-run`
}

// mostAtOnce is how many people one call makes.
const mostAtOnce = 500

// importedRow is a person, and the row of the file, counted from 1 with the heading.
type importedRow struct {
	number int
	user   client.NewUser
}

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
	rows, err := parseTable(text)
	if err != nil {
		return wrongConfiguration{fmt.Errorf("%s: %w", u.File, err)}
	}
	id := u.RequestID
	if id == "" {
		sum := sha256.Sum256(append([]byte(u.Org+"\n"), text...))
		id = "import-" + hex.EncodeToString(sum[:16])
	}
	refused := 0
	for part := range slices.Chunk(rows, mostAtOnce) {
		users := client.NewUsers{DryRun: u.DryRun, RequestID: id + "-" + strconv.Itoa(part[0].number)}
		for _, row := range part {
			users.Users = append(users.Users, row.user)
		}
		results, err := c.CreateUsers(ctx, u.Org, users)
		if err != nil {
			return fmt.Errorf("rows from %d on, of which some may be made (run it again): %w", part[0].number, err)
		}
		if len(results) != len(part) {
			return fmt.Errorf("%w: %d results for %d people", client.ErrProtocol, len(results), len(part))
		}
		var lines []string
		for i := range results {
			line := imported{part[i].number, results[i]}
			if line.Err != nil {
				refused++
				fmt.Fprintf(con.stderr, "signet: row %d: %v\n", line.Row, plain(line.Err.Error()))
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
		return fmt.Errorf("%d of %s refused", refused, count(len(rows), "row was", "rows were"))
	}
	return nil
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
	return bytes.TrimPrefix(text, []byte("\ufeff")), nil // which some spreadsheets begin with
}

// columns set a field of a person, by the name of the column.
var columns = map[string]func(u *client.NewUser, cell string) error{
	"username":     func(u *client.NewUser, cell string) error { u.Username = cell; return nil },
	"first_name":   func(u *client.NewUser, cell string) error { u.FirstName = cell; return nil },
	"last_name":    func(u *client.NewUser, cell string) error { u.LastName = cell; return nil },
	"display_name": func(u *client.NewUser, cell string) error { u.DisplayName = cell; return nil },
	"password":     func(u *client.NewUser, cell string) error { u.Password = cell; return nil },
	"title":        func(u *client.NewUser, cell string) error { u.Title = cell; return nil },
	"department":   func(u *client.NewUser, cell string) error { u.Department = cell; return nil },
	"email":        func(u *client.NewUser, cell string) error { return addAddresses(&u.Emails, cell) },
	"emails":       func(u *client.NewUser, cell string) error { return addAddresses(&u.Emails, cell) },
	"phone":        func(u *client.NewUser, cell string) error { return addAddresses(&u.Phones, cell) },
	"phones":       func(u *client.NewUser, cell string) error { return addAddresses(&u.Phones, cell) },
	"issue_key": func(u *client.NewUser, cell string) (err error) {
		u.IssueKey, err = strconv.ParseBool(cell)
		return err
	},
}

func addAddresses(list *[]string, cell string) error {
	for address := range strings.SplitSeq(cell, ",") {
		*list = append(*list, strings.TrimSpace(address))
	}
	return nil
}

// parseTable reads the rows of a CSV file. Empty ones are left out.
func parseTable(text []byte) (rows []importedRow, err error) {
	r := csv.NewReader(bytes.NewReader(text))
	if head, _, _ := bytes.Cut(text, []byte("\n")); !bytes.ContainsRune(head, ',') && bytes.ContainsRune(head, ';') {
		r.Comma = ';'
	}
	head, err := r.Read()
	if err == io.EOF {
		return nil, errors.New("it is empty")
	}
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, name := range head {
		head[i] = strings.ToLower(strings.TrimSpace(name))
		if columns[head[i]] == nil {
			return nil, fmt.Errorf("column %d is called %q, which is no field of a person", i+1, name)
		}
		if seen[head[i]] {
			return nil, fmt.Errorf("there are two columns called %q", head[i])
		}
		seen[head[i]] = true
	}
	for {
		record, err := r.Read()
		if err == io.EOF && len(rows) == 0 {
			return nil, errors.New("there is no row below the names of the columns")
		}
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		row, filled := importedRow{number: line}, false
		for i, cell := range record {
			if strings.TrimSpace(cell) == "" {
				continue
			}
			filled = true
			if err := columns[head[i]](&row.user, cell); err != nil {
				return nil, fmt.Errorf("row %d: %s: %q is neither true nor false", line, head[i], cell)
			}
		}
		if filled {
			rows = append(rows, row)
		}
	}
}
