package postgres

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"signet/internal/model"
)

// row is the current row of a running statement. All columns are in binary form.
type row struct {
	reader *pgconn.ResultReader // nil once the statement has ended
	digits []byte               // of a number that is read as a text
}

var errNull = errors.New("is NULL")

// Scan copies the columns into dest, one for each.
func (r *row) Scan(dest ...any) error {
	if r.reader == nil {
		return errEnded
	}
	values, columns := r.reader.Values(), r.reader.FieldDescriptions()
	if len(dest) != len(values) || len(columns) != len(values) {
		return fmt.Errorf("scan %d columns into %d variables", len(values), len(dest))
	}
	for i, d := range dest {
		if err := r.column(columns[i].DataTypeOID, values[i], d); err != nil {
			return fmt.Errorf("column %d into %T: %w", i+1, d, err)
		}
	}
	return nil
}

// column copies one column. NULL is refused where a variable cannot hold it.
func (r *row) column(kind uint32, raw []byte, dest any) (err error) {
	switch d := dest.(type) {
	case *[]byte:
		*d = nil
		if raw != nil {
			var text []byte
			text, err = r.text(kind, raw)
			*d = append([]byte{}, text...)
		}
		return err
	case sql.Scanner:
		if _, _, isID := identifier(dest); !isID {
			if raw == nil {
				return d.Scan(nil)
			}
			text, err := r.text(kind, raw)
			if err != nil {
				return err
			}
			return d.Scan(text)
		}
	}
	if raw == nil {
		return errNull
	}
	switch d := dest.(type) {
	case *string:
		text, err := r.text(kind, raw)
		*d = string(text)
		return err
	case *model.OrganizationID:
		text, err := r.text(kind, raw)
		*d = model.OrganizationID(text)
		return err
	case *int64:
		*d, err = number(kind, raw)
		return err
	case *int:
		n, err := number(kind, raw)
		*d = int(n)
		return err
	case *bool:
		n, err := number(kind, raw)
		*d = n != 0
		return err
	}
	id, n, ok := identifier(dest)
	switch {
	case !ok:
		return errors.New("unknown type of variable")
	case len(raw) != n || kind != pgtype.ByteaOID:
		return fmt.Errorf("%d bytes are no identifier", len(raw))
	}
	copy(id, raw)
	return nil
}

// identifier returns the bytes of a variable for an identifier. Kinds that are
// not listed are filled through their Scan.
func identifier(dest any) (id []byte, size int, ok bool) {
	switch d := dest.(type) {
	case *model.AccountID:
		return d[:], len(d), true
	case *model.MessageID:
		return d[:], len(d), true
	case *model.EntityID:
		return d[:], len(d), true
	case *model.GroupID:
		return d[:], len(d), true
	case *model.BlobID:
		return d[:], len(d), true
	}
	return nil, 0, false
}

// text returns a column as text or bytes; it is valid until the next row.
func (r *row) text(kind uint32, raw []byte) ([]byte, error) {
	switch kind {
	case pgtype.TextOID, pgtype.ByteaOID, pgtype.VarcharOID, pgtype.NameOID, pgtype.UUIDOID:
		return raw, nil
	}
	n, err := number(kind, raw)
	r.digits = strconv.AppendInt(r.digits[:0], n, 10)
	return r.digits, err
}

// number reads a column that holds a whole number. A sum of BIGINTs is NUMERIC.
func number(kind uint32, raw []byte) (int64, error) {
	switch {
	case kind == pgtype.Int8OID && len(raw) == 8:
		return int64(binary.BigEndian.Uint64(raw)), nil
	case kind == pgtype.Int4OID && len(raw) == 4:
		return int64(int32(binary.BigEndian.Uint32(raw))), nil
	case kind == pgtype.Int2OID && len(raw) == 2:
		return int64(int16(binary.BigEndian.Uint16(raw))), nil
	case kind == pgtype.BoolOID && len(raw) == 1:
		return int64(raw[0]), nil
	case kind == pgtype.NumericOID:
		var n pgtype.Numeric
		err := pgtype.NumericCodec{}.PlanScan(nil, kind, pgtype.BinaryFormatCode, &n).Scan(raw, &n)
		if err == nil && n.Int == nil {
			err = errors.New("no number")
		}
		if err != nil {
			return 0, err
		}
		whole, err := n.Int64Value()
		return whole.Int64, err
	}
	return 0, fmt.Errorf("type %d is no whole number", kind)
}
