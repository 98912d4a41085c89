package sqlite

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"signet/internal/store"
	"signet/internal/store/engine"
)

// Options are what an engine can be told. The zero value is a working choice.
type Options struct {
	// Clock is the present, from which positions start; nil is time.Now.
	Clock func() time.Time

	// Readers is how many Views can read at the same time; 0 is 4.
	Readers int

	// CacheBytes is how much of the file the engine keeps in memory, over all
	// of its connections; 0 is 64 MiB.
	CacheBytes int64

	// Beside is for a command while another process, a server, has the directory
	// (ErrLocked): the engine reads and writes, and leaves checkpoints, erasing, and
	// the mark of a file in good order to that one.
	Beside bool

	// Log takes what no caller can be told, such as a checkpoint that failed;
	// nil drops it.
	Log *slog.Logger
}

// Engine is a database in one file. It implements store.Engine.
type Engine struct {
	writer  *writer
	readers *readers
	sharing sharing
	files   *files
	path    string
	meters  store.EngineMeters

	gate engine.Gate

	closing  sync.Once
	closeErr error
}

var _ store.Engine = (*Engine)(nil)

// Stats counts what an engine did since it was opened.
type Stats struct {
	Updates     uint64 // functions of Update that were started
	Commits     uint64 // transactions that reached the disk
	Checkpoints uint64 // times that the write-ahead log was copied into the file
	Scrubbed    uint64 // pages whose unused space held remains of content and was zeroed
	LogFrames   uint64 // pages in the write-ahead log when it was last looked at
	LogPages    uint64 // pages that were written to it, by whomever
	Readers     int    // connections to read through
	Reading     int    // those of them that are in use
}

// stats are the counters behind Stats; the writer adds, all read.
type stats struct {
	updates, commits, checkpoints, scrubbed, logFrames, logPages atomic.Uint64
}

// Open opens the database file at path, and creates it, readable by its owner
// only, where there is none. The directory must exist, and be this process's
// own (LockDirectory), unless the engine works beside another (Options.Beside). It refuses a file
// that is another program's database.
func Open(path string, opts Options) (*Engine, error) {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if opts.Readers <= 0 {
		opts.Readers = 4
	}
	if opts.CacheBytes <= 0 {
		opts.CacheBytes = 64 << 20
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	e := &Engine{path: path, meters: store.NewEngineMeters()}
	if err := e.open(opts); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), e.release())
	}
	go e.writer.run()
	return e, nil
}

// open acquires everything in the order in which release gives it back. Half
// of the cache is the writer's, because readers lose theirs at every commit.
func (e *Engine) open(opts Options) (err error) {
	if !opts.Beside {
		if e.files, err = openFiles(e.path); err != nil {
			return err
		}
	}
	c, err := openWriter(e.path, opts.CacheBytes/2)
	if err != nil {
		return err
	}
	e.readers = &readers{free: make(chan *connection, opts.Readers)}
	if e.writer, err = newWriter(c, e.readers, e.files, e.meters, opts); err != nil {
		return errors.Join(err, c.close())
	}
	if !opts.Beside {
		if e.writer.copier.c, err = openCopier(e.path); err != nil {
			return err
		}
	}
	for range opts.Readers {
		reader, err := openReader(e.path, opts.CacheBytes/2/int64(opts.Readers))
		if err != nil {
			return err
		}
		e.readers.free <- reader
	}
	return nil
}

// Dialect names where SQLite differs from the shared SQL.
func (e *Engine) Dialect() store.Dialect { return dialect }

var dialect = store.Dialect{Name: "sqlite", Bytes: "BLOB", ID: "BLOB", Suffix: " WITHOUT ROWID", Alone: true,
	Columns: `SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'`,
	Indexes: `SELECT i.name, i.tbl_name, c.name FROM sqlite_master i JOIN pragma_index_info(i.name) c
		WHERE i.type = 'index' AND i.sql IS NOT NULL AND c.name IS NOT NULL ORDER BY i.name, c.seqno`,
	Queue: `SELECT value FROM engine_state WHERE name = 'position' AND ? IS NOT NULL`,
}

// Meters returns what the engine measures. It goes on measuring.
func (e *Engine) Meters() store.EngineMeters { return e.meters }

// Stats returns the engine's counters.
func (e *Engine) Stats() Stats {
	s := &e.writer.stats
	return Stats{
		Updates:     s.updates.Load(),
		Commits:     s.commits.Load(),
		Checkpoints: s.checkpoints.Load(),
		Scrubbed:    s.scrubbed.Load(),
		LogFrames:   s.logFrames.Load(),
		LogPages:    s.logPages.Load(),
		Readers:     cap(e.readers.free),
		Reading:     cap(e.readers.free) - len(e.readers.free),
	}
}

// Close waits for the calls that are under way, empties the write-ahead log and
// closes the files. Calling it again returns what the first call returned.
func (e *Engine) Close() error {
	e.closing.Do(func() {
		e.gate.Close()
		e.writer.stop()
		e.closeErr = e.release()
	})
	return e.closeErr
}

// release closes what is open. The writer's connection goes last of the
// connections, because SQLite makes a checkpoint as it closes the last one; the
// files go after all of them, because closing a file drops the locks that SQLite
// holds on it (POSIX).
func (e *Engine) release() error {
	var errs []error
	if e.readers != nil {
		errs = append(errs, e.readers.close())
	}
	if e.writer != nil {
		errs = append(errs, e.writer.copier.close(), e.writer.c.close())
	}
	if e.files != nil {
		errs = append(errs, e.files.close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}
