package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"signet/internal/store"
)

var (
	errReadOnly     = errors.New("a View cannot write")
	errEnded        = errors.New("the transaction of this session has ended")
	errInRow        = errors.New("a session cannot be used while its rows are read")
	errUndone       = errors.New("the server rolled the transaction back")
	errSilent       = errors.New("the server answered less than it was asked")
	errUnreplicated = errors.New("the server did not wait for its synchronous replicas")
)

// SQLSTATE codes that are more to the engine than a text (PostgreSQL, appendix A).
const (
	codeSerialization   = "40001"
	codeUnknownOutcome  = "40003"
	codeDeadlock        = "40P01"
	codeUnique          = "23505"
	codeTableExists     = "42P07"
	codeObjectExists    = "42710"
	codeReadOnly        = "25006"
	codeDiskFull        = "53100"
	codeCanceled        = "57014" // also: statement_timeout
	codeLockTimeout     = "55P03"
	codeUnsupported     = "0A000"
	codeStatementGone   = "26000"
	codeStatementExists = "42P05"
)

// unavailableClasses are the classes of codes that mean "try later": connection
// exceptions, insufficient resources (disk full, too many connections), operator
// intervention, system errors.
var unavailableClasses = []string{"08", "53", "57", "58"}

// translate wraps an error of PostgreSQL, or of the way there, into the store's
// error that it amounts to, if it does to any. What a server says of values is
// left out: they may be content.
func translate(err error) error {
	var told *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrClosed):
		return err
	case errors.As(err, &told):
		err = serverError(told)
		switch {
		case told.Code == codeUnique:
			return fmt.Errorf("%w: %w", store.ErrConflict, err)
		case told.Code == codeLockTimeout, told.Code == codeSerialization, told.Code == codeDeadlock:
			return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrBusy, err)
		case told.Code == codeDiskFull:
			return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrFull, err)
		case demoted(told), told.Code == codeUnknownOutcome, fatal(told), ofClass(told, unavailableClasses...):
			return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		}
		return err
	case lost(err):
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}

// serverError is what the log may hold of a server's answer: not its detail, which
// shows the values of a row.
func serverError(told *pgconn.PgError) error {
	where := ""
	if told.ConstraintName != "" {
		where = " (" + told.ConstraintName + ")"
	}
	return fmt.Errorf("PostgreSQL answers %s %s%s", told.Code, told.Message, where)
}

func ofClass(told *pgconn.PgError, classes ...string) bool {
	return len(told.Code) >= 2 && slices.Contains(classes, told.Code[:2])
}

// fatal reports whether the server ended the connection with this answer.
func fatal(told *pgconn.PgError) bool {
	return told.SeverityUnlocalized == "FATAL" || told.SeverityUnlocalized == "PANIC"
}

// demoted reports whether the server lets nobody write any more: it has become a standby, behind a pooler that keeps
// its clients' connections meanwhile. The second answer is that to BEGIN ... READ WRITE.
func demoted(told *pgconn.PgError) bool {
	return told.Code == codeReadOnly || told.Code == codeUnsupported && told.Routine == "call_bool_check_hook"
}

// lost reports whether an error is about the way to the server, or the end of it,
// and not an answer to a statement.
func lost(err error) bool {
	if told, ok := errors.AsType[*pgconn.PgError](err); ok {
		return fatal(told)
	}
	return !errors.Is(err, context.Canceled)
}

// timedOut reports whether the server did not answer in time.
func timedOut(err error) bool {
	n, ok := errors.AsType[net.Error](err)
	return ok && n.Timeout()
}

// verdict is what to do about a transaction that did not end well.
type verdict int

const (
	final   verdict = iota // the error is the caller's
	again                  // nothing of it is left: run it again
	afresh                 // so too, on a new connection
	unknown                // it may be on disk: look for its write id
)

// judge says what to do about a fault of a session; committing tells that COMMIT
// had been sent by then.
func judge(err error, statement string, committing bool) verdict {
	var told *pgconn.PgError
	if !errors.As(err, &told) || fatal(told) {
		switch {
		case errors.Is(err, context.Canceled):
			return final
		case !committing:
			return afresh
		case timedOut(err):
			// The server may still be at it, for as long as it likes: waiting for its
			// synchronous replica, say. To ask another connection about it would take
			// for on disk what is not yet.
			return final
		default:
			return unknown
		}
	}
	switch told.Code {
	case codeSerialization, codeDeadlock:
		return again
	case codeUnknownOutcome:
		return unknown
	case codeUnique:
		// Two nodes made the same table: of the catalogue, not of the store.
		if told.SchemaName == "pg_catalog" {
			return again
		}
	case codeTableExists, codeObjectExists: // the latter: the table's type
		if strings.Contains(statement, "IF NOT EXISTS") {
			return again
		}
	case codeReadOnly, codeStatementGone, codeStatementExists:
		// Another server answers under the address, or another connection stands
		// behind the pooler, than the one that was asked before.
		return afresh
	case codeUnsupported:
		if told.Routine == "RevalidateCachedQuery" { // a table has changed under a prepared statement
			return afresh
		}
		if demoted(told) {
			return afresh
		}
	}
	return final
}
