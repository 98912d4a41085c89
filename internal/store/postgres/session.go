package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"signet/internal/store"
)

// session is an open transaction on a connection. Statements are sent when an
// answer is needed, all that wait together (a pipeline): BEGIN goes with the
// first, and COMMIT with the last.
type session struct {
	engine *Engine
	c      *connection
	pipe   *pgconn.Pipeline
	ctx    context.Context // of a View, whose statements it ends; never ends for an Update
	write  bool            // it is an Update's

	waiting []question // sent or about to be, and not answered yet
	reading bool       // their answers are being read
	begun   bool       // BEGIN was among them
	wrote   bool       // a statement that may write was run
	slow    bool       // one of them changes tables
	ended   bool
	row     row

	position int64        // the last one handed out
	queues   int          // for which it was
	taken    func() error // hands out those that are asked for, once the answers are there; nil: none are
	asked    bool         // somebody wants to know what is answered to what waits

	committing bool   // COMMIT was sent
	fault      error  // the first one, after which nothing more can be done
	culprit    string // the statement that it answers
}

// question is a statement on its way, and the function that reads its rows, if any.
type question struct {
	*statement
	read func(*pgconn.ResultReader) error
}

// inBinary is the form in which all columns and parameters go.
var inBinary = []int16{1}

func newSession(ctx context.Context, e *Engine, c *connection, write bool) *session {
	s := &session{engine: e, c: c, ctx: ctx, write: write}
	s.pipe = c.server.StartPipeline(ctx)
	return s
}

// begin returns the statement for a text, with its arguments in the connection's
// params.
func (s *session) begin(text string, args []any) (*statement, error) {
	switch {
	case s.ended:
		return nil, errEnded
	case s.row.reader != nil:
		return nil, errInRow
	case s.fault != nil:
		return nil, s.translated()
	}
	if err := s.ctx.Err(); err != nil {
		return nil, fmt.Errorf("query was not run: %w", err)
	}
	if !s.begun {
		s.start()
	}
	st, err := s.c.statement(text, args)
	if err != nil {
		return nil, err
	}
	if !s.write && st.Writes {
		return nil, errReadOnly
	}
	s.wrote = s.wrote || st.Writes || st.Counts
	if st.Schema && !s.slow {
		s.slow = true
		s.send(s.c.command("SET LOCAL statement_timeout = 0"), nil)
		return s.c.statement(text, args) // the arguments were in the way
	}
	return st, nil
}

// start puts the beginning of the transaction first.
func (s *session) start() {
	s.begun = true
	switch {
	case s.write:
		s.send(s.c.command("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"), nil)
	case s.c.direct:
		s.send(s.c.command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"), nil)
	default:
		// The server behind the pooler may be a standby by now, which would show what was true a while ago. It refuses
		// the first of these.
		s.send(s.c.command("BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE"), nil)
		s.send(s.c.command("SET TRANSACTION READ ONLY"), nil)
	}
	if s.c.direct {
		return
	}
	for i := 0; i < len(s.c.settings); i += 2 {
		s.send(s.c.command("SET LOCAL "+s.c.settings[i]+" = '"+s.c.settings[i+1]+"'"), nil)
	}
}

// send puts a statement with the connection's params into the pipeline. Its rows
// and tag go to read.
func (s *session) send(st *statement, read func(*pgconn.ResultReader) error) {
	values := s.c.params.values
	switch {
	case st.name == "":
		s.pipe.SendQueryParams(st.text, values, st.types, inBinary, inBinary)
	case st.prepared != nil:
		s.pipe.SendQueryStatement(st.prepared, values, inBinary, inBinary)
	default:
		if !st.preparing {
			s.pipe.SendPrepare(st.name, st.text, st.types)
			st.preparing = true
		}
		s.pipe.SendQueryPrepared(st.name, values, inBinary, inBinary)
	}
	s.waiting = append(s.waiting, question{st, read})
}

// exchange sends what waits, and reads the answers.
func (s *session) exchange() error {
	limit := answerTimeout
	if s.slow {
		limit = schemaTimeout
	}
	s.c.allowed(limit)
	s.reading = true // it stays so if read panics
	err := s.pipe.Sync()
	if err != nil {
		return s.fail(err, len(s.waiting))
	}
	told, err := s.answers()
	for _, st := range s.waiting {
		st.preparing = false
	}
	s.waiting, s.reading, s.asked = s.waiting[:0], false, false
	if s.fault != nil {
		return s.translated()
	}
	if taken := s.taken; taken != nil {
		s.taken = nil
		told = errors.Join(told, taken())
	}
	return errors.Join(err, told)
}

// answers reads what the server says to the waiting statements, up to the end of
// all. told is what those who read made of it.
func (s *session) answers() (told, err error) {
	for i := 0; ; {
		result, err := s.pipe.GetResults()
		at := i
		switch result := result.(type) {
		case *pgconn.StatementDescription:
			result.Name = s.waiting[i].name
			s.waiting[i].prepared = result
		case *pgconn.ResultReader:
			if read := s.waiting[i].read; read != nil {
				told = errors.Join(told, read(result))
			}
			_, err = result.Close()
			i++
		case *pgconn.PipelineSync:
			return told, nil
		case nil:
			if err == nil {
				return told, s.fail(errSilent, i)
			}
		}
		if err != nil {
			if s.fail(err, at); lost(err) || s.c.server.IsClosed() {
				return told, err
			}
			// The server passes over what followed: the next result is the end of all.
		}
	}
}

// fail notes the first fault, and which of the waiting statements it answers.
func (s *session) fail(err error, index int) error {
	if s.fault == nil {
		s.fault = err
		if index < len(s.waiting) {
			s.culprit = s.waiting[index].text
		}
	}
	return s.translated()
}

// translated is the fault as the store is told of it, with the statement that it
// answers. The arguments are left out: they may be content.
func (s *session) translated() error {
	var told *pgconn.PgError
	if !s.write && errors.As(s.fault, &told) && told.Code == codeReadOnly {
		return errReadOnly
	}
	if s.ctx.Err() != nil && (!errors.As(s.fault, &told) || told.Code == codeCanceled) {
		return fmt.Errorf("query was interrupted: %w", s.ctx.Err())
	}
	if s.culprit == "" {
		return translate(s.fault)
	}
	return fmt.Errorf("%.80q: %w", s.culprit, translate(s.fault))
}

// Exec runs one statement and returns the number of rows it changed.
func (s *session) Exec(text string, args ...any) (changed int64, err error) {
	st, err := s.begin(text, args)
	if err != nil {
		return 0, err
	}
	s.send(st, countInto(st, &changed))
	err = s.exchange()
	return changed, err
}

// countInto reads how many rows a statement changed.
func countInto(st *statement, changed *int64) func(*pgconn.ResultReader) error {
	return func(r *pgconn.ResultReader) error {
		tag, err := r.Close()
		if st.Counts {
			*changed = tag.RowsAffected()
		}
		return err
	}
}

// Post runs one statement together with the next one that has an answer.
func (s *session) Post(text string, args ...any) error {
	st, err := s.begin(text, args)
	if err != nil {
		return err
	}
	s.send(st, nil)
	return nil
}

// Query runs one statement and calls each for its rows.
func (s *session) Query(text string, args []any, each func(store.Row) error) error {
	if err := s.Ask(text, args, each); err != nil {
		return err
	}
	return s.exchange()
}

// Ask is Query of which the rows come with the next exchange.
func (s *session) Ask(text string, args []any, each func(store.Row) error) error {
	st, err := s.begin(text, args)
	if err != nil {
		return err
	}
	s.asked = true
	s.send(st, s.readEach(each))
	return nil
}

// Await returns once all that was asked is answered.
func (s *session) Await() error {
	switch {
	case s.ended:
		return errEnded
	case s.fault != nil:
		return s.translated()
	case s.asked || s.taken != nil:
		return s.exchange()
	}
	return nil
}

// readEach calls each for the rows of a statement.
func (s *session) readEach(each func(store.Row) error) func(*pgconn.ResultReader) error {
	return func(r *pgconn.ResultReader) error {
		s.row.reader = r
		// Deferred, so that a panic in each leaves no statement open either.
		defer func() { s.row.reader = nil }()
		for r.NextRow() {
			if err := each(&s.row); err != nil {
				if errors.Is(err, store.ErrStop) {
					return nil
				}
				return err
			}
		}
		return nil
	}
}

// commit ends the transaction well, with what the engine has to add to it.
func (s *session) commit(id writeID, noted bool) error {
	if !s.begun {
		return nil
	}
	if err := s.Await(); err != nil { // what came of it decides whether there is something to commit
		return err
	}
	if s.wrote && !noted {
		st, err := s.c.statement(insertWrite, []any{id})
		if err != nil {
			return err
		}
		s.send(st, nil)
	}
	s.send(s.c.command("COMMIT"), func(r *pgconn.ResultReader) error {
		tag, err := r.Close()
		if err == nil && tag.String() != "COMMIT" {
			s.fault = errUndone
			err = errUndone
		}
		return err
	})
	s.committing = true
	s.c.alone = false
	if err := s.exchange(); err != nil {
		return err
	}
	if s.c.alone {
		s.fault = errUnreplicated
		return s.translated()
	}
	return nil
}

// end makes the session unusable and leaves the connection fit for its next user,
// or closed.
func (s *session) end() {
	s.ended = true
	s.row.reader = nil
	if len(s.waiting) > 0 && !s.reading && s.fault == nil {
		// What was put off cannot be taken back: it is sent, and undone. Nobody waits for its answers.
		for i := range s.waiting {
			s.waiting[i].read = nil
		}
		s.taken = nil
		s.send(s.c.command("ROLLBACK"), nil)
		_ = s.exchange()
	}
	_ = s.pipe.Close() // reads what is left of the answers, or closes the connection
	if !s.c.server.IsClosed() && s.c.server.TxStatus() != 'I' {
		s.c.allowed(idleTimeout)
		if _, err := s.c.server.Exec(context.Background(), "ROLLBACK").ReadAll(); err != nil {
			s.c.close()
		}
	}
	if !s.c.server.IsClosed() {
		_ = s.c.server.Conn().SetDeadline(time.Time{}) // in the pool it may be idle for long
	}
}

// close gives up a connection. The pool then makes another.
func (c *connection) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.server.Close(ctx) // it is of no use whatever this says
}
