package sqlite

import (
	"errors"
	"fmt"
	"time"
)

const (
	// checkpointFrames is how many pages the log may hold that are not in the
	// database file yet, before the copier begins.
	checkpointFrames = 8000

	// restartTimes is how many times that the log may hold before readers are
	// held up for a moment, so that it can start again from its beginning.
	restartTimes = 2

	// restartPatience is how long the writer then waits for those that read, and so many times as long as the log is
	// too long, up to restartPatient times: else it would grow for as long as reads take longer.
	restartPatience = 10 * time.Millisecond
	restartPatient  = 25
)

// checkpoints is what the writer remembers between checkpoints.
type checkpoints struct {
	every     int           // checkpointFrames, or fewer in tests
	patience  time.Duration // restartPatience, or more in tests
	seen      logState      // when the writer last looked
	listed    logState      // up to where the log's pages are in unscrubbed, for good
	left      logState      // the same, of the log before it last started again
	triedAt   int           // how long the log was when a checkpoint last failed, or 0
	restartAt int           // how long it may get before the next try to restart it, or 0
	failing   bool          // the last one failed, and that was logged
	doubted   bool          // the disk may have lost what was copied: the whole log is to be copied again

	unscrubbed pageSet // pages that a checkpoint copied, or may copy now, and the scrubber has not seen
	pages      []uint32
	buffer     []byte
}

// few is how many pages the writer copies itself, rather than leave them to the copier.
func (cp *checkpoints) few() int { return cp.every / 4 }

// waits is how long is waited for those that read, so that the log can start again.
func (cp *checkpoints) waits() time.Duration {
	times := cp.seen.frames / (restartTimes * cp.every)
	return cp.patience * time.Duration(min(max(1, times), restartPatient))
}

// tend keeps the log short. It is called after each batch was answered.
func (w *writer) tend() {
	if w.files == nil {
		return
	}
	w.note()
	cp := &w.checkpoints
	state, err := w.look()
	switch {
	case err != nil:
		w.report(err)
	case w.copier.running:
		// What this batch wrote may be copied too, and the next one start the log again.
		if err := w.list(state); err != nil {
			w.report(err)
		}
		if state.since(w.copier.began) >= cp.every {
			w.settle() // more is written than the disk takes
		}
	case state.frames-state.backfilled < cp.every:
	case cp.triedAt <= state.frames && state.frames < cp.triedAt+cp.few():
		// A reader holds on to the log, or the disk fails: not at every commit.
	default:
		if err := w.copyBeside(state); err != nil {
			w.report(err)
		}
	}
}

// copyBeside starts a checkpoint beside the writer, of the log in this state.
func (w *writer) copyBeside(state logState) error {
	if err := w.recopy(); err != nil {
		return err
	}
	if err := w.list(state); err != nil {
		return err
	}
	w.copier.start(state)
	return nil
}

// look reads the state of the log, and counts what came to it.
func (w *writer) look() (logState, error) {
	cp := &w.checkpoints
	state, err := w.files.logState()
	if err != nil {
		return state, err
	}
	if state.salt != cp.seen.salt && cp.seen.frames > 0 && !cp.seen.within(cp.listed) {
		// Another process made a checkpoint, of pages that are not known.
		cp.unscrubbed.addAll(state.pages)
	}
	w.stats.logPages.Add(uint64(state.since(cp.seen)))
	w.stats.logFrames.Store(uint64(state.frames))
	cp.seen = state
	return state, nil
}

// settle waits for a checkpoint that is made beside the writer. Afterwards none is, until tend starts
// the next: whatever else works on the files waits so.
func (w *writer) settle() {
	if w.copier.running {
		w.finish(<-w.copier.ended)
	}
}

// finish follows a checkpoint that was made beside the writer. The pages that were written meanwhile
// are few: the writer copies them too, so that the log can start again.
func (w *writer) finish(end copied) {
	cp := &w.checkpoints
	state, err := w.account(end)
	rest := state.frames - state.backfilled
	switch {
	case err != nil:
	case state.frames >= max(restartTimes*cp.every, cp.restartAt):
		err = w.restart()
		cp.restartAt = 0
		if err != nil {
			cp.restartAt = state.frames + restartTimes*cp.every
		}
	case rest == 0, state.salt != w.copier.began.salt: // or it has started again already
		w.stats.checkpoints.Add(1)
	case rest > cp.few():
		err = errReading
	default:
		err = w.checkpoint()
	}
	cp.triedAt = 0
	if err != nil {
		cp.triedAt = state.frames
	}
	w.report(err)
}

// account notes which pages a checkpoint beside the writer has copied, and returns the state of the
// log now. While it ran, tend took all pages of the log for copied; those that were not are listed
// again when they are.
func (w *writer) account(end copied) (logState, error) {
	cp, began := &w.checkpoints, w.copier.began
	w.copier.running = false
	state, err := w.look()
	if err != nil {
		cp.listed.frames = 0
		w.doubt(end.err)
		return state, errors.Join(err, end.err)
	}
	err = w.list(state)
	switch {
	case began.salt == cp.listed.salt:
		cp.listed.frames = min(cp.listed.frames, end.home)
	case began.salt == cp.left.salt && end.frames <= cp.left.frames:
		cp.listed.frames = 0 // of the log that has started again nothing was copied
	default:
		// Another process wrote pages, which were copied, and wrote again over their list.
		cp.listed.frames = 0
		cp.unscrubbed.addAll(state.pages)
	}
	w.doubt(end.err)
	return state, errors.Join(err, end.err)
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

// checkpoint copies the log into the database file on the writer's own connection. It answers
// errReading if a reader still needs an older version of some page; what could be copied was.
func (w *writer) checkpoint() error {
	w.settle()
	if err := w.recopy(); err != nil {
		return err
	}
	before, err := w.files.logState()
	if err != nil {
		return err
	}
	end := w.c.copyLog()
	switch {
	case end.err != nil:
		w.doubt(end.err)
		return end.err
	case end.home < end.frames:
		return errReading
	}
	w.stats.checkpoints.Add(1)
	state, err := w.files.logState()
	if err != nil {
		return err
	}
	if state.salt != before.salt { // another process has written over the list of its pages
		w.checkpoints.unscrubbed.addAll(state.pages)
		w.checkpoints.listed = logState{salt: state.salt}
		return nil
	}
	state.frames = min(state.frames, end.home)
	return w.list(state)
}

// list notes the pages that the log holds in this state. It has to, before a transaction can start the
// log again, and write over their numbers.
func (w *writer) list(state logState) (err error) {
	cp := &w.checkpoints
	from := 0
	if state.salt == cp.listed.salt {
		from = cp.listed.frames
	} else {
		cp.left = cp.listed
	}
	if cp.pages, err = w.files.logPages(cp.pages[:0], from, state.frames); err != nil {
		cp.unscrubbed.addAll(state.pages)
		return err
	}
	now, err := w.files.logState()
	if err != nil || now.salt != state.salt { // another process has written over the numbers meanwhile
		cp.unscrubbed.addAll(max(state.pages, now.pages))
		cp.listed = logState{salt: now.salt}
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
	return w.undisturbed(w.checkpoints.waits(), func() error { return w.empty("RESTART") })
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
