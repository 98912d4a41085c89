package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// eraseSlice is how many pages are scrubbed at once between transactions; a
	// millisecond or two.
	eraseSlice = 256

	// eraseRest is how many pages are left for the last step of an Erase, which
	// holds up all who write and read.
	eraseRest = 1024

	// eraseAtClose is how many pages are scrubbed when the engine is closed: 1 GiB,
	// a few seconds.
	eraseAtClose = 1 << 18

	// erasePatience is how long one attempt waits for those that read.
	erasePatience = 20 * time.Millisecond

	eraseAttempts = 10
)

// Erase makes what deleted rows held unrecoverable from the engine's files: it
// zeroes the remains in the pages that changed since the last time, copies the
// write-ahead log into the database file and truncates it. The first one after
// a crash looks at every page. It waits a few seconds for long Views and for a
// Backup to end, and returns ErrUnavailable if they do not.
func (e *Engine) Erase(ctx context.Context) error {
	if err := e.gate.Enter(ctx); err != nil {
		return err
	}
	defer e.gate.Leave()
	if e.files == nil {
		return nil // the other process does, which is told by other means
	}
	for attempt := 1; ; attempt++ {
		err := e.erase(ctx)
		if err == nil {
			return nil
		}
		if !errors.Is(err, errReading) || attempt == eraseAttempts {
			return fmt.Errorf("erase: %w", err)
		}
		select {
		case <-time.After(time.Duration(attempt) * 100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("erase: %w", ctx.Err())
		}
	}
}

// erase does most of the work beside the writer, and in slices between which others write.
func (e *Engine) erase(ctx context.Context) error {
	w := e.writer
	var copied <-chan struct{}
	err := w.do(ctx, func() (err error) {
		copied, err = w.copyMuch()
		return err
	})
	if err != nil {
		return err
	}
	select {
	case <-copied:
	case <-ctx.Done():
		return ctx.Err()
	}
	for more := true; more; {
		err := w.do(ctx, func() error {
			more = w.checkpoints.unscrubbed.size > eraseRest
			if !more {
				return nil
			}
			return w.scrub(eraseSlice)
		})
		if err != nil {
			return err
		}
	}
	return w.do(ctx, w.erase)
}

// copyMuch starts a checkpoint beside the writer, unless there are but few pages to copy, and returns
// what is closed once none is being made.
func (w *writer) copyMuch() (done <-chan struct{}, err error) {
	if !w.copier.running {
		state, err := w.look()
		if err == nil && state.frames-state.backfilled > w.checkpoints.few() {
			err = w.copyBeside(state)
		}
		if err != nil {
			return nil, err
		}
	}
	return w.copier.done, nil
}

// erase brings the log home, scrubs what is left, and truncates the log. The
// writer forgets the pages it has in memory: they were not scrubbed, and would
// be written again.
func (w *writer) erase() error {
	w.settle() // before readers are held up
	return w.undisturbed(erasePatience, func() error {
		if err := w.checkpoint(); err != nil {
			return err
		}
		if err := w.scrub(w.checkpoints.unscrubbed.size); err != nil {
			return err
		}
		if err := w.files.db.Sync(); err != nil {
			err = unavailable(fmt.Errorf("sync the database: %w", err))
			w.doubt(err)
			return err
		}
		if err := w.empty("TRUNCATE"); err != nil {
			return err
		}
		if err := w.files.log.Sync(); err != nil {
			return unavailable(fmt.Errorf("sync the write-ahead log: %w", err))
		}
		return w.c.shrink()
	})
}
