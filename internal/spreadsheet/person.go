package spreadsheet

import (
	"slices"
	"strings"
	"unicode"
)

// Person is a row of a file, in the fields of the interface. A row that says nothing of a person is
// one too: the server tells what it lacks.
type Person struct {
	Row         int        `json:"row"` // the line of the file, from 1
	Username    string     `json:"username,omitempty"`
	DisplayName string     `json:"display_name,omitempty"`
	FirstName   string     `json:"first_name,omitempty"`
	LastName    string     `json:"last_name,omitempty"`
	Emails      []string   `json:"emails,omitempty"`
	Phones      []string   `json:"phones,omitempty"`
	Title       string     `json:"title,omitempty"`
	Department  string     `json:"department,omitempty"`
	Password    string     `json:"password,omitempty"`
	IssueKey    bool       `json:"issue_key,omitempty"`
	Problems    []*Problem `json:"problems,omitempty"` // of its cells, which are not read then
}

// Addresses are what names the person, folded: two rows that share one are of the same person. Only
// the server knows all spellings of a telephone number.
func (p *Person) Addresses() (out []string) {
	if p.Username != "" {
		out = append(out, "username "+strings.ToLower(p.Username))
	}
	for _, email := range p.Emails {
		out = append(out, "email "+strings.ToLower(email))
	}
	for _, phone := range p.Phones {
		out = append(out, "phone "+strings.Map(func(r rune) rune {
			if r == '+' || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, phone))
	}
	return out
}

// set gives the person what the cell of a field says and reports whether it is a value of the field.
func (p *Person) set(field, cell string) (read bool) {
	text := trim(cell)
	switch field {
	case "issue_key":
		p.IssueKey, read = readBoolean(text)
		return read
	case "emails":
		p.Emails = append(p.Emails, addresses(text)...)
	case "phones":
		p.Phones = append(p.Phones, addresses(text)...)
	case "password":
		p.Password = cell // to the letter
	case "username":
		p.Username = plain(text)
	case "display_name":
		p.DisplayName = plain(text)
	case "first_name":
		p.FirstName = plain(text)
	case "last_name":
		p.LastName = plain(text)
	case "title":
		p.Title = plain(text)
	case "department":
		p.Department = plain(text)
	}
	return true
}

// formulas are the characters by which a spreadsheet takes a cell for a formula.
const formulas = "=+-@\t\r\n"

// plain drops the apostrophes by which a cell is marked as no formula: Format writes them, and other
// programs do.
func plain(text string) string {
	text = guarded.ReplaceAllString(text, "${1}${2}")
	bare := strings.TrimLeft(text, "'")
	if bare == text || bare == "" || strings.IndexByte(formulas, bare[0]) < 0 {
		return text
	}
	return trim(text[1:])
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
