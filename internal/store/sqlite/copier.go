package sqlite

import "fmt"

// copier makes checkpoints beside the writer: on a connection and a goroutine of its own, one at a
// time. It belongs to the writer, which says when one begins and hears how it ended.
//
// SQLite lets a checkpoint and a transaction overlap. What the transaction adds to the log meanwhile
// is left for later; and only a log that is in the file to its end can start again.
type copier struct {
	c     *connection
	files *files
	ended chan copied // holds the end of the one that was started, until the writer takes it

	running bool
	began   logState      // the log when the one that runs was started
	done    chan struct{} // is closed once that one, or the last one, has ended
}

// newCopier returns one whose connection is still to be opened.
func newCopier(files *files) copier {
	c := copier{files: files, ended: make(chan copied, 1), done: make(chan struct{})}
	close(c.done)
	return c
}

// copied is how a checkpoint ended.
type copied struct {
	frames int // how many pages the log had
	home   int // how many of them, from the start, are in the database file
	err    error
}

// start begins a checkpoint of a log in this state.
func (c *copier) start(state logState) {
	c.running, c.began, c.done = true, state, make(chan struct{})
	go func(done chan struct{}) {
		c.ended <- c.copy()
		close(done)
	}(c.done)
}

// copy makes a checkpoint. SQLite synchronizes the file only where it has copied the log to its end,
// which the writer does later, and would then wait for all that was copied here. Where this fails, that
// would come too late (doubt).
func (c *copier) copy() (end copied) {
	end = c.c.copyLog()
	if end.err != nil {
		return end
	}
	if err := c.files.db.Sync(); err != nil {
		end.err = unavailable(fmt.Errorf("sync the database: %w", err))
	}
	return end
}

// close closes the connection.
func (c *copier) close() error {
	if c.c == nil {
		return nil
	}
	return c.c.close()
}

// copyLog copies the log into the database file, as far as no reader needs an older version of a page.
func (c *connection) copyLog() copied {
	var busy, frames, home int64
	switch err := c.numbers("PRAGMA wal_checkpoint(PASSIVE)", &busy, &frames, &home); {
	case err != nil:
		return copied{err: err}
	case busy != 0: // another process makes one, or writes at this moment; the other columns are -1
		return copied{err: errReading}
	default:
		return copied{frames: int(frames), home: int(home)}
	}
}
