package sqlite

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"zombiezen.com/go/sqlite"
)

const (
	// maxStatements is how many prepared statements a connection keeps. The
	// store's own are a few hundred; past that, built texts came in, and all
	// are prepared anew.
	maxStatements = 2000

	// maxList is how long the slice of a `?*` may be: the largest power of two
	// below SQLite's limit of 32,766 parameters.
	maxList = 1 << 14

	// maxLists is how many `?*` a statement may have; their widths together are
	// the key of a map.
	maxLists = 64 / 4
)

// query is the text of a statement, parsed once for each connection.
type query struct {
	text   string
	writes bool                  // it is refused in a View
	counts bool                  // it has a number of changed rows
	lists  []list                // its `?*`, in order
	args   int                   // how many arguments it takes, a list being one
	plain  *statement            // where it has no lists
	wide   map[uint64]*statement // by the widths of its lists
}

// list is a `?*` in the text of a query.
type list struct {
	arg    int // index of its argument
	offset int // of the `?` in the text
}

// statement is a prepared statement.
type statement struct {
	stmt  *sqlite.Stmt
	query *query
}

var (
	errSyntax  = errors.New("this statement cannot be used here")
	errSeveral = errors.New("more than one statement")
)

// parse finds the placeholders of a statement, outside of literals and
// comments, and what kind of statement it is.
func parse(text string) (*query, error) {
	q := &query{text: strings.TrimSpace(text)}
	verb, _, _ := strings.Cut(q.text, " ")
	verb, _, _ = strings.Cut(verb, "\n")
	switch verb = strings.ToUpper(verb); verb {
	case "INSERT", "UPDATE", "DELETE", "REPLACE":
		q.writes, q.counts = true, true
		q.text = failing(verb, q.text)
	case "WITH": // may be either; a View's connection refuses to write
		q.counts = true
	case "CREATE", "DROP", "ALTER":
		q.writes = true
	case "SELECT", "VALUES", "EXPLAIN":
	default:
		// Above all, what begins and ends transactions, or reaches other files.
		return nil, errSyntax
	}
	for i := 0; i < len(q.text); i++ {
		switch c := q.text[i]; {
		case c == '\'' || c == '"':
			end := strings.IndexByte(q.text[i+1:], c)
			if end < 0 {
				return nil, fmt.Errorf("unterminated %c", c)
			}
			i += 1 + end
		case strings.HasPrefix(q.text[i:], "--"):
			end := strings.IndexByte(q.text[i:], '\n')
			if end < 0 {
				end = len(q.text) - i
			}
			i += end
		case c == '?':
			if strings.HasPrefix(q.text[i:], "?*)") && i > 0 && q.text[i-1] == '(' {
				q.lists = append(q.lists, list{arg: q.args, offset: i})
			}
			q.args++
		}
	}
	if len(q.lists) > maxLists {
		return nil, fmt.Errorf("more than %d lists", maxLists)
	}
	return q, nil
}

// failing has SQLite leave what a statement did before it failed, where it would undo it.
// For that it copies each page that a statement of several rows touches (a tenth of a
// message to a group); here a failure ends the transaction, or is undone to a savepoint.
func failing(verb, text string) string {
	if verb != "INSERT" && verb != "UPDATE" || strings.HasPrefix(text[len(verb):], " OR ") {
		return text
	}
	return verb + " OR FAIL" + text[len(verb):]
}

// statement returns the prepared statement for a text and the lengths of the
// lists among its arguments. Bindings of an earlier use may still be there; all
// are replaced by the caller, which binds every argument.
func (c *connection) statement(text string, args []any) (*statement, error) {
	q := c.queries[text]
	if q == nil {
		var err error
		if q, err = parse(text); err != nil {
			return nil, err
		}
		c.queries[text] = q
	}
	if len(args) != q.args {
		return nil, fmt.Errorf("%d arguments for %d placeholders", len(args), q.args)
	}
	if len(q.lists) == 0 {
		if q.plain == nil {
			s, err := c.compile(q, q.text)
			if err != nil {
				return nil, err
			}
			q.plain = s
		}
		return q.plain, nil
	}
	var key uint64
	for _, l := range q.lists {
		n, ok := listLen(args[l.arg])
		if !ok {
			return nil, fmt.Errorf("argument %d is %T, not a slice", l.arg+1, args[l.arg])
		}
		if n > maxList {
			return nil, fmt.Errorf("a list of %d elements, more than %d", n, maxList)
		}
		key = key<<4 | uint64(step(n))
	}
	s := q.wide[key]
	if s == nil {
		var err error
		if s, err = c.compile(q, q.widen(args)); err != nil {
			return nil, err
		}
		if q.wide == nil {
			q.wide = make(map[uint64]*statement)
		}
		q.wide[key] = s
	}
	return s, nil
}

// step numbers the widths that lists are widened to: 0 is 0, and n is 2^(n-1).
func step(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + bits.Len(uint(n-1))
}

// width returns how many placeholders a list of n elements gets.
func width(n int) int {
	if n == 0 {
		return 0
	}
	return 1 << (step(n) - 1)
}

// widen writes out the lists of a query. NULL equals nothing, so that an empty
// list matches nothing.
func (q *query) widen(args []any) string {
	var b strings.Builder
	from := 0
	for _, l := range q.lists {
		b.WriteString(q.text[from:l.offset])
		n, _ := listLen(args[l.arg])
		if n == 0 {
			b.WriteString("NULL")
		} else {
			b.WriteString("?")
			b.WriteString(strings.Repeat(", ?", width(n)-1))
		}
		from = l.offset + len("?*")
	}
	b.WriteString(q.text[from:])
	return b.String()
}

// compile prepares a statement. It must not be called while one is running.
func (c *connection) compile(q *query, text string) (*statement, error) {
	if c.prepared >= maxStatements {
		c.forget(q)
	}
	stmt, trailing, err := c.conn.PrepareTransient(text)
	if err != nil {
		return nil, translate(err)
	}
	if trailing > 0 {
		stmt.Finalize()
		return nil, errSeveral
	}
	c.prepared++
	return &statement{stmt: stmt, query: q}, nil
}

// forget finalizes the statements of all queries, and drops all but keep.
func (c *connection) forget(keep *query) {
	for text, q := range c.queries {
		if q.plain != nil {
			q.plain.stmt.Finalize()
			q.plain = nil
		}
		for _, s := range q.wide {
			s.stmt.Finalize()
		}
		clear(q.wide)
		if q != keep {
			delete(c.queries, text)
		}
	}
	c.prepared = 0
}
