package spreadsheet

import (
	"regexp"
	"strings"
)

// Format writes rows as spreadsheets read them (RFC 4180), behind a mark of the byte order: without
// it Excel takes them for windows-1252. A cell that a spreadsheet would take for a formula begins
// with an apostrophe, which ReadPeople drops; within a cell there is one where another cell would
// begin so (unguarded).
func Format(rows [][]string) string {
	var b strings.Builder
	b.WriteString("\ufeff")
	for _, cells := range rows {
		for i, cell := range cells {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(formatCell(cell))
		}
		b.WriteString("\r\n")
	}
	return b.String()
}

// Where commas are decimal points Excel separates cells by semicolons. The quote of a cell is then in the
// middle of one, and counts for nothing: a semicolon or the end of a line within a cell begins another.
var (
	unguarded = regexp.MustCompile(`([;\t\r\n])(["']*[=+\-@])`)
	guarded   = regexp.MustCompile(`([;\t\r\n])'(["']*[=+\-@])`)
)

func formatCell(cell string) string {
	cell = unguarded.ReplaceAllString(cell, "${1}'${2}")
	if rest := strings.TrimLeft(cell, "'"); rest != "" && strings.IndexByte(formulas, rest[0]) >= 0 {
		cell = "'" + cell
	}
	if strings.ContainsAny(cell, "\",;\r\n") {
		return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
	}
	return cell
}

// The person of the template. No row that somebody has filled in has both addresses.
const (
	exampleUsername = "example.person"
	exampleEmail    = "example.person@example.com"
)

// Template is a file to fill in: the names of the columns, and an example, which ReadPeople leaves
// out.
func Template() string {
	return Format([][]string{
		{"display_name", "username", "email", "phone", "title", "department", "first_name", "last_name", "password"},
		{"Example Person", exampleUsername, exampleEmail, "+1 202-555-0100", "Nurse", "Surgery", "Example", "Person", ""},
	})
}

// isExample reports whether a row is that of the template.
func (p *Person) isExample() bool {
	return p.Username == exampleUsername && len(p.Emails) == 1 && p.Emails[0] == exampleEmail
}
