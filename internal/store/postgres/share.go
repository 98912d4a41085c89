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
	m := newMember(ctx, fn)
	select {
	case line <- m:
	case <-ctx.Done():
		return ctx.Err()
	}
	return m.wait(alone)
}

// member is a call that shares a transaction.
type member struct {
	ctx   context.Context
	fn    func(store.Session) error
	done  chan error // receives once
	state atomic.Int32

	// Of the current try.
	session *memberSession
	next    func() (pause, bool) // runs fn up to its next pause; false: it has returned
	stop    func()
	err     error
}

func newMember(ctx context.Context, fn func(store.Session) error) *member {
	return &member{ctx: ctx, fn: fn, done: make(chan error, 1)}
}

// wait returns how a call that stands in line ended. It leaves the line when its context ends, and runs the call
// alone where it could not share.
func (m *member) wait(alone func() error) (err error) {
	select {
	case err = <-m.done:
	case <-m.ctx.Done():
		if m.state.CompareAndSwap(memberWaits, memberLeft) {
			return m.ctx.Err()
		}
		err = <-m.done
	}
	if errors.Is(err, errAlone) {
		return alone()
	}
	return err
}

// begin takes a call out of its line, and reports whether its caller still waits for it.
func (m *member) begin() bool {
	if !m.state.CompareAndSwap(memberWaits, memberRuns) {
		return false
	}
	if err := m.ctx.Err(); err != nil {
		m.done <- err
		return false
	}
	return true
}

// pause is why a member's function waits for the others.
type pause int

const (
	pauseToTake pause = iota // positions, which all take in one statement; it goes on before that is answered
	pauseToHear              // the answers to what it asked
)

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
		if m.begin() {
			batch = append(batch, m)
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
	return e.carryBatch(batch, true, func(*session) {})
}

// carryBatch carries out Updates in one transaction. One that is prompt waits for no row for long. look is shown the
// session once the functions have run.
func (e *Engine) carryBatch(batch []*member, prompt bool, look func(*session)) error {
	e.meters.Writes.Observe(int64(len(batch)))
	if len(batch) == 1 {
		m := batch[0]
		m.err = e.carry(context.WithoutCancel(m.ctx), newUpdate(e, func(s store.Session) error {
			err := m.fn(s)
			look(s.(*session))
			return err
		}))
		return nil
	}
	u := newUpdate(e, nil)
	u.fn = func(s store.Session) error {
		err := runBatch(s.(*session), batch, prompt)
		look(s.(*session))
		return err
	}
	u.shared = true
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
// it needs an answer, then all questions in one exchange, and so on. Positions are taken
// once nobody has to hear something first, by all in one statement: whoever takes some has
// locked queues, which everybody does last and in one order, so that nobody waits for
// another one who waits for it. One that is prompt waits for no row for long.
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
	var taking []*member
	for live := batch; len(live) > 0; {
		var asking []*member
		for _, m := range live {
			switch why, pauses := m.next(); {
			case !pauses:
				if m.err != nil && m.session.wrote {
					return errSpoiled
				}
			case why == pauseToTake:
				taking = append(taking, m)
			default:
				asking = append(asking, m)
			}
		}
		if live = asking; len(live) == 0 {
			if err := takeTogether(s, taking); err != nil {
				return err
			}
			live, taking = taking, nil
		} else if err := s.exchange(); err != nil {
			return err
		}
	}
	return nil
}

// run prepares a try of the member's function.
func (m *member) run(s *session) {
	m.err = nil
	m.session = &memberSession{s: s}
	m.next, m.stop = iter.Pull(func(yield func(pause) bool) {
		m.session.pause = yield
		if m.err = m.fn(m.session); m.err == nil {
			m.err = m.session.Await()
		}
		m.session.ended = true
	})
}

// takeTogether asks for the positions that members of a batch take: all get numbers
// that no account of theirs had.
func takeTogether(s *session, taking []*member) error {
	if len(taking) == 0 {
		return nil
	}
	var accounts []model.AccountID
	var access []*store.AccessVersion
	total := 0
	all := make([]wanted, len(taking))
	for i, m := range taking {
		all[i] = m.session.wanted // it may want others before these are there
		accounts = append(accounts, all[i].accounts...)
		access = append(access, all[i].access...)
		total += all[i].n
	}
	return s.take(accounts, total, access, func(first int64) {
		for _, w := range all {
			*w.first = first
			first += int64(w.n)
		}
	})
}

// memberSession is the session as one member of a batch sees it.
type memberSession struct {
	s      *session
	pause  func(pause) bool // false: the transaction was given up
	wanted wanted           // the positions that it pauses to take
	asked  bool             // something of which it has not waited for the answer
	told   error            // the first error of those who read its answers
	wrote  bool
	ended  bool
}

// wanted are positions that somebody takes, and where the first is to be put, and the numbers of
// accounts' access.
type wanted struct {
	accounts []model.AccountID
	n        int
	first    *int64
	access   []*store.AccessVersion
}

// hear lets the others go on until the answers have come.
func (m *memberSession) hear() error {
	if !m.pause(pauseToHear) {
		return errStopped
	}
	told := m.told
	m.asked, m.told = false, nil
	return told
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
	err = m.hear()
	return changed, err
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
	if err := m.Ask(text, args, each); err != nil {
		return err
	}
	return m.hear()
}

// Ask is Query of which the rows come with the next exchange.
func (m *memberSession) Ask(text string, args []any, each func(store.Row) error) error {
	st, err := m.begin(text, args)
	if err != nil {
		return err
	}
	m.asked = true
	m.s.send(st, m.s.readEach(func(r store.Row) error {
		err := each(r)
		if err == nil {
			return nil
		}
		if m.told == nil && !errors.Is(err, store.ErrStop) {
			m.told = err
		}
		return store.ErrStop // an error of this member's is not the others'
	}))
	return nil
}

// Await returns once all that this member asked is answered.
func (m *memberSession) Await() error {
	switch {
	case m.ended:
		return errEnded
	case m.asked:
		return m.hear()
	}
	return nil
}

// Position hands out numbers as the session does.
func (m *memberSession) Position(accounts []model.AccountID, n int) (first int64, err error) {
	if err = m.AskPosition(accounts, n, &first); err == nil {
		err = m.Await()
	}
	return first, err
}

// AskPosition is Position of which the number comes with the next exchange.
func (m *memberSession) AskPosition(accounts []model.AccountID, n int, first *int64,
	access ...*store.AccessVersion) error {
	switch {
	case m.ended:
		return errEnded
	case n < 1 || !m.s.write:
		return m.s.AskPosition(accounts, n, first, access...) // which refuses it
	}
	m.wanted, m.asked = wanted{accounts, n, first, access}, true
	if !m.pause(pauseToTake) {
		return errStopped
	}
	return nil
}

// Committed calls nothing, as the session.
func (m *memberSession) Committed(func(bool), func()) {}

// Forget removes the last position of an account that is gone for good.
func (m *memberSession) Forget(account model.AccountID) error { return m.Post(forgetQueue, account) }
