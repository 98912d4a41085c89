package sqlite

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"signet/internal/model"
	"signet/internal/store"
)

// session is an open transaction on a connection.
type session struct {
	c      *connection // nil once the transaction has ended
	writer *writer     // nil in a View
	ctx    context.Context
	wrote  bool // a statement that may write was run
	row    row  // its stmt is set while a Query runs
}

// begin returns the statement for a text with its arguments bound, ready to
// step.
func (s *session) begin(text string, args []any) (*statement, error) {
	if s.c == nil {
		return nil, errEnded
	}
	if s.row.stmt != nil {
		return nil, errInRow
	}
	st, err := s.c.statement(text, args)
	if err != nil {
		return nil, s.failed(text, err)
	}
	if s.writer == nil && st.query.Writes {
		return nil, errReadOnly
	}
	s.wrote = s.wrote || st.query.Writes || st.query.Counts
	return st, bind(st, args)
}

// Exec runs one statement and returns the number of rows it changed.
func (s *session) Exec(text string, args ...any) (int64, error) {
	st, err := s.begin(text, args)
	if err != nil {
		return 0, err
	}
	for more := true; more; {
		if more, err = st.stmt.Step(); err != nil {
			return 0, s.failed(text, err)
		}
	}
	var changed int64
	if st.query.Counts {
		changed = int64(s.c.conn.Changes())
	}
	return changed, translate(st.stmt.Reset())
}

// Post runs one statement, at once.
func (s *session) Post(text string, args ...any) error {
	_, err := s.Exec(text, args...)
	return err
}

// Query runs one statement and calls each for its rows.
func (s *session) Query(text string, args []any, each func(store.Row) error) error {
	st, err := s.begin(text, args)
	if err != nil {
		return err
	}
	c := s.c
	s.row.stmt, s.row.columns, s.row.scratch = st.stmt, 0, c.scratch
	// Deferred, so that a panic in each leaves no statement open either.
	defer func() {
		c.scratch = s.row.scratch
		s.row.stmt = nil
		st.stmt.Reset()
	}()
	for {
		more, err := st.stmt.Step()
		if err != nil {
			return s.failed(text, err)
		}
		if !more {
			return nil
		}
		if s.row.columns == 0 { // known now: the first step may prepare anew
			s.row.columns = st.stmt.ColumnCount()
		}
		if err := each(&s.row); err != nil {
			if errors.Is(err, store.ErrStop) {
				return nil
			}
			return err
		}
	}
}

// Ask runs one statement, at once.
func (s *session) Ask(text string, args []any, each func(store.Row) error) error {
	return s.Query(text, args, each)
}

// Await has nothing to wait for.
func (s *session) Await() error {
	if s.c == nil {
		return errEnded
	}
	return nil
}

// failed says which statement an error came from. The arguments are left out:
// they may be content.
func (s *session) failed(text string, err error) error {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultInterrupt:
		if s.ctx.Err() != nil {
			return fmt.Errorf("query was interrupted: %w", s.ctx.Err())
		}
	case sqlite.ResultReadOnly:
		if s.writer == nil {
			return errReadOnly
		}
	}
	return translate(fmt.Errorf("%.80q: %w", text, err))
}

// Position hands out n consecutive numbers, whatever the accounts: there is one
// writer, so that the order of its numbers is the order of its commits.
func (s *session) Position(_ []model.AccountID, n int) (int64, error) {
	switch {
	case s.c == nil:
		return 0, errEnded
	case s.writer == nil:
		return 0, errReadOnly
	case n < 1:
		return 0, fmt.Errorf("%d positions were asked for", n)
	}
	return s.writer.advance(n)
}

// AskPosition hands them out at once.
func (s *session) AskPosition(accounts []model.AccountID, n int, first *int64,
	access ...*store.AccessVersion) (err error) {
	if *first, err = s.Position(accounts, n); err != nil {
		return err
	}
	for _, a := range access {
		a.Number = s.writer.access
	}
	return nil
}

// AskAccess reads the number that all accounts have.
func (s *session) AskAccess(access *store.AccessVersion) error {
	access.Number = 0
	return s.Query(readAccess, nil, func(row store.Row) error { return row.Scan(&access.Number) })
}

// ChangeAccess gives all accounts another number.
func (s *session) ChangeAccess([]model.AccountID) error {
	switch {
	case s.c == nil:
		return errEnded
	case s.writer == nil:
		return errReadOnly
	}
	s.wrote = true
	return s.writer.changeAccess()
}

// Forget has nothing to do: positions are the same for all accounts.
func (s *session) Forget(model.AccountID) error {
	switch {
	case s.c == nil:
		return errEnded
	case s.writer == nil:
		return errReadOnly
	}
	return nil
}

// Committed notes what the writer calls before it answers the request, and after.
func (s *session) Committed(done func(beside bool), then func()) {
	if s.writer != nil {
		s.writer.batch[s.writer.current].told = telling{done, then}
	}
}

// end makes the session unusable.
func (s *session) end() { s.c = nil }
