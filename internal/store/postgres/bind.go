package postgres

import (
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5/pgtype"

	"signet/internal/model"
)

// params are the arguments of one statement in PostgreSQL's binary form. A
// connection uses one value of it again and again.
//
// The types are ours, not the server's guess: numbers are BIGINT, also for an
// INTEGER column, texts are TEXT, bytes and identifiers BYTEA. So a statement is
// sent without asking the server first what it takes, and is the same statement
// however it is prepared.
type params struct {
	types  []uint32
	values [][]byte // nil is NULL
	ends   []int    // of each value in buf; -1 for NULL
	buf    []byte
}

// nullType lets PostgreSQL find the type of a NULL.
const nullType = 0

var errList = errors.New("not a slice of what can be stored")

// set replaces the parameters by the arguments of a statement, whose number was
// checked.
func (p *params) set(q *query, args []any) error {
	p.types, p.ends, p.values = p.types[:0], p.ends[:0], p.values[:0]
	if p.buf = p.buf[:0]; p.buf == nil {
		p.buf = make([]byte, 0, 512) // never nil, which would be NULL
	}
	for i, arg := range args {
		var kind uint32
		var err error
		if q.Placeholders[i].List {
			kind, err = p.list(arg)
		} else {
			kind, err = p.value(arg)
		}
		if err != nil {
			return fmt.Errorf("argument %d of %.80q: %w", i+1, q.text, err)
		}
		end := len(p.buf)
		if kind == nullType {
			end = -1
		}
		p.types, p.ends = append(p.types, kind), append(p.ends, end)
	}
	from := 0
	for _, end := range p.ends {
		if end < 0 {
			p.values = append(p.values, nil)
			continue
		}
		p.values = append(p.values, p.buf[from:end:end])
		from = end
	}
	return nil
}

// value appends one argument and returns its type. The identifiers, and pointers to
// them, are listed by kind because a type switch on them costs no allocation; a kind
// that is not listed works too.
func (p *params) value(arg any) (uint32, error) {
	switch v := arg.(type) {
	case string:
		p.buf = append(p.buf, v...)
		return pgtype.TextOID, nil
	case int64:
		return p.number(v), nil
	case int:
		return p.number(int64(v)), nil
	case bool:
		if v {
			return p.number(1), nil
		}
		return p.number(0), nil
	case []byte:
		return p.bytes(v), nil
	case model.OrganizationID:
		p.buf = append(p.buf, v...)
		return pgtype.TextOID, nil
	case model.AccountID:
		return p.bytes(v[:]), nil
	case model.MessageID:
		return p.bytes(v[:]), nil
	case model.EntityID:
		return p.bytes(v[:]), nil
	case model.GroupID:
		return p.bytes(v[:]), nil
	case model.BlobID:
		return p.bytes(v[:]), nil
	case *int64, *model.OrganizationID, *model.AccountID, *model.MessageID, *model.EntityID:
		return p.pointed(v), nil
	case nil:
		return nullType, nil
	case writeID:
		p.buf = append(p.buf, v[:]...)
		return pgtype.UUIDOID, nil
	case driver.Valuer:
		value, err := v.Value()
		if err != nil {
			return 0, err
		}
		if _, again := value.(driver.Valuer); !again {
			return p.value(value)
		}
	}
	return 0, fmt.Errorf("type %T cannot be stored", arg)
}

// pointed is value for a pointer.
func (p *params) pointed(arg any) uint32 {
	switch v := arg.(type) {
	case *int64:
		return p.number(*v)
	case *model.OrganizationID:
		p.buf = append(p.buf, *v...)
		return pgtype.TextOID
	case *model.AccountID:
		return p.bytes(v[:])
	case *model.MessageID:
		return p.bytes(v[:])
	case *model.EntityID:
		return p.bytes(v[:])
	}
	return nullType
}

func (p *params) number(n int64) uint32 {
	p.buf = binary.BigEndian.AppendUint64(p.buf, uint64(n))
	return pgtype.Int8OID
}

func (p *params) bytes(b []byte) uint32 {
	p.buf = append(p.buf, b...)
	return pgtype.ByteaOID
}

// list appends the argument of a `?*` as an array.
func (p *params) list(arg any) (uint32, error) {
	switch v := arg.(type) {
	case []string:
		return appendEach(p, v, pgtype.TextOID, func(s string) { p.buf = append(p.buf, s...) }), nil
	case []int64:
		return appendEach(p, v, pgtype.Int8OID, func(n int64) { p.number(n) }), nil
	case []model.AccountID:
		return appendEach(p, v, pgtype.ByteaOID, func(id model.AccountID) { p.bytes(id[:]) }), nil
	case []model.EntityID:
		return appendEach(p, v, pgtype.ByteaOID, func(id model.EntityID) { p.bytes(id[:]) }), nil
	case []model.MessageID:
		return appendEach(p, v, pgtype.ByteaOID, func(id model.MessageID) { p.bytes(id[:]) }), nil
	case []model.OrganizationID:
		return appendEach(p, v, pgtype.TextOID, func(id model.OrganizationID) { p.buf = append(p.buf, id...) }), nil
	case []byte:
		return 0, errList
	}
	v := reflect.ValueOf(arg)
	if v.Kind() != reflect.Slice {
		return 0, fmt.Errorf("type %T: %w", arg, errList)
	}
	var element uint32
	switch item := v.Type().Elem(); {
	case item.Kind() == reflect.String:
		element = pgtype.TextOID
	case item.Kind() == reflect.Int, item.Kind() == reflect.Int64, item.Kind() == reflect.Bool:
		element = pgtype.Int8OID
	case item.Kind() == reflect.Slice && item.Elem().Kind() == reflect.Uint8,
		item.Implements(reflect.TypeFor[driver.Valuer]()):
		element = pgtype.ByteaOID
	default:
		return 0, fmt.Errorf("type %T: %w", arg, errList)
	}
	p.openArray(v.Len(), element)
	for i := range v.Len() {
		size := len(p.buf)
		p.buf = append(p.buf, 0, 0, 0, 0)
		kind, err := p.value(v.Index(i).Interface())
		if err == nil && kind != element {
			err = errList
		}
		if err != nil {
			return 0, err
		}
		p.closeElement(size)
	}
	return arrayType(element), nil
}

// appendEach appends an array of elements of one type.
func appendEach[T any](p *params, list []T, element uint32, write func(T)) uint32 {
	p.openArray(len(list), element)
	for _, item := range list {
		size := len(p.buf)
		p.buf = append(p.buf, 0, 0, 0, 0)
		write(item)
		p.closeElement(size)
	}
	return arrayType(element)
}

// openArray appends the head of an array of one dimension, or of an empty one,
// which has none.
func (p *params) openArray(n int, element uint32) {
	dimensions := uint32(1)
	if n == 0 {
		dimensions = 0
	}
	p.buf = binary.BigEndian.AppendUint32(p.buf, dimensions)
	p.buf = binary.BigEndian.AppendUint32(p.buf, 0) // no element is NULL
	p.buf = binary.BigEndian.AppendUint32(p.buf, element)
	if n > 0 {
		p.buf = binary.BigEndian.AppendUint32(p.buf, uint32(n))
		p.buf = binary.BigEndian.AppendUint32(p.buf, 1) // the first index
	}
}

// closeElement writes the size of an element where room was left for it.
func (p *params) closeElement(size int) {
	binary.BigEndian.PutUint32(p.buf[size:], uint32(len(p.buf)-size-4))
}

func arrayType(element uint32) uint32 {
	switch element {
	case pgtype.TextOID:
		return pgtype.TextArrayOID
	case pgtype.Int8OID:
		return pgtype.Int8ArrayOID
	default:
		return pgtype.ByteaArrayOID
	}
}
