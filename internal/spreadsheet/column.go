package spreadsheet

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fields are those of a person that a column can hold, each with the names that people and
// programs give it: only letters and digits count, of whatever case. The console exports its
// list of people under the first names in English, German and French.
var fields = map[string][]string{
	"display_name": {"name", "nom", "displayname", "fullname", "anzeigename", "nomaffiché"},
	"username":     {"username", "benutzername", "nomdutilisateur", "login", "loginname", "user"},
	"emails":       {"email", "emails", "mail", "emailaddress", "emailadresse", "adresseemail", "courriel"},
	"title":        {"title", "funktion", "fonction", "jobtitle", "titel"},
	"department":   {"department", "abteilung", "service"},
	"first_name":   {"firstname", "givenname", "vorname", "prénom", "prenom"},
	"last_name":    {"lastname", "surname", "familyname", "nachname", "nomdefamille"},
	"phones":       {"phone", "phones", "phonenumber", "mobile", "mobilephone", "telephone", "telefon", "téléphone"},
	"password":     {"password", "passwort", "kennwort", "motdepasse"},
	"issue_key":    {"issuekey"},
	notRead:        {"lastseen", "zuletztgesehen", "vupourladernièrefois"},
}

// notRead is a column that the export has, and that says nothing of a new person.
const notRead = "-"

// fieldOf returns the field that a column of this name holds; empty if it is none.
func fieldOf(name string) string {
	short := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFC.String(name))
	for field, names := range fields {
		if slices.Contains(names, short) {
			return field
		}
	}
	return ""
}

// columnsOf returns the field of each column; empty for one without a name.
func columnsOf(head row) ([]string, *Problem) {
	out := make([]string, len(head.cells))
	for i, cell := range head.cells {
		name := trim(cell)
		if name == "" {
			continue
		}
		field := fieldOf(name)
		switch several := field == "emails" || field == "phones" || field == notRead; {
		case field == "":
			return nil, &Problem{Code: ColumnUnknown, Row: head.line, Column: i + 1, Name: name}
		case !several && slices.Contains(out, field):
			return nil, &Problem{Code: ColumnTwice, Row: head.line, Column: i + 1, Name: name}
		}
		out[i] = field
	}
	return out, nil
}

// trim drops blanks of any kind at both ends, and characters that have no width.
func trim(cell string) string {
	return strings.TrimFunc(cell, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' })
}
