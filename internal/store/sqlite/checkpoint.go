package sqlite

import (
	"errors"
	"fmt"
	"time"
)

const (
	// checkpointFrames is how many pages the log may hold that are not in the
	// database file yet. It bounds how long one checkpoint holds up the writer.
	checkpointFrames = 4000

	// restartTimes is how many times that the log may hold before readers are
	// held up for a moment, so that it can start again from its beginning.
	restartTimes = 4

	// restartPatience is how long the writer then waits for those that read.
	restartPatience = 10 * time.Millisecond
)

// checkpoints is what the writer remembers between checkpoints.
type checkpoints struct {
	every     int           // checkpointFrames, or fewer in tests
	patience  time.Duration // restartPatience, or more in tests
	seen      logState      // when tend last looked
	listed    logState      // up to where the log's pages are in unscrubbed
	triedAt   int           // how long the log was when a checkpoint last failed, or 0
	restartAt int           // how long it may get before the next try to restart it, or 0
	failing   bool          // the last one failed, and that was logged

	unscrubbed pageSet // pages that a checkpoint copied and the scrubber has not seen
	pages      []uint32
	buffer     []byte
}

// tend keeps the log short. It is called after each batch was answered.
func (w *writer) tend() {
	if w.files == nil {
		return
	}
	cp := &w.checkpoints
	state, err := w.files.logState()
	if err != nil {
		w.report(err)
		return
	}
	if state.salt != cp.seen.salt && cp.listed.frames < cp.seen.frames {
		// Another process made a checkpoint, of pages that are not known.
		cp.unscrubbed.addAll(state.pages)
	}
	w.stats.logPages.Add(uint64(state.since(cp.seen)))
	cp.seen = state
	w.stats.logFrames.Store(uint64(state.frames))
	if state.frames-state.backfilled < cp.every {
		return
	}
	if cp.triedAt <= state.frames && state.frames < cp.triedAt+cp.every/4 {
		return // a reader holds on to the log, or the disk fails: not at every commit
	}
	err = w.checkpoint()
	if state.frames >= max(restartTimes*cp.every, cp.restartAt) {
		err = w.restart()
		cp.restartAt = 0
		if err != nil {
			cp.restartAt = state.frames + restartTimes*cp.every
		}
	}
	cp.triedAt = 0
	if err != nil {
		cp.triedAt = state.frames
	}
	w.report(err)
}

// report logs a failure once, and once that it is over. That readers are in the
// way is none.
func (w *writer) report(err error) {
	cp := &w.checkpoints
	switch {
	case err == nil && cp.failing:
		cp.failing = false
		w.log.Info("checkpoints succeed again")
	case err != nil && !errors.Is(err, errReading) && !cp.failing:
		cp.failing = true
		w.log.Error("checkpoint failed; the write-ahead log grows until one succeeds", "error", err)
	}
}

// checkpoint copies the log into the database file. It answers errReading if a
// reader still needs an older version of some page; what could be copied was.
func (w *writer) checkpoint() error {
	before, err := w.files.logState()
	if err != nil {
		return err
	}
	var busy, frames, copied int64
	if err := w.c.numbers("PRAGMA wal_checkpoint(PASSIVE)", &busy, &frames, &copied); err != nil {
		return err
	}
	if busy != 0 || copied < frames {
		return errReading
	}
	w.stats.checkpoints.Add(1)
	return w.list(before.salt, int(copied))
}

// list notes which pages a log with this salt held, after so many of its frames, all
// that there were, were copied. The next transaction may write over it, that of
// another process has perhaps done so already.
func (w *writer) list(salt uint64, copied int) error {
	state, err := w.files.logState()
	if err != nil {
		return err
	}
	cp := &w.checkpoints
	if state.salt != salt {
		cp.unscrubbed.addAll(state.pages)
		cp.listed = logState{salt: state.salt}
		return nil
	}
	state.frames = min(state.frames, copied)
	from := 0
	if state.salt == cp.listed.salt {
		from = min(cp.listed.frames, state.frames)
	}
	if cp.pages, err = w.files.logPages(cp.pages[:0], from, state.frames); err != nil {
		return err
	}
	for _, page := range cp.pages {
		cp.unscrubbed.add(page)
	}
	cp.listed = state
	return nil
}

// restart makes the next transaction start the log again from its beginning,
// which SQLite does by itself as soon as it finds no reader of it; under
// constant load that moment has to be made.
func (w *writer) restart() error {
	return w.undisturbed(w.checkpoints.patience, func() error { return w.empty("RESTART") })
}

// undisturbed runs fn while no View is open. It answers errReading if one does
// not end within the patience given.
func (w *writer) undisturbed(patience time.Duration, fn func() error) error {
	gathered, ok := w.readers.gather(patience)
	if !ok {
		return errReading
	}
	defer w.readers.scatter(gathered)
	return fn()
}

// empty makes a checkpoint in the given mode. SQLite does not wait for readers
// of other processes: the writer has other things to do.
func (w *writer) empty(mode string) error {
	version, err := w.c.number(dataVersion)
	if err != nil {
		return err
	}
	if err := w.checkpoint(); err != nil {
		return err
	}
	w.c.conn.SetBusyTimeout(0)
	defer w.c.conn.SetBusyTimeout(busyTimeout)
	var busy int64
	if err := w.c.numbers("PRAGMA wal_checkpoint("+mode+")", &busy); err != nil {
		return fmt.Errorf("%s checkpoint: %w", mode, err)
	}
	if busy != 0 {
		return errReading
	}
	return w.notice(version)
}

// dataVersion changes when another connection has committed something.
const dataVersion = "PRAGMA data_version"

// notice takes all pages for unscrubbed if another process has written some since the
// data had this version: they may have gone into the file unlisted.
func (w *writer) notice(version int64) error {
	now, err := w.c.number(dataVersion)
	if err != nil || now == version {
		return err
	}
	state, err := w.files.logState()
	if err == nil {
		w.checkpoints.unscrubbed.addAll(state.pages)
	}
	return err
}
