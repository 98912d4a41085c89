package sqlite

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"signet/internal/store/engine"

	"zombiezen.com/go/sqlite"
)

const (
	// maxStatements is how many prepared statements a connection keeps. The
	// store's own are a few hundred; past that, built texts came in, and all
	// are prepared anew.
	maxStatements = 2000

	// maxList is how long the slice of a `?*` may be to get a parameter for each element: a
	// power of two, of which several are below SQLite's limit of 32,766. A longer one gets one
	// parameter (long.go).
	maxList = 1 << 12

	// longBytes and longOther are the forms of longer ones, past the steps of all widths.
	longBytes = 14
	longOther = 15

	// maxLists is how many `?*` a statement may have; their widths together are
	// the key of a map.
	maxLists = 64 / 4
)

// query is a statement, parsed once for each connection.
type query struct {
	engine.Statement
	lists []int                 // which of its placeholders are lists
	plain *statement            // where it has none
	wide  map[uint64]*statement // by the widths of its lists
}

// statement is a prepared statement.
type statement struct {
	stmt  *sqlite.Stmt
	query *query
}

var errSeveral = errors.New("more than one statement")

// parse reads a statement and finds its lists.
func parse(text string) (*query, error) {
	st, err := engine.ParseStatement(text)
	if err != nil {
		return nil, err
	}
	q := &query{Statement: st}
	for i, p := range q.Placeholders {
		if p.List {
			q.lists = append(q.lists, i)
		}
	}
	if len(q.lists) > maxLists {
		return nil, fmt.Errorf("more than %d lists", maxLists)
	}
	return q, nil
}

// failing makes a statement that fails leave what it did, where SQLite would undo it: for
// that it copies each page that a statement of several rows touches (a tenth of a message
// to a group). Here a failure ends the transaction, or is undone to a savepoint.
func (q *query) failing(text string) string {
	if q.Verb != "INSERT" && q.Verb != "UPDATE" {
		return text
	}
	return q.Verb + " OR FAIL" + text[len(q.Verb):]
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
	if len(args) != len(q.Placeholders) {
		return nil, fmt.Errorf("%d arguments for %d placeholders", len(args), len(q.Placeholders))
	}
	if len(q.lists) == 0 {
		if q.plain == nil {
			s, err := c.compile(q, q.Text)
			if err != nil {
				return nil, err
			}
			q.plain = s
		}
		return q.plain, nil
	}
	var key uint64
	for _, l := range q.lists {
		n, ok := listLen(args[l])
		if !ok {
			return nil, fmt.Errorf("argument %d is %T, not a slice", l+1, args[l])
		}
		key = key<<4 | uint64(form(args[l], n))
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
		offset := q.Placeholders[l].Offset
		b.WriteString(q.Text[from:offset])
		n, _ := listLen(args[l])
		switch long := longForms[form(args[l], n)]; {
		case n == 0:
			b.WriteString("NULL")
		case long != "":
			b.WriteString(long)
		default:
			b.WriteString("?")
			b.WriteString(strings.Repeat(", ?", width(n)-1))
		}
		from = offset + len("?*")
	}
	b.WriteString(q.Text[from:])
	return b.String()
}

// compile prepares a statement. It must not be called while one is running.
func (c *connection) compile(q *query, text string) (*statement, error) {
	if c.prepared >= maxStatements {
		c.forget(q)
	}
	stmt, trailing, err := c.conn.PrepareTransient(q.failing(text))
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
