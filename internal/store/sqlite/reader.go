package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"

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
	return readerOf(path, func() (*connection, error) { return openReader(path, 8<<20) })
}

// OpenStill opens a database that no server uses. Unlike OpenReader it makes no file beside the
// database, and changes none. Where the last server was killed, it reads the log through an index in
// memory; SQLite does this only while the log's own index, the file with -shm, is still there. What is
// read while a server starts to use the database is worth nothing.
func OpenStill(path string) (*Reader, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	how := "immutable=1"
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		how = "readonly_shm=1"
	}
	still := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: how}
	return readerOf(path, func() (*connection, error) { return openReaderAt(still.String(), 8<<20, sqlite.OpenURI) })
}

func readerOf(path string, open func() (*connection, error)) (*Reader, error) {
	c, err := open()
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
