package sqlite

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"
)

// Check reads the whole database file at path, whether or not a server uses it, and compares its pages,
// its tables and its indexes with each other (PRAGMA integrity_check). damaged gets a line for each of
// the first hundred things that are wrong. It returns how many pages the database has.
func Check(ctx context.Context, path string, damaged func(line string)) (pages int64, err error) {
	reader, err := OpenReader(path)
	if err != nil {
		return 0, err
	}
	defer func() {
		if fault := reader.Close(); err == nil {
			err = fault
		}
	}()
	if pages, err = reader.c.number("PRAGMA page_count"); err != nil {
		return 0, err
	}
	stmt, _, err := reader.c.conn.PrepareTransient("PRAGMA integrity_check(100)")
	if err != nil {
		return pages, translate(err)
	}
	defer func() { _ = stmt.Finalize() }() // which repeats the error of Step
	reader.c.conn.SetInterrupt(ctx.Done())
	defer reader.c.conn.SetInterrupt(nil)
	for {
		found, err := stmt.Step()
		switch {
		case ctx.Err() != nil:
			return pages, ctx.Err()
		case sqlite.ErrCode(err).ToPrimary() == sqlite.ResultCorrupt: // what follows cannot be looked at
			damaged(err.Error())
			return pages, nil
		case err != nil:
			return pages, fmt.Errorf("check %s: %w", path, translate(err))
		case !found:
			return pages, nil
		}
		if line := stmt.ColumnText(0); line != "ok" {
			damaged(line)
		}
	}
}
