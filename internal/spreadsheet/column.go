package spreadsheet

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Ignored is the field of a column that is left out knowingly.
const Ignored = "-"

// Column is a column of a file.
type Column struct {
	Name  string `json:"name,omitempty"`
	Field string `json:"field,omitempty"` // of a person; Ignored; empty: its name is no field's, or it has none
	// Suggestion is the field whose name is close to that of a column of no field.
	Suggestion string `json:"suggestion,omitempty"`
}

// Choices are the fields that columns hold whatever their names say, by their numbers, from 1.
type Choices map[int]string

// field is one of a person that a column can hold.
type field struct {
	name    string
	aliases []string // the names that people and programs give it: letters and digits, in lower case
}

// fields are those of a person, and last what the exports of the console and of this program have
// besides, which says nothing of a new person.
var fields = []field{
	{"display_name", []string{"name", "nom", "displayname", "fullname", "anzeigename", "nomaffiché"}},
	{"username", []string{"username", "benutzername", "nomdutilisateur", "login", "loginname", "user"}},
	{"emails", []string{"email", "emails", "mail", "emailaddress", "emailadresse", "adresseemail", "courriel"}},
	{"title", []string{"title", "funktion", "fonction", "jobtitle", "titel"}},
	{"department", []string{"department", "abteilung", "service"}},
	{"first_name", []string{"firstname", "givenname", "vorname", "prénom", "prenom"}},
	{"last_name", []string{"lastname", "surname", "familyname", "nachname", "nomdefamille"}},
	{"phones", []string{"phone", "phones", "phonenumber", "mobile", "mobilephone", "telephone", "telefon", "téléphone"}},
	{"password", []string{"password", "passwort", "kennwort", "motdepasse"}},
	{"issue_key", []string{"issuekey"}},
	{Ignored, []string{"lastseen", "zuletztaktiv", "dernièreactivité", "zuletztgesehen", "vupourladernièrefois",
		"roles", "rollen", "rôles", "disabled", "gesperrt", "désactivé"}},
}

// takesSeveral reports whether more than one column may hold a field.
func takesSeveral(name string) bool { return name == "emails" || name == "phones" || name == Ignored }

// fold returns the letters and digits of a column's name, in lower case.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFC.String(name))
}

// fieldOf returns the field that a column of this name holds; empty if it is none.
func fieldOf(name string) string {
	short := fold(name)
	for _, f := range fields {
		if slices.Contains(f.aliases, short) {
			return f.name
		}
	}
	return ""
}

// FieldNamed returns the field that somebody names, as the interface or a column does, or Ignored;
// empty if there is none.
func FieldNamed(name string) string {
	if name == Ignored {
		return Ignored
	}
	for _, f := range fields {
		if f.name == name {
			return f.name
		}
	}
	return fieldOf(name)
}

// columnsOf returns the columns of the first row, and what is wrong with their names.
func columnsOf(head row, choices Choices) (columns []Column, problems []*Problem) {
	columns = make([]Column, len(head.cells))
	taken := map[string]bool{}
	for i, cell := range head.cells {
		c := &columns[i]
		c.Name = trim(cell)
		chosen, isChosen := choices[i+1]
		if c.Field = chosen; !isChosen {
			c.Field = fieldOf(c.Name)
		}
		code := ""
		switch {
		case c.Field == "" && c.Name != "":
			code = ColumnUnknown
		case taken[c.Field] && !takesSeveral(c.Field):
			code, c.Field = ColumnTwice, ""
		case c.Field != "":
			taken[c.Field] = true
		}
		if code != "" {
			problems = append(problems, &Problem{Code: code, Row: head.line, Column: i + 1, Name: c.Name})
		}
	}
	for _, problem := range problems {
		if near := suggest(problem.Name); problem.Code == ColumnUnknown && (takesSeveral(near) || !taken[near]) {
			columns[problem.Column-1].Suggestion = near
		}
	}
	return columns, problems
}

// shortestMisspelt is how many letters a name has at least for which one is looked for that is like it.
const shortestMisspelt = 4

// suggest returns the field that somebody may have meant by a name that is no field's: one of
// addresses whose name is a part of it, or one whose name is misspelt.
func suggest(name string) string {
	short := []rune(fold(name))
	if len(short) < shortestMisspelt {
		return ""
	}
	best, found := 1, ""
	if len(short) > shortestMisspelt+1 {
		best = 2
	}
	best++ // what is found has to be better
	for _, f := range fields {
		if f.name == Ignored {
			continue
		}
		for _, alias := range f.aliases {
			if (f.name == "emails" || f.name == "phones") && strings.Contains(string(short), alias) {
				return f.name
			}
			if gap := len(short) - utf8.RuneCountInString(alias); gap < best && -gap < best {
				if d := distance(short, []rune(alias)); d < best {
					best, found = d, f.name
				}
			}
		}
	}
	return found
}

// distance counts the letters that are missing, too many, other ones or exchanged with the next
// one between two words.
func distance(a, b []rune) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			other := 1
			if a[i-1] == b[j-1] {
				other = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+other)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// trim drops blanks of any kind at both ends, and characters that have no width.
func trim(cell string) string {
	return strings.TrimFunc(cell, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' })
}
