package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"zombiezen.com/go/sqlite"

	"signet/internal/durable"
)

// Backup writes a consistent copy of the database to path, which must not exist,
// while everything goes on. The copy is the state at one moment after Backup
// was called; it holds no free pages and no remains of deleted rows. It is
// there, on disk, when Backup returns nil, and not at all otherwise. Until then
// the write-ahead log grows, and Erase cannot finish.
func (e *Engine) Backup(ctx context.Context, path string) error {
	if err := e.gate.Enter(ctx); err != nil {
		return err
	}
	defer e.gate.Leave()
	return backup(ctx, e.path, path)
}

// backup copies the database at one path to another.
func backup(ctx context.Context, from, path string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("backup to %s: %w", path, err)
		}
	}()
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// An empty file of ours is filled: one that SQLite makes can be read by all users.
	part, err := durable.New(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, part.Discard())
			os.Remove(part.Name() + "-journal")
		}
	}()
	if err := copyInto(ctx, from, part.Name()); err != nil {
		return err
	}
	return part.CommitNew()
}

// copyInto copies the live rows of a database into an empty file.
func copyInto(ctx context.Context, from, to string) (err error) {
	conn, err := sqlite.OpenConn(from, sqlite.OpenReadOnly)
	if err != nil {
		return translate(err)
	}
	defer func() { err = errors.Join(err, translate(conn.Close())) }()
	conn.SetBusyTimeout(busyTimeout)
	conn.SetInterrupt(ctx.Done())
	stmt, err := conn.Prepare("VACUUM INTO ?")
	if err == nil {
		stmt.BindText(1, to)
		_, err = stmt.Step()
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return translate(err)
}
