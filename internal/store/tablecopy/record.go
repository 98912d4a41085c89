package tablecopy

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"signet/internal/store"
	"signet/internal/store/schema"
)

// record is a row of a table: an int64, string or []byte for each column.
type record []any

// size is about how many bytes a record takes.
func (r record) size() (n int) {
	for _, value := range r {
		switch v := value.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
		n += 16
	}
	return n
}

// table is a table of the schema, whose rows are records.
type table struct{ schema.Table }

// tables are those that are copied, in their order.
func tables() []table {
	all := store.Tables()
	out := make([]table, len(all))
	for i, t := range all {
		out[i] = table{t}
	}
	return out
}

// key returns the values of the primary key.
func (t table) key(r record) record {
	key := make(record, len(t.Key))
	for i, name := range t.Key {
		key[i] = r[t.Place(name)]
	}
	return key
}

// names lists the columns, for a statement.
func (t table) names() string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// scan reads the current row.
func (t table) scan(row store.Row) (record, error) {
	dest := make([]any, len(t.Columns))
	for i, c := range t.Columns {
		switch c.Kind {
		case schema.NumberColumn:
			dest[i] = new(int64)
		case schema.TextColumn:
			dest[i] = new(string)
		case schema.BytesColumn, schema.IDColumn:
			dest[i] = new([]byte)
		}
	}
	if err := row.Scan(dest...); err != nil {
		return nil, err
	}
	for i := range dest {
		switch d := dest[i].(type) {
		case *int64:
			dest[i] = *d
		case *string:
			dest[i] = *d
		case *[]byte:
			dest[i] = *d
		}
	}
	return dest, nil
}

// marks are n placeholders in parentheses.
func marks(n int) string { return "(?" + strings.Repeat(", ?", n-1) + ")" }

// read returns the rows of a source that follow a key, in the order of the keys; a nil
// key is before all. There are maxRows, or fewer if they are large or the table has no
// more: none means its end.
func (t table) read(ctx context.Context, source store.Source, after record) (out []record, err error) {
	key, where := strings.Join(t.Key, ", "), ""
	if after != nil {
		where = " WHERE (" + key + ") > " + marks(len(t.Key))
	}
	query := `SELECT ` + t.names() + ` FROM ` + t.Name + where + ` ORDER BY ` + key + ` LIMIT ? + 0`
	err = source.View(ctx, func(s store.Session) error {
		out = nil
		size := 0
		return s.Query(query, append(slices.Clip(after), maxRows), func(row store.Row) error {
			r, err := t.scan(row)
			if err != nil {
				return err
			}
			out = append(out, r)
			if size += r.size(); size >= maxBytes {
				return store.ErrStop
			}
			return nil
		})
	})
	return out, err
}

// rowsAtOnce are the numbers of rows that one statement inserts. They are few, so that
// the statements are few too.
var rowsAtOnce = []int{200, 20, 1}

// insert adds rows.
func (t table) insert(s store.Session, rows []record) error {
	for _, n := range rowsAtOnce {
		query := `INSERT INTO ` + t.Name + ` (` + t.names() + `) VALUES ` + marks(len(t.Columns)) +
			strings.Repeat(", "+marks(len(t.Columns)), n-1)
		for ; len(rows) >= n; rows = rows[n:] {
			args := make([]any, 0, n*len(t.Columns))
			for _, r := range rows[:n] {
				args = append(args, r...)
			}
			if err := s.Post(query, args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// digest says what rows a table holds, in whatever order an engine has them: how many,
// and the sum of the digests of all.
type digest struct {
	rows int64
	sum  [sha256.Size / 8]uint64
}

// fingerprint reads a table whole.
func (t table) fingerprint(ctx context.Context, source store.Source, progress func(rows int64)) (d digest, err error) {
	var after record
	for {
		rows, err := t.read(ctx, source, after)
		if err != nil || len(rows) == 0 {
			return d, err
		}
		for _, r := range rows {
			d.add(r)
		}
		after = t.key(rows[len(rows)-1])
		progress(int64(len(rows)))
	}
}

// add counts a row. Lengths go before values, so that no two rows are written alike.
func (d *digest) add(r record) {
	h := sha256.New()
	var head [9]byte
	for _, value := range r {
		switch v := value.(type) {
		case int64:
			head[0] = 'n'
			binary.BigEndian.PutUint64(head[1:], uint64(v))
			h.Write(head[:])
		case string:
			head[0] = 't'
			binary.BigEndian.PutUint64(head[1:], uint64(len(v)))
			h.Write(head[:])
			h.Write([]byte(v))
		case []byte:
			head[0] = 'b'
			binary.BigEndian.PutUint64(head[1:], uint64(len(v)))
			h.Write(head[:])
			h.Write(v)
		}
	}
	sum := h.Sum(nil)
	for i := range d.sum {
		d.sum[i] += binary.BigEndian.Uint64(sum[8*i:])
	}
	d.rows++
}

// texts writes a key so that JSON keeps it.
func (t table) texts(key record) [][]byte {
	if key == nil {
		return nil
	}
	out := make([][]byte, len(key))
	for i, value := range key {
		switch v := value.(type) {
		case int64:
			out[i] = strconv.AppendInt(nil, v, 10)
		case string:
			out[i] = []byte(v)
		case []byte:
			out[i] = v
		}
	}
	return out
}

// keyOf reads what texts wrote.
func (t table) keyOf(texts [][]byte) (record, error) {
	if texts == nil {
		return nil, nil
	}
	if len(texts) != len(t.Key) {
		return nil, fmt.Errorf("%d values are no key of %s", len(texts), t.Name)
	}
	key := make(record, len(texts))
	for i, name := range t.Key {
		switch t.Columns[t.Place(name)].Kind {
		case schema.NumberColumn:
			n, err := strconv.ParseInt(string(texts[i]), 10, 64)
			if err != nil {
				return nil, err
			}
			key[i] = n
		case schema.TextColumn:
			key[i] = string(texts[i])
		case schema.BytesColumn, schema.IDColumn:
			key[i] = texts[i]
		}
	}
	return key, nil
}
