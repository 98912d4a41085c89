package tablecopy

import (
	"errors"

	"signet/internal/store"
)

// errAnother says that another copy into the same target has taken over.
var errAnother = errors.New("another copy into the same database is running")

// lockMeta returns what is kept under a name, "" where there is nothing, and keeps others
// from changing it until the transaction ends.
func lockMeta(s store.Session, dialect store.Dialect, name string) (value string, err error) {
	err = s.Query(`SELECT value FROM meta WHERE name = ? `+dialect.Lock, []any{name},
		func(row store.Row) error { return row.Scan(&value) })
	return value, err
}

// putMeta replaces what is kept under a name.
func putMeta(s store.Session, name, value string) error {
	return s.Post(`INSERT INTO meta (name, value) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
}

// replaceNote replaces the note of a copy where it is still what it was ("": there was
// none).
func replaceNote(s store.Session, was, note string) (err error) {
	var n int64
	if was == "" {
		n, err = s.Exec(`INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`, store.MetaCopying, note)
	} else {
		n, err = s.Exec(`UPDATE meta SET value = ? WHERE name = ? AND value = ?`, note, store.MetaCopying, was)
	}
	return changed(n, err)
}

// dropNote removes the note where it is still what it was.
func dropNote(s store.Session, was string) error {
	return changed(s.Exec(`DELETE FROM meta WHERE name = ? AND value = ?`, store.MetaCopying, was))
}

// changed is errAnother where no row was changed.
func changed(n int64, err error) error {
	if err == nil && n == 0 {
		err = errAnother
	}
	return err
}
