package sqlite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"signet/internal/store"
)

// maxBatch is how many requests are put into one transaction at most. It bounds
// how long the first of them waits for the last.
const maxBatch = 256

// writer is the one goroutine that writes. All of its fields but the channels
// and the counters are its own; of the copier another one has the connection while it runs.
type writer struct {
	c       *connection
	readers *readers
	files   *files // nil beside another process
	clock   func() time.Time
	log     *slog.Logger
	stats   stats
	meters  store.EngineMeters

	requests chan *request
	orders   chan *order
	stopped  chan struct{}

	batch    []*request
	outcomes []error  // of the batch's functions, in its order
	current  int      // index in batch of the request whose function runs
	answered int      // how many of batch, from its start, have been answered
	then     []func() // what follows on a commit, once its requests have been answered

	position      int64 // the last one handed out
	stored        int64 // the last one committed
	access        int64 // the number of access; 0: it is not known
	loaded        bool  // both, by whomever they were committed, are known in this transaction
	beside        bool  // another process has committed a position, and nobody was told yet
	readState     *sqlite.Stmt
	storePosition *sqlite.Stmt
	raiseAccess   *sqlite.Stmt
	markUnclean   *sqlite.Stmt // beside another process only
	version       int64        // of the data, when WrittenBeside was last asked

	checkpoints checkpoints
	copier      copier
	changes     changes
	fenced      error // why nothing is committed any more; nil: it is
}

// order is work for the writer's goroutine outside of any transaction.
type order struct {
	ctx  context.Context
	work func() error
	done chan error
}

func newWriter(c *connection, readers *readers, files *files, meters store.EngineMeters, opts Options) (*writer,
	error) {
	w := &writer{
		c: c, readers: readers, files: files, clock: opts.Clock, log: opts.Log, meters: meters,
		requests: make(chan *request, maxBatch),
		orders:   make(chan *order),
		stopped:  make(chan struct{}),

		checkpoints: checkpoints{every: checkpointFrames, patience: restartPatience},
		copier:      newCopier(files),
		changes:     newChanges(),
	}
	clean, err := w.loadState()
	if err != nil || files == nil {
		return w, err
	}
	size, err := c.number("PRAGMA page_size")
	if err != nil {
		return nil, err
	}
	if err := files.openLog(int(size)); err != nil {
		return nil, err
	}
	return w, w.takeOver(clean)
}

// takeOver brings home what a crash left in the log. An administrator's shell
// that reads at this moment is no reason not to start, and nor is a full disk: what is
// in the log is read from there.
func (w *writer) takeOver(clean bool) error {
	if err := w.empty("TRUNCATE"); err != nil && !errors.Is(err, errReading) && !errors.Is(err, store.ErrFull) {
		return err
	}
	if !clean {
		pages, err := w.c.number("PRAGMA page_count")
		if err != nil {
			return err
		}
		w.checkpoints.unscrubbed.addAll(uint32(pages))
	}
	err := w.setClean(false)
	if errors.Is(err, store.ErrFull) { // the first transaction that finds room does it
		return w.c.prepare(w.uncleaning())
	}
	return err
}

// run serves requests and orders until stop closes their channel.
func (w *writer) run() {
	ended := false
	defer func() {
		if ended {
			close(w.stopped)
		} else { // a function of Update ended this goroutine: go on in another
			go w.resume()
		}
	}()
	for {
		select {
		case r, ok := <-w.requests:
			if !ok {
				ended = true
				return
			}
			// Other goroutines that are ready to ask for something go first: the more share a
			// commit, the less it costs each. Without it a send at 64 connections takes 7 %
			// more CPU in the best of ten alternating runs (154 µs in place of 143); the
			// medians of a busy machine do not differ.
			runtime.Gosched()
			w.collect(r)
			w.process()
			w.tend()
		case o := <-w.orders:
			err := o.ctx.Err()
			if err == nil {
				err = o.work()
			}
			o.done <- err
		case end := <-w.copier.ended:
			w.finish(end)
		}
	}
}

// stop ends the writer after the last request; none may be sent any more. What
// it still can, it brings home from the log, and scrubs, unless that would take
// long: then the next start finds the file unclean, as after a crash.
func (w *writer) stop() {
	close(w.requests)
	<-w.stopped
	if w.files == nil {
		return
	}
	w.settle()
	var err error
	if w.checkpoints.unscrubbed.size <= eraseAtClose {
		if err = w.erase(); err == nil {
			err = w.markClean()
		}
	}
	if err == nil {
		err = w.empty("TRUNCATE")
	}
	if err != nil {
		w.log.Warn("the store was closed, and its write-ahead log will be used at the next start", "error", err)
	}
}

// do runs work on the writer's goroutine.
func (w *writer) do(ctx context.Context, work func() error) error {
	o := &order{ctx: ctx, work: work, done: make(chan error, 1)}
	select {
	case w.orders <- o:
		return <-o.done
	case <-ctx.Done():
		return ctx.Err()
	}
}

// collect puts a request and those that wait behind it into the batch.
func (w *writer) collect(r *request) {
	clear(w.batch)
	w.batch = w.batch[:0]
	for more := true; more; {
		if r.start() {
			w.batch = append(w.batch, r)
		}
		if more = len(w.batch) < maxBatch; more {
			select {
			case r, more = <-w.requests:
				if !more { // closed: run will see it again
					return
				}
			default:
				more = false
			}
		}
	}
}

// process commits the batch and answers its requests.
//
// Savepoints are dear: SQLite copies every page that a request touches first.
// So the batch is tried without; only if a request fails after it wrote, which
// is rare, all begins again with a savepoint for each, and only if SQLite gives
// the transaction up, or cannot commit it, each request is tried alone.
func (w *writer) process() {
	w.outcomes, w.answered = w.outcomes[:0], 0
	if len(w.batch) > 0 { // else no caller waits any more
		w.meters.Writes.Observe(int64(len(w.batch)))
	}
	ending := lost
	if len(w.batch) > 1 {
		if ending = w.together(false); ending == spoiled {
			ending = w.together(true)
		}
	}
	if ending != committed {
		w.oneByOne(w.outcomes)
		return
	}
	w.answer(w.outcomes...)
}

// oneByOne gives each request a transaction of its own, because there is but
// one, or because the transaction of all was lost: one of them may be what broke
// it. Those that panicked in that one are not run again.
func (w *writer) oneByOne(outcomes []error) {
	for i := range w.batch {
		if i < len(outcomes) && errors.As(outcomes[i], new(*store.PanicError)) {
			w.answer(outcomes[i])
		} else {
			w.answer(w.alone(i))
		}
	}
}

// answer ends the next requests of the batch, which one transaction carried out. What they
// did is told before anybody is answered, so that every caller finds it known. What follows
// on it, such as waking streams, comes last: it is done once for all of them, and no answer
// waits for it.
func (w *writer) answer(outcomes ...error) {
	ended := w.batch[w.answered : w.answered+len(outcomes)]
	for i, r := range ended {
		if outcomes[i] == nil && r.told.done != nil {
			r.told.done(w.beside)
			w.beside = false
			w.then = append(w.then, r.told.then)
		}
	}
	for i, r := range ended {
		w.answered++
		r.answer(outcomes[i]) // from here on it is its caller's
	}
	for _, then := range w.then {
		then()
	}
	clear(w.then)
	w.then = w.then[:0]
}

// alone runs the request i of the batch in a transaction of its own, and
// returns its outcome.
func (w *writer) alone(i int) error {
	if err := w.begin(); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	_, err := w.call(i)
	if err == nil && !w.c.inTransaction() {
		err = errLost
	}
	if err == nil {
		err = w.commit()
	}
	if err != nil {
		w.rollback()
	}
	return err
}

// begin opens a transaction. Beside another process it takes the mark of good order
// from the file, whatever that one has just written: only the process that has the
// directory knows which pages may hold remains.
func (w *writer) begin() error {
	w.loaded = false
	if w.fenced != nil {
		return w.fenced
	}
	if err := w.c.run(w.c.begin); err != nil || w.markUnclean == nil {
		return err
	}
	err := w.c.run(w.markUnclean)
	if err != nil {
		w.rollback()
	}
	return err
}

// ending is how a transaction of several requests ended.
type ending int

const (
	committed ending = iota // or refused to all; the outcomes are final
	spoiled                 // undone: a request failed after it wrote, and had no savepoint
	lost                    // undone: SQLite gave it up or could not commit it
)

// together runs the whole batch in one transaction, each request in a savepoint
// if so asked, and leaves the outcomes.
func (w *writer) together(savepoints bool) ending {
	w.outcomes = w.outcomes[:0]
	if err := w.begin(); err != nil {
		for range w.batch {
			w.outcomes = append(w.outcomes, fmt.Errorf("begin: %w", err))
		}
		return committed
	}
	for i := range w.batch {
		if how := w.member(i, savepoints); how != committed {
			w.rollback()
			return how
		}
	}
	if err := w.commit(); err != nil {
		w.rollback()
		return lost
	}
	return committed
}

// member runs the request i of a batch in the open transaction, and undoes it
// if it fails. What it returns is how the transaction must end.
func (w *writer) member(i int, savepoint bool) ending {
	if savepoint && w.c.run(w.c.savepoint) != nil {
		return lost
	}
	wrote, err := w.call(i)
	w.outcomes = append(w.outcomes, err)
	switch {
	case !w.c.inTransaction():
		return lost
	case !savepoint && err != nil && wrote:
		return spoiled
	case !savepoint:
		return committed
	case err != nil && w.c.run(w.c.rollbackTo) != nil, w.c.run(w.c.release) != nil:
		return lost
	default:
		return committed
	}
}

// commit makes the transaction durable, and with it, once for all of its
// requests, the last position that was handed out.
func (w *writer) commit() error {
	position := w.stored
	if w.loaded { // else it handed out none, and another process may have stored a later one
		position = w.position
	}
	if position != w.stored {
		w.storePosition.BindInt64(1, position)
		if err := w.c.run(w.storePosition); err != nil {
			return fmt.Errorf("store position: %w", err)
		}
	}
	begun := time.Now()
	if err := w.c.run(w.c.commit); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	w.meters.Commits.Since(begun)
	w.stored = position
	w.stats.commits.Add(1)
	return nil
}

// rollback ends the transaction, if SQLite has not done so already. SQLite
// documents no failure of it that leaves the transaction open.
func (w *writer) rollback() {
	if w.c.inTransaction() {
		_ = w.c.run(w.c.rollback)
	}
}

// call runs the function of request i, and tells whether it may have written. A
// panic in it becomes its error.
func (w *writer) call(i int) (wrote bool, err error) {
	s := &session{c: w.c, writer: w, ctx: context.Background()}
	w.current = i
	w.batch[i].told = telling{} // of an earlier try
	w.stats.updates.Add(1)
	returned := false
	defer func() {
		s.end()
		wrote = s.wrote
		if returned {
			return
		}
		// No value means runtime.Goexit, which cannot be stopped: see resume.
		if value := recover(); value != nil {
			err = store.NewPanicError(value)
		}
	}()
	err = w.batch[i].fn(s)
	returned = true
	return s.wrote, err
}

// resume takes over when a function of Update has ended the writer's goroutine,
// as a test does that fails inside one, and answers the requests that are left.
func (w *writer) resume() {
	w.rollback()
	culprit := w.batch[w.current]
	w.batch = slices.Delete(w.batch[w.answered:], w.current-w.answered, w.current-w.answered+1)
	culprit.answer(errExited)
	w.answered = 0
	w.oneByOne(nil)
	w.run()
}
