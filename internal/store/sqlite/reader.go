package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"signet/internal/store"
)

// Reader reads a database whether or not a server uses it, and writes nothing to it.
// It is used by one goroutine at a time.
type Reader struct {
	c    *connection
	path string
}

// OpenReader opens the database file at path. It refuses a file that is another
// program's database, or none.
func OpenReader(path string) (*Reader, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	c, err := openReader(path, 8<<20)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	id, err := c.number("PRAGMA application_id")
	if err == nil && id != applicationID {
		err = errors.New("the file is no database of this server")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), c.close())
	}
	return &Reader{c, path}, nil
}

// View runs fn on a consistent snapshot. While it lasts, the write-ahead log of a
// server that uses the database grows.
func (r *Reader) View(ctx context.Context, fn func(store.Session) error, _ ...store.Trait) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.c.view(ctx, nil, fn)
}

// Dialect names where SQLite differs from the shared SQL.
func (r *Reader) Dialect() store.Dialect { return dialect }

// Backup does what Engine.Backup does, from another process.
func (r *Reader) Backup(ctx context.Context, path string) error { return backup(ctx, r.path, path) }

// LastPosition returns the last position that was handed out and committed.
func (r *Reader) LastPosition() (int64, error) {
	return r.c.number(`SELECT value FROM engine_state WHERE name = 'position'`)
}

// Close closes the database.
func (r *Reader) Close() error { return r.c.close() }
