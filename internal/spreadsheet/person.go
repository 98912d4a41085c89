package spreadsheet

import (
	"slices"
	"strings"
)

// Person is a row of a file, in the fields of the interface. A row that says nothing of a person is
// one too: the server tells what it lacks.
type Person struct {
	Row         int      `json:"row"` // the line of the file, from 1
	Username    string   `json:"username,omitempty"`
	DisplayName string   `json:"display_name,omitempty"`
	FirstName   string   `json:"first_name,omitempty"`
	LastName    string   `json:"last_name,omitempty"`
	Emails      []string `json:"emails,omitempty"`
	Phones      []string `json:"phones,omitempty"`
	Title       string   `json:"title,omitempty"`
	Department  string   `json:"department,omitempty"`
	Password    string   `json:"password,omitempty"`
	IssueKey    bool     `json:"issue_key,omitempty"`
}

// People are those of a file.
type People struct {
	Rows  []Person
	Latin bool // the file is no UTF-8, and was read as windows-1252: somebody should look at the names
}

// ReadPeople reads a file whose first row names the columns. Empty rows and empty columns are left
// out. The error is a *Problem.
func ReadPeople(file []byte) (People, error) {
	found, problem := readPeople(file)
	if problem != nil {
		return People{}, problem
	}
	return found, nil
}

func readPeople(file []byte) (People, *Problem) {
	text, latin, problem := decode(file)
	if problem != nil {
		return People{}, problem
	}
	rows, problem := split(text)
	if problem != nil {
		return People{}, problem
	}
	rows = slices.DeleteFunc(rows, func(r row) bool {
		return !slices.ContainsFunc(r.cells, func(cell string) bool { return trim(cell) != "" })
	})
	if len(rows) < 2 {
		return People{}, &Problem{Code: Empty}
	}
	columns, problem := columnsOf(rows[0])
	if problem != nil {
		return People{}, problem
	}
	out := People{Latin: latin}
	for _, r := range rows[1:] {
		person := Person{Row: r.line}
		for i, cell := range r.cells {
			problem := person.take(i, columns, cell)
			if problem != nil {
				problem.Row, problem.Column = r.line, i+1
				if i < len(rows[0].cells) {
					problem.Name = trim(rows[0].cells[i])
				}
				return People{}, problem
			}
		}
		out.Rows = append(out.Rows, person)
	}
	return out, nil
}

// take sets the field of a column to what its cell says.
func (p *Person) take(column int, columns []string, cell string) *Problem {
	text := trim(cell)
	switch {
	case text == "":
		return nil
	case column >= len(columns) || columns[column] == "":
		return &Problem{Code: ColumnUnnamed, Cell: text}
	case columns[column] == "issue_key":
		yes, known := readBoolean(text)
		p.IssueKey = yes
		if !known {
			return &Problem{Code: CellBoolean, Cell: text}
		}
		return nil
	}
	text = plain(text)
	switch columns[column] {
	case "username":
		p.Username = text
	case "display_name":
		p.DisplayName = text
	case "first_name":
		p.FirstName = text
	case "last_name":
		p.LastName = text
	case "title":
		p.Title = text
	case "department":
		p.Department = text
	case "password":
		p.Password = cell // to the letter
	case "emails":
		p.Emails = append(p.Emails, addresses(text)...)
	case "phones":
		p.Phones = append(p.Phones, addresses(text)...)
	}
	return nil
}

// plain drops the apostrophe by which a cell is marked as no formula: the console's export writes
// it, and other programs do.
func plain(text string) string {
	rest, marked := strings.CutPrefix(text, "'")
	if !marked || rest == "" || strings.IndexByte("=+-@\t\n", rest[0]) < 0 {
		return text
	}
	return trim(rest)
}

// addresses takes a cell of several apart.
func addresses(cell string) (out []string) {
	for one := range strings.FieldsFuncSeq(cell, func(r rune) bool { return strings.ContainsRune(",;\n", r) }) {
		if one = plain(trim(one)); one != "" {
			out = append(out, one)
		}
	}
	return out
}

// yes and no are how spreadsheets and people write what is so or not.
var (
	yes = []string{"true", "t", "yes", "y", "1", "on", "x", "wahr", "ja", "j", "vrai", "oui", "o", "vero", "sì", "si",
		"verdadero", "sí", "verdadeiro", "sim", "waar"}
	no = []string{"false", "f", "no", "n", "0", "off", "falsch", "nein", "faux", "non", "falso", "não", "onwaar", "nee"}
)

func readBoolean(text string) (value, known bool) {
	text = strings.ToLower(text)
	value = slices.Contains(yes, text)
	return value, value || slices.Contains(no, text)
}
