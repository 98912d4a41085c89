package engine

import (
	"errors"
	"fmt"
	"strings"
)

// Statement is a statement as an engine has to know it before it can run it.
type Statement struct {
	Text         string        // without the space around it
	Verb         string        // its first word, in capitals
	Writes       bool          // it changes something, and is refused in a View
	Counts       bool          // it has a number of changed rows
	Schema       bool          // it changes tables
	Placeholders []Placeholder // in their order
}

// Placeholder is where a statement takes an argument.
type Placeholder struct {
	Offset int  // of the `?` in the text
	List   bool // it is a `?*` in parentheses, and takes a slice
}

// ErrSyntax is the error of a statement that the store may not use: above all one that
// begins or ends a transaction, sets something, or reaches other files.
var ErrSyntax = errors.New("this statement cannot be used here")

// ParseStatement finds the placeholders of a statement, outside of literals and
// comments, and what kind of statement it is.
func ParseStatement(text string) (Statement, error) {
	s := Statement{Text: strings.TrimSpace(text)}
	s.Verb = strings.ToUpper(s.Text[:strings.IndexAny(s.Text+" ", " \n\t")])
	switch s.Verb {
	case "INSERT", "UPDATE", "DELETE":
		s.Writes, s.Counts = true, true
	case "WITH": // may be either; the database refuses to write in a View
		s.Counts = true
	case "CREATE", "DROP", "ALTER":
		s.Writes, s.Schema = true, true
	case "SELECT", "VALUES", "EXPLAIN":
	default:
		return Statement{}, ErrSyntax
	}
	for i := 0; i < len(s.Text); i++ {
		switch rest := s.Text[i:]; {
		case rest[0] == '\'' || rest[0] == '"':
			end := strings.IndexByte(rest[1:], rest[0])
			if end < 0 {
				return Statement{}, fmt.Errorf("unterminated %c", rest[0])
			}
			i += 1 + end
		case strings.HasPrefix(rest, "--"):
			i += strings.IndexByte(rest+"\n", '\n')
		case rest[0] == '?':
			list := strings.HasPrefix(rest, "?*)") && i > 0 && s.Text[i-1] == '('
			s.Placeholders = append(s.Placeholders, Placeholder{Offset: i, List: list})
		}
	}
	return s, nil
}
