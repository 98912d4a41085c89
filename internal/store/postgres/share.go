package postgres

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync/atomic"

	"signet/internal/model"
	"signet/internal/store"
)

const (
	// maxShared is how many calls share a transaction at most.
	maxShared = 64

	// sharedPatience is how long a shared transaction waits for a row that another one
	// has locked: calls that do not need the row wait behind it.
	sharedPatience = "50ms"
)

var (
	// errAlone tells a caller to run its function in a transaction of its own.
	errAlone = errors.New("run alone")

	errSpoiled = errors.New("a function failed after it wrote")
	errStopped = errors.New("the transaction was given up")
)

// share puts a call in line, and runs it alone where it has to be. Calls that wait at the
// same time are put into one transaction: they ask their questions in the same round
// trips, take their positions in one statement, and reach the disk with one COMMIT. When
// one of them fails after it wrote, or PostgreSQL refuses a statement, all is undone and
// each is run alone.
func share(ctx context.Context, line chan<- *member, fn func(store.Session) error, alone func() error) error {
	m := &member{ctx: ctx, fn: fn, done: make(chan error, 1)}
	select {
	case line <- m:
	case <-ctx.Done():
		return ctx.Err()
	}
	var err error
	select {
	case err = <-m.done:
	case <-ctx.Done():
		if m.state.CompareAndSwap(memberWaits, memberLeft) {
			return ctx.Err()
		}
		err = <-m.done
	}
	if errors.Is(err, errAlone) {
		return alone()
	}
	return err
}

// member is a call that shares a transaction.
type member struct {
	ctx   context.Context
	fn    func(store.Session) error
	done  chan error // receives once
	state atomic.Int32

	// Of the current try.
	session *memberSession
	next    func() (struct{}, bool) // runs fn up to its next question; false: it has returned
	stop    func()
	err     error
}

// The states of a member. Who moves it on from waiting decides.
const (
	memberWaits int32 = iota
	memberRuns
	memberLeft // its caller did not wait
)

// lanes is how many shared transactions of a kind are under way at once. Each is
// served by one process of PostgreSQL, so that it takes several to use many cores;
// but the fewer they are, the more calls meet in each.
func lanes() int { return max(1, runtime.GOMAXPROCS(0)/2) }

// lane runs shared transactions, one after the other, until its line is closed.
func (e *Engine) lane(line <-chan *member, run func([]*member) error) {
	ended := false
	defer func() {
		if !ended { // a function ended this goroutine: go on in another
			e.swept.Go(func() { e.lane(line, run) })
		}
	}()
	for first := range line {
		if batch := collect(line, first); len(batch) > 0 {
			settle(batch, run)
		}
	}
	ended = true
}

// collect returns a call and those that wait behind it, but for those whose caller
// has left.
func collect(line <-chan *member, m *member) (batch []*member) {
	for open := true; open; {
		if m.state.CompareAndSwap(memberWaits, memberRuns) {
			if err := m.ctx.Err(); err != nil {
				m.done <- err
			} else {
				batch = append(batch, m)
			}
		}
		if len(batch) == maxShared {
			break
		}
		select {
		case m, open = <-line:
		default:
			open = false
		}
	}
	return batch
}

// settle runs a batch in one transaction and tells its members how it ended.
func settle(batch []*member, run func([]*member) error) {
	err := errAlone
	defer func() {
		for _, m := range batch {
			if err != nil {
				m.done <- err
			} else {
				m.done <- m.err
			}
		}
	}()
	err = run(batch)
}

// shareUpdate carries out a batch of short Updates.
func (e *Engine) shareUpdate(batch []*member) error {
	e.meters.Writes.Observe(int64(len(batch)))
	if len(batch) == 1 {
		batch[0].err = e.carry(context.WithoutCancel(batch[0].ctx), newUpdate(e, batch[0].fn))
		return nil
	}
	u := newUpdate(e, nil)
	u.fn = func(s store.Session) error { return runBatch(s.(*session), batch, !u.doubtful) }
	u.shared, u.batch = true, batch
	err := e.carry(context.Background(), u)
	if err == nil || errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrBusy) {
		return err
	}
	// It left nothing behind, and does not say which call is to blame.
	return errAlone
}

// shareView carries out a batch of short Views. Where a function panics, its caller
// is to see that: each is run alone, in its caller's goroutine.
func (e *Engine) shareView(batch []*member) (err error) {
	e.meters.Reads.Observe(int64(len(batch)))
	defer func() {
		if recover() != nil {
			err = errAlone
		}
	}()
	if len(batch) == 1 {
		batch[0].err = e.look(batch[0].ctx, batch[0].fn)
		return nil
	}
	if _, err := e.view(context.Background(),
		func(s store.Session) error { return runBatch(s.(*session), batch, false) }); err != nil {
		return errAlone
	}
	return nil
}

// runBatch runs the functions of a batch side by side in one session: each until
// it asks something, then all questions in one exchange, and so on. One that is prompt
// waits for no row for long; an update of which an earlier try may be on disk is not, since
// it cannot be given up.
func runBatch(s *session, batch []*member, prompt bool) error {
	if !s.begun {
		s.start()
	}
	if prompt {
		s.send(s.c.command("SET LOCAL lock_timeout = '"+sharedPatience+"'"), nil)
	}
	for _, m := range batch {
		m.run(s)
		defer m.stop()
	}
	live := append([]*member{}, batch...)
	for {
		asking := live[:0]
		for _, m := range live {
			if _, asks := m.next(); asks {
				asking = append(asking, m)
			} else if m.err != nil && m.session.wrote {
				return errSpoiled
			}
		}
		if live = asking; len(live) == 0 {
			return nil
		}
		if err := answer(s, live); err != nil {
			return err
		}
	}
}

// run prepares a try of the member's function.
func (m *member) run(s *session) {
	m.err = nil
	m.session = &memberSession{s: s}
	m.next, m.stop = iter.Pull(func(yield func(struct{}) bool) {
		m.session.ask = func() bool { return yield(struct{}{}) }
		m.err = m.fn(m.session)
		m.session.ended = true
	})
}

// answer has the questions of all answered in one exchange. The positions that
// several take are taken at once: all get numbers that no account of theirs had.
func answer(s *session, asking []*member) error {
	var accounts []model.AccountID
	total := 0
	for _, m := range asking {
		accounts = append(accounts, m.session.accounts...)
		total += m.session.positions
	}
	if total == 0 {
		return s.exchange()
	}
	first, err := s.Position(accounts, total)
	if err != nil {
		return err
	}
	for _, m := range asking {
		m.session.first = first
		first += int64(m.session.positions)
		m.session.accounts, m.session.positions = nil, 0
	}
	return nil
}

// memberSession is the session as one member of a batch sees it.
type memberSession struct {
	s     *session
	ask   func() bool // waits for the exchange; false: the transaction was given up
	wrote bool
	ended bool

	// The positions that it waits for, and the first of those it got.
	accounts  []model.AccountID
	positions int
	first     int64
}

// wait lets the others go on until the answers have come.
func (m *memberSession) wait() error {
	if !m.ask() {
		return errStopped
	}
	return nil
}

// begin is the session's, which also notes whether this member wrote.
func (m *memberSession) begin(text string, args []any) (*statement, error) {
	if m.ended {
		return nil, errEnded
	}
	st, err := m.s.begin(text, args)
	if err == nil {
		m.wrote = m.wrote || st.Writes || st.Counts
	}
	return st, err
}

// Exec runs one statement and returns the number of rows it changed.
func (m *memberSession) Exec(text string, args ...any) (changed int64, err error) {
	st, err := m.begin(text, args)
	if err != nil {
		return 0, err
	}
	m.s.send(st, countInto(st, &changed))
	return changed, m.wait()
}

// Post runs one statement together with the next questions.
func (m *memberSession) Post(text string, args ...any) error {
	st, err := m.begin(text, args)
	if err == nil {
		m.s.send(st, nil)
	}
	return err
}

// Query runs one statement and calls each for its rows.
func (m *memberSession) Query(text string, args []any, each func(store.Row) error) error {
	st, err := m.begin(text, args)
	if err != nil {
		return err
	}
	var told error
	m.s.send(st, m.s.readEach(func(r store.Row) error {
		if told = each(r); told != nil {
			return store.ErrStop // an error of this member's is not the others'
		}
		return nil
	}))
	if err := m.wait(); err != nil {
		return err
	}
	if errors.Is(told, store.ErrStop) {
		return nil
	}
	return told
}

// Position hands out numbers as the session does.
func (m *memberSession) Position(accounts []model.AccountID, n int) (int64, error) {
	switch {
	case m.ended:
		return 0, errEnded
	case n < 1 || !m.s.write:
		return m.s.Position(accounts, n) // which refuses it
	}
	m.accounts, m.positions = accounts, n
	if err := m.wait(); err != nil {
		return 0, err
	}
	return m.first, nil
}

// Committed calls nothing, as the session.
func (m *memberSession) Committed(_, _ func()) {}

// Forget removes the last position of an account that is gone for good.
func (m *memberSession) Forget(account model.AccountID) error { return m.Post(forgetQueue, account) }
