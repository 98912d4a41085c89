package postgres

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// maxStatements is how many texts a connection remembers, and has prepared on
// the server. The store's own are a few hundred; past that, built texts came in,
// and further ones are sent without being kept.
const maxStatements = 1000

// query is the text of a statement, parsed once for each connection.
type query struct {
	text   string // in PostgreSQL's words
	writes bool   // it is refused in a View
	counts bool   // it has a number of changed rows
	schema bool   // it changes tables, and may take its time
	lists  []bool // whether each argument is the slice of a `?*`
}

// statement is a query with the types of its arguments. Almost every query is
// called with the same types, and has one.
type statement struct {
	*query
	types    []uint32
	name     string                       // on the server; empty where it is not kept
	prepared *pgconn.StatementDescription // nil until the server has it under its name

	preparing bool       // it was sent to be prepared
	other     *statement // the same query with other types
}

var errSyntax = errors.New("this statement cannot be used here")

// parse turns a statement of the store into PostgreSQL's words: it numbers the
// placeholders outside of literals and comments, makes an array of each list,
// and notes what kind of statement it is.
func parse(text string) (*query, error) {
	text = strings.TrimSpace(text)
	q := new(query)
	switch strings.ToUpper(text[:max(0, strings.IndexAny(text+" ", " \n\t"))]) {
	case "INSERT", "UPDATE", "DELETE":
		q.writes, q.counts = true, true
	case "WITH": // may be either; the server refuses to write in a View
		q.counts = true
	case "CREATE", "DROP", "ALTER":
		q.writes, q.schema = true, true
	case "SELECT", "VALUES", "EXPLAIN":
	default:
		// Above all, what begins and ends transactions, or locks without a row.
		return nil, errSyntax
	}
	var b strings.Builder
	from := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return nil, fmt.Errorf("unterminated %c", c)
			}
			i += 1 + end
		case strings.HasPrefix(text[i:], "--"):
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				end = len(text) - i
			}
			i += end
		case c == '?':
			list := strings.HasPrefix(text[i:], "?*)") && i > 0 && text[i-1] == '('
			before := text[from:i]
			if list {
				var err error
				if before, err = beforeList(before); err != nil {
					return nil, err
				}
			}
			q.lists = append(q.lists, list)
			b.WriteString(before)
			b.WriteString("$")
			b.WriteString(strconv.Itoa(len(q.lists)))
			from = i + 1
			if list {
				from++ // the asterisk
			}
		}
	}
	b.WriteString(text[from:])
	q.text = b.String()
	return q, nil
}

// beforeList rewrites what stands before a list: `x IN (` becomes `x = ANY(`, and
// `unnest(`, which the engine's own statements use, stays.
func beforeList(text string) (string, error) {
	head := strings.TrimSuffix(text, "(")
	if strings.HasSuffix(head, "unnest") {
		return text, nil
	}
	head = strings.TrimRight(head, " \n\t")
	rest, ok := strings.CutSuffix(head, "IN")
	if !ok || strings.HasSuffix(strings.TrimRight(rest, " \n\t"), "NOT") {
		return "", fmt.Errorf("a list without IN: %w", errSyntax)
	}
	return rest + "= ANY(", nil
}

// statement returns what is to be sent for a text with these arguments, which are
// in c.params afterwards.
func (c *connection) statement(text string, args []any) (*statement, error) {
	first := c.statements[text]
	if first == nil {
		q, err := parse(text)
		if err != nil {
			return nil, err
		}
		first = &statement{query: q}
	}
	if len(args) != len(first.lists) {
		return nil, fmt.Errorf("%d arguments for %d placeholders", len(args), len(first.lists))
	}
	if err := c.params.set(first.query, args); err != nil {
		return nil, err
	}
	for s := first; s != nil; s = s.other {
		if s.types != nil && slices.Equal(s.types, c.params.types) {
			return s, nil
		}
	}
	s := &statement{query: first.query, types: append([]uint32{}, c.params.types...)}
	if c.kept < maxStatements {
		c.kept++
		s.other = c.statements[text]
		c.statements[text] = s
		if c.direct {
			s.name = "signet" + strconv.Itoa(c.kept)
		}
	}
	return s, nil
}

// command returns a statement of the engine's own that the store may not use,
// such as COMMIT.
func (c *connection) command(text string) *statement {
	s := c.statements[text]
	if s == nil {
		s = &statement{query: &query{text: text}, types: []uint32{}}
		c.kept++
		if c.direct {
			s.name = "signet" + strconv.Itoa(c.kept)
		}
		c.statements[text] = s
	}
	c.params.types, c.params.values = c.params.types[:0], c.params.values[:0]
	return s
}
