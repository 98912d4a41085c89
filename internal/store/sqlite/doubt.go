package sqlite

import (
	"errors"
	"fmt"

	"signet/internal/store"
)

// doubt follows an error of a checkpoint, or of synchronizing the database file. A page that the
// system could not bring to the disk it may take for written all the same: it tells so once, finds nothing
// to write the next time, and the disk keeps what it had. SQLite then copies again what that checkpoint
// copied, but not what an earlier one did, which had left the end of the log to it; and it would soon write
// over the log, which alone has that.
//
// So the whole log is copied again, from its start. What was scrubbed may be lost in the same way: the
// next Erase looks at every page.
func (w *writer) doubt(err error) {
	if err == nil || errors.Is(err, errReading) || errors.Is(err, store.ErrFull) {
		return // nothing failed, or the disk refused a page at once
	}
	cp := &w.checkpoints
	cp.doubted = true
	if _, err := w.look(); err != nil {
		w.report(err)
	}
	cp.unscrubbed.addAll(cp.seen.pages)
	if err := w.recopy(); err != nil {
		w.report(err) // the next checkpoint tries again
	}
}

// recopy has the next checkpoint copy the log from its start, where what was copied is in doubt.
func (w *writer) recopy() error {
	cp := &w.checkpoints
	if !cp.doubted {
		return nil
	}
	if err := w.files.takeBackCopied(); err != nil {
		return err
	}
	cp.doubted, cp.listed.frames = false, 0
	return nil
}

// takeBackCopied notes in the log's index that nothing of the log is in the database file yet. Only
// checkpoints raise that number, of which this process makes none meanwhile, and the lock keeps others from
// making one. Readers then read from the log what they read from the file before; it is the same.
func (f *files) takeBackCopied() (err error) {
	unlock, err := lockCheckpoints(f.index)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if _, err := f.index.WriteAt(make([]byte, 4), backfilledAt); err != nil {
		return unavailable(fmt.Errorf("write the log's index: %w", err))
	}
	return nil
}
