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
	scratch []byte // what a sql.Scanner is fed with
}

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
// other databases do.
func (r *row) column(col int, dest any) error {
	null := r.stmt.ColumnIsNull(col)
	switch d := dest.(type) {
	case *[]byte:
		*d = nil
		if !null {
			*d = make([]byte, r.stmt.ColumnLen(col))
			r.stmt.ColumnBytes(col, *d)
		}
		return nil
	case *string:
		*d = r.stmt.ColumnText(col)
	case *int64:
		*d = r.stmt.ColumnInt64(col)
	case *int:
		*d = r.stmt.ColumnInt(col)
	case *bool:
		*d = r.stmt.ColumnBool(col)
	case *model.OrganizationID:
		*d = model.OrganizationID(r.stmt.ColumnText(col))
	case *model.AccountID:
		return r.id(col, d[:])
	case *model.MessageID:
		return r.id(col, d[:])
	case *model.EntityID:
		return r.id(col, d[:])
	case *model.GroupID:
		return r.id(col, d[:])
	case *model.BlobID:
		return r.id(col, d[:])
	case sql.Scanner:
		if null {
			return d.Scan(nil)
		}
		n := r.stmt.ColumnLen(col)
		if cap(r.scratch) < n {
			r.scratch = make([]byte, n)
		}
		r.scratch = r.scratch[:n]
		r.stmt.ColumnBytes(col, r.scratch)
		return d.Scan(r.scratch)
	default:
		return errors.New("unknown type of variable")
	}
	if null {
		return errNull
	}
	return nil
}

// id copies the sixteen bytes of an identifier.
func (r *row) id(col int, id []byte) error {
	if n := r.stmt.ColumnLen(col); n != len(id) {
		return fmt.Errorf("%d bytes are no identifier", n)
	}
	r.stmt.ColumnBytes(col, id)
	return nil
}
