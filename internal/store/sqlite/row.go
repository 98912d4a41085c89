package sqlite

import (
	"database/sql"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"signet/internal/model"
)

// row is the current row of a running statement.
type row struct {
	stmt    *sqlite.Stmt // nil once the statement has ended
	columns int
	scratch []byte // the connection's
}

const (
	usualColumn = 1 << 10 // bytes: what almost all columns are shorter than
	keptColumn  = 1 << 16 // bytes of memory that a connection keeps for them
)

var errNull = errors.New("is NULL")

// Scan copies the columns into dest, one for each.
func (r *row) Scan(dest ...any) error {
	if r.stmt == nil {
		return errEnded
	}
	if len(dest) != r.columns {
		return fmt.Errorf("scan %d columns into %d variables", r.columns, len(dest))
	}
	for col, d := range dest {
		if err := r.column(col, d); err != nil {
			return fmt.Errorf("column %d into %T: %w", col+1, d, err)
		}
	}
	return nil
}

// column copies one column. NULL is refused where a variable cannot hold it, as
// other databases do. NULL reads as 0 or as nothing, so that only such a column is
// asked whether it is NULL: each question to SQLite costs as much as its answer.
func (r *row) column(col int, dest any) error {
	empty := false
	switch d := dest.(type) {
	case *int64:
		*d = r.stmt.ColumnInt64(col)
		empty = *d == 0
	case *model.AccountID:
		return r.id(col, d[:])
	case *model.MessageID:
		return r.id(col, d[:])
	case *model.EntityID:
		return r.id(col, d[:])
	case *model.OrganizationID:
		text := r.bytes(col)
		if string(text) != string(*d) {
			*d = model.OrganizationID(text)
		}
		empty = len(text) == 0
	case *string:
		text := r.bytes(col)
		if string(text) != *d { // else it stays: a variable that is used again, for a column of few values
			*d = string(text)
		}
		empty = len(text) == 0
	case *[]byte:
		text := r.bytes(col)
		if len(text) == 0 && r.stmt.ColumnIsNull(col) {
			*d = nil
			return nil
		}
		*d = append(make([]byte, 0, len(text)), text...)
	case *int:
		*d = r.stmt.ColumnInt(col)
		empty = *d == 0
	case *bool:
		*d = r.stmt.ColumnBool(col)
		empty = !*d
	case *model.GroupID:
		return r.id(col, d[:])
	case *model.BlobID:
		return r.id(col, d[:])
	case sql.Scanner:
		if r.stmt.ColumnIsNull(col) {
			return d.Scan(nil)
		}
		return d.Scan(r.bytes(col))
	default:
		return errors.New("unknown type of variable")
	}
	if empty && r.stmt.ColumnIsNull(col) {
		return errNull
	}
	return nil
}

// bytes returns a column as bytes, valid until the next call.
func (r *row) bytes(col int) []byte {
	n := r.stmt.ColumnBytes(col, r.scratch)
	if n < len(r.scratch) {
		return r.scratch[:n]
	}
	whole := make([]byte, r.stmt.ColumnLen(col)+1) // perhaps there is more
	n = r.stmt.ColumnBytes(col, whole)
	if len(whole) <= keptColumn {
		r.scratch = whole
	}
	return whole[:n]
}

// id copies the sixteen bytes of an identifier.
func (r *row) id(col int, id []byte) error {
	var found [len(model.AccountID{}) + 1]byte // room for one more, to see that there is none
	if n := r.stmt.ColumnBytes(col, found[:]); n != len(id) {
		return fmt.Errorf("%d bytes, or more, are no identifier", n)
	}
	copy(id, found[:])
	return nil
}
