package postgres

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"signet/internal/store/engine"

	"github.com/jackc/pgx/v5/pgconn"
)

// maxStatements is how many texts a connection remembers, and has prepared on
// the server. The store's own are a few hundred; past that, built texts came in,
// and further ones are sent without being kept.
const maxStatements = 1000

// query is a statement, parsed once for each connection.
type query struct {
	engine.Statement
	text string // in PostgreSQL's words
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

// parse turns a statement of the store into PostgreSQL's words: it numbers the
// placeholders, and makes an array of each list.
func parse(text string) (*query, error) {
	st, err := engine.ParseStatement(text)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	from := 0
	for i, p := range st.Placeholders {
		before, end := st.Text[from:p.Offset], p.Offset+len("?")
		if p.List {
			if before, err = beforeList(before); err != nil {
				return nil, err
			}
			end = p.Offset + len("?*")
		}
		b.WriteString(before + "$" + strconv.Itoa(i+1))
		from = end
	}
	b.WriteString(st.Text[from:])
	return &query{Statement: st, text: b.String()}, nil
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
		return "", fmt.Errorf("a list without IN: %w", engine.ErrSyntax)
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
	if len(args) != len(first.Placeholders) {
		return nil, fmt.Errorf("%d arguments for %d placeholders", len(args), len(first.Placeholders))
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
