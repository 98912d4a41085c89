package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
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

// key returns the values of the primary key.
func (t *Table) key(r record) record {
	key := make(record, len(t.Key))
	for i, name := range t.Key {
		key[i] = r[t.column(name)]
	}
	return key
}

// column returns the place of a column.
func (t *Table) column(name string) int {
	for i, c := range t.Columns {
		if c.Name == name {
			return i
		}
	}
	panic(fmt.Sprintf("table %s has no column %s", t.Name, name))
}

// names lists the columns, for a statement.
func (t *Table) names() string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// scan reads the current row.
func (t *Table) scan(row Row) (record, error) {
	dest := make([]any, len(t.Columns))
	for i, c := range t.Columns {
		switch c.Kind {
		case NumberColumn:
			dest[i] = new(int64)
		case TextColumn:
			dest[i] = new(string)
		case BytesColumn, IDColumn:
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

// records returns the rows of a table that follow a key, in the order of the keys; a
// nil key is before all. There are as many as asked for, or fewer if they are large or
// the table has no more: none means its end.
func (tx *Tx) records(t *Table, after record, most, mostBytes int) (out []record, err error) {
	key, where := strings.Join(t.Key, ", "), ""
	args := append([]any{}, after...)
	if after != nil {
		where = " WHERE (" + key + ") > " + marks(len(t.Key))
	}
	size := 0
	query := `SELECT ` + t.names() + ` FROM ` + t.Name + where + ` ORDER BY ` + key + ` LIMIT ? + 0`
	err = tx.each(query, append(args, most), func(row Row) error {
		r, err := t.scan(row)
		if err != nil {
			return err
		}
		out = append(out, r)
		if size += r.size(); size >= mostBytes {
			return ErrStop
		}
		return nil
	})
	return out, err
}

// rowsAtOnce are the numbers of rows that one statement inserts. They are few, so that
// the statements are few too.
var rowsAtOnce = []int{200, 20, 1}

// insert adds rows to a table.
func (tx *Tx) insert(t *Table, rows []record) error {
	for _, n := range rowsAtOnce {
		query := `INSERT INTO ` + t.Name + ` (` + t.names() + `) VALUES ` + marks(len(t.Columns)) +
			strings.Repeat(", "+marks(len(t.Columns)), n-1)
		for ; len(rows) >= n; rows = rows[n:] {
			args := make([]any, 0, n*len(t.Columns))
			for _, r := range rows[:n] {
				args = append(args, r...)
			}
			if err := tx.post(query, args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// Fingerprint says what rows a table holds, in whatever order an engine has them: how
// many, and the sum of the digests of all.
type Fingerprint struct {
	Rows int64
	Sum  [sha256.Size / 8]uint64
}

// add counts a row. Lengths go before values, so that no two rows are written alike.
func (f *Fingerprint) add(r record) {
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
	digest := h.Sum(nil)
	for i := range f.Sum {
		f.Sum[i] += binary.BigEndian.Uint64(digest[8*i:])
	}
	f.Rows++
}

// texts writes a key so that JSON keeps it.
func (t *Table) texts(key record) [][]byte {
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
func (t *Table) keyOf(texts [][]byte) (record, error) {
	if texts == nil {
		return nil, nil
	}
	if len(texts) != len(t.Key) {
		return nil, fmt.Errorf("%d values are no key of %s", len(texts), t.Name)
	}
	key := make(record, len(texts))
	for i, name := range t.Key {
		switch t.Columns[t.column(name)].Kind {
		case NumberColumn:
			n, err := strconv.ParseInt(string(texts[i]), 10, 64)
			if err != nil {
				return nil, err
			}
			key[i] = n
		case TextColumn:
			key[i] = string(texts[i])
		case BytesColumn, IDColumn:
			key[i] = texts[i]
		}
	}
	return key, nil
}
