package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"zombiezen.com/go/sqlite"
)

// PageSize is the size in bytes of a page of a database that a Feed reads and a Replica keeps.
const PageSize = pageSize

// Page is a page of a database: its number, from 1, and its bytes. Unused space in pages of
// tables and indexes is zero, so that no remains of deleted rows are in it (scrub).
type Page struct {
	Number uint32
	Image  []byte // PageSize bytes, valid until the next call of the Feed
}

// Snapshot is a database as it is after a commit, told by what differs from an earlier one.
type Snapshot struct {
	Pages   uint32 // size of the database
	Changed []Page
}

// Feed reads an engine's database page by page for a copy elsewhere, while everything goes on. It
// knows which pages were written and not handed out yet: each page that it hands out, it hands out
// again when it is written again. So a copy that got all of Some, and then of Rest, is the database
// as it was at Rest. How slow the copy is costs the engine nothing but a bit for each page.
//
// It is used by one goroutine at a time, and closed before the engine.
type Feed struct {
	e      *Engine
	c      *connection
	read   *sqlite.Stmt
	buffer []byte   // of the images that were returned last
	frames []uint32 // the pages of the log's frames, as they were last read
	last   logState // at the last Rest

	closing sync.Once
	closed  error
}

// restTries is how often Rest begins again where another process writes at that moment.
const restTries = 10

// OpenFeed opens a feed. From then on the engine notes which pages are written. It answers an error for an
// engine beside another process, and for a database whose pages have another size than PageSize.
func (e *Engine) OpenFeed(ctx context.Context) (_ *Feed, err error) {
	if err := e.gate.Enter(ctx); err != nil {
		return nil, err
	}
	defer e.gate.Leave()
	if e.files == nil || e.files.pageSize != pageSize {
		return nil, errors.New("this store cannot be followed page by page")
	}
	c, err := openReader(e.path, 64<<10)
	if err != nil {
		return nil, err
	}
	f := &Feed{e: e, c: c}
	err = c.prepare(map[**sqlite.Stmt]string{&f.read: "SELECT data FROM sqlite_dbpage('main') WHERE pgno = ?"})
	if err == nil {
		err = e.writer.do(ctx, e.writer.follow)
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return f, nil
}

// Close closes the feed. It may be called twice.
func (f *Feed) Close() error {
	f.closing.Do(func() { f.closed = f.c.close() })
	return f.closed
}

// Wake receives when something was committed since it last received.
func (f *Feed) Wake() <-chan struct{} { return f.e.writer.changes.wake }

// Waiting is how many pages were written and not handed out.
func (f *Feed) Waiting() int { return f.e.writer.changes.size() }

// Mark has pages handed out, whether or not they were written.
func (f *Feed) Mark(pages []uint32) { f.e.writer.changes.add(pages) }

// MarkAll has all pages handed out.
func (f *Feed) MarkAll(ctx context.Context) error { return f.MarkAfter(ctx, 0) }

// MarkAfter has all pages after one handed out.
func (f *Feed) MarkAfter(ctx context.Context, last uint32) error {
	return f.order(ctx, func(w *writer) error {
		state, err := w.files.steadyState()
		if err != nil {
			return err
		}
		if pages := allPages(state.pages); last < state.pages {
			w.changes.add(pages[last:])
		}
		return nil
	})
}

// order runs work on the writer's goroutine, between two transactions.
func (f *Feed) order(ctx context.Context, work func(*writer) error) error {
	if err := f.e.gate.Enter(ctx); err != nil {
		return err
	}
	defer f.e.gate.Leave()
	return f.e.writer.do(ctx, func() error { return work(f.e.writer) })
}

// Some hands out up to n of the pages that wait, each as it is at one moment. taken are their
// numbers, which Mark takes where they did not arrive. A page that is no longer there is left out
// of pages.
func (f *Feed) Some(ctx context.Context, n int) (pages []Page, taken []uint32, err error) {
	if err := f.e.gate.Enter(ctx); err != nil {
		return nil, nil, err
	}
	defer f.e.gate.Leave()
	taken = f.e.writer.changes.take(n)
	pages, err = f.readAll(taken)
	if err != nil {
		f.Mark(taken)
		return nil, nil, err
	}
	return pages, taken, nil
}

// Range reads up to n pages from one on, without handing them out: fewer at the end.
func (f *Feed) Range(ctx context.Context, first uint32, n int) ([]Page, error) {
	if err := f.e.gate.Enter(ctx); err != nil {
		return nil, err
	}
	defer f.e.gate.Leave()
	numbers := make([]uint32, n)
	for i := range numbers {
		numbers[i] = first + uint32(i)
	}
	return f.readAll(numbers)
}

// Rest hands out all pages that wait, as they are after one commit, unless there are more than
// most: then it is told so by false. It holds the writer up for as long as it takes to begin to
// read, some microseconds.
func (f *Feed) Rest(ctx context.Context, most int) (s Snapshot, taken []uint32, ok bool, err error) {
	err = f.order(ctx, func(w *writer) error {
		for range restTries {
			w.note()
			if ok = w.changes.size() <= most; !ok {
				return nil
			}
			before := w.changes.seen
			if err := f.begin(); err != nil {
				return err
			}
			after, err := w.files.steadyState()
			if err == nil && after.commits == before.commits && w.changes.on {
				taken, f.last, s.Pages = w.changes.take(most), after, after.pages
				return nil
			}
			if err := errors.Join(err, f.end()); err != nil {
				return err
			}
		}
		return unavailable(errors.New("another process writes to the store without a pause"))
	})
	if err != nil || !ok {
		return s, nil, false, err
	}
	s.Changed, err = f.direct(taken, f.last)
	if errors.Is(err, errIndirect) {
		s.Changed, err = f.images(taken, s.Pages)
	}
	if err = errors.Join(err, f.end()); err != nil {
		f.Mark(taken)
		return s, nil, false, err
	}
	return s, taken, true, nil
}

// Unchanged reports whether nothing was committed since the last Rest, by whomever.
func (f *Feed) Unchanged(ctx context.Context) (bool, error) {
	if err := f.e.gate.Enter(ctx); err != nil {
		return false, err
	}
	defer f.e.gate.Leave()
	state, err := f.e.files.steadyState()
	return err == nil && state.commits == f.last.commits && f.Waiting() == 0, err
}

// begin begins to read: what is read until end is of one moment.
func (f *Feed) begin() error {
	if err := f.c.run(f.c.begin); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if _, err := f.image(1, nil); err != nil { // SQLite begins with the first page that is read
		return errors.Join(err, f.end())
	}
	return nil
}

func (f *Feed) end() error {
	if !f.c.inTransaction() {
		return nil
	}
	return f.c.run(f.c.commit)
}

// readAll reads pages as they are at one moment.
func (f *Feed) readAll(numbers []uint32) (pages []Page, err error) {
	if err := f.begin(); err != nil {
		return nil, err
	}
	state, err := f.e.files.steadyState()
	if err == nil {
		pages, err = f.images(numbers, state.pages)
	}
	return pages, errors.Join(err, f.end())
}

// images reads pages in the transaction that is open. size is that of the database, about.
func (f *Feed) images(numbers []uint32, size uint32) ([]Page, error) {
	if need := len(numbers) * pageSize; cap(f.buffer) < need {
		f.buffer = make([]byte, need)
	}
	pages := make([]Page, 0, len(numbers))
	for i, number := range numbers {
		image := f.buffer[:cap(f.buffer)][i*pageSize : (i+1)*pageSize]
		n, err := f.image(number, image)
		if err != nil {
			return nil, err
		}
		if n == 0 { // the database has become smaller
			continue
		}
		if n != pageSize {
			return nil, fmt.Errorf("page %d has %d bytes", number, n)
		}
		if size < scrubLimit {
			from, to := gap(image, number)
			clear(image[from:to])
		}
		pages = append(pages, Page{number, image})
	}
	return pages, nil
}

// image reads one page, and returns how many bytes it has; 0 where there is none.
func (f *Feed) image(number uint32, into []byte) (n int, err error) {
	f.read.BindInt64(1, int64(number))
	found, err := f.read.Step()
	if err == nil && found {
		if n = f.read.ColumnLen(0); into != nil {
			f.read.ColumnBytes(0, into)
		}
	}
	return n, translate(errors.Join(err, f.read.Reset()))
}
