package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"signet/internal/store"
)

// writeID names an Update in the database (table engine_writes).
type writeID [16]byte

func newWriteID() writeID { return writeID(uuid.Must(uuid.NewV7())) }

// age is how old the id is by the clock on the wall, which goes on while the machine stands still.
func (id writeID) age() time.Duration {
	return time.Since(time.Unix(uuid.UUID(id).Time().UnixTime()))
}

const insertWrite = `INSERT INTO engine_writes (write) VALUES (?)`

// Update runs fn in a transaction and returns nil only when what fn wrote is on
// disk. It calls fn again, after a random while, when others were in the way or
// the connection was lost; and when the answer to COMMIT was lost, it settles
// first whether that one took effect: while it still may, fn is not called. A panic
// in fn is returned as a *store.PanicError. Short ones that wait at the same time share
// a transaction (share.go).
func (e *Engine) Update(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	return e.transact(ctx, newUpdate(e, fn), traits)
}

func newUpdate(e *Engine, fn func(store.Session) error) *update {
	return &update{engine: e, fn: fn, id: newWriteID()}
}

// repeatable is Update for what may take effect twice.
func (e *Engine) repeatable(ctx context.Context, fn func(store.Session) error) error {
	return e.transact(ctx, &update{engine: e, fn: fn}, nil)
}

func (e *Engine) transact(ctx context.Context, u *update, traits []store.Trait) error {
	if err := e.gate.Enter(ctx); err != nil {
		return err
	}
	defer e.gate.Leave()
	alone := func() error { return e.carry(context.WithoutCancel(ctx), u) }
	if slices.Contains(traits, store.Short) {
		return share(ctx, e.updates, u.fn, alone)
	}
	if account, found := store.ShortOfWhom(traits); found {
		over, err := e.turns.take(ctx, account)
		if err != nil {
			return err
		}
		defer over()
		return share(ctx, e.updates, u.fn, alone)
	}
	if group, found := store.CrowdOf(traits); found {
		return e.together(ctx, group, u.fn, alone)
	}
	return e.carry(ctx, u)
}

// carry runs an update until it has ended, within a call that has entered.
func (e *Engine) carry(ctx context.Context, u *update) error {
	tries := attempts{engine: e, began: time.Now()}
	for {
		v, err := u.try(ctx)
		// What several calls share may be run alone only when no try of it gets to the disk.
		undecided := u.shared && u.doubtful && err != nil
		if !undecided && (v == final || v == again && u.shared) {
			return err
		}
		if v == unknown && !u.doubtful && u.id != (writeID{}) {
			u.doubtful, u.void = true, newWriteID()
		}
		if v != again {
			e.pool.Reset() // what went the same way is as dead
		}
		if !tries.more(v) {
			if undecided {
				err = fmt.Errorf("%w: it is not known whether a transaction took effect: %v", store.ErrUnavailable, err)
			}
			return err
		}
		if u.started {
			ctx = context.WithoutCancel(ctx)
		}
	}
}

// update is a call of Update.
type update struct {
	engine   *Engine
	fn       func(store.Session) error
	id       writeID // of the next try, or of a doubtful one; zero where it may take effect twice
	started  bool    // fn was called
	doubtful bool    // the last try of fn may be on disk, or get there yet
	void     writeID // is there beside id where a doubtful try cannot take effect any more
	shared   bool    // it is of several calls: they are run alone rather than again
}

// try runs the transaction once, unless an earlier try took effect.
func (u *update) try(ctx context.Context) (verdict, error) {
	if u.doubtful {
		if v, err := u.within(ctx, u.decide); u.doubtful {
			return v, err
		}
	}
	return u.within(ctx, u.run)
}

// within runs a transaction on a connection of its own.
func (u *update) within(ctx context.Context, run func(*session) (verdict, error)) (v verdict, err error) {
	conn, err := u.engine.acquire(ctx)
	if err != nil {
		return acquired(ctx, err), err
	}
	s := newSession(context.Background(), u.engine, connectionOf(conn.Conn()), true)
	returned := false
	defer func() {
		s.end()
		conn.Release()
		// No value means runtime.Goexit, which goes on.
		if returned {
			return
		}
		if value := recover(); value != nil {
			v, err = final, store.NewPanicError(value)
		}
	}()
	v, err = run(s)
	returned = true
	return v, err
}

// decide settles what became of a doubtful try. It stays doubtful where that took effect, or is not
// known yet.
func (u *update) decide(s *session) (verdict, error) {
	if age := u.id.age(); age > writeLife/2 {
		return final, fmt.Errorf("%w: it is not known whether a transaction took effect that began %v ago",
			store.ErrUnavailable, age.Round(time.Second))
	}
	// The key is unique: this waits for the doubtful try if the server is about to commit it, finds it
	// if it took effect, and, once it is committed, keeps it from taking effect later.
	noted, err := s.Exec(insertWrite+` ON CONFLICT (write) DO NOTHING`, u.id)
	if err != nil {
		return s.verdict(), err
	}
	void := noted == 1
	if void {
		err = s.Post(insertWrite, u.void)
	} else { // unless an earlier one of these transactions noted both, and its own answer was lost
		err = s.Ask(`SELECT 1 FROM engine_writes WHERE write = ?`, []any{u.void}, func(store.Row) error {
			void = true
			return nil
		})
	}
	if err == nil {
		err = s.confirm()
	}
	if err != nil {
		return s.verdict(), err
	}
	if void {
		u.doubtful, u.id = false, newWriteID()
		return again, nil
	}
	u.engine.stats.recovered.Add(1)
	return final, nil
}

// run calls fn, and commits what it wrote.
func (u *update) run(s *session) (verdict, error) {
	u.started = true
	u.engine.stats.updates.Add(1)
	err := u.fn(s)
	begun := time.Now()
	if err == nil {
		err = s.commit(u.id, u.id == (writeID{}))
	}
	if s.fault != nil {
		// What fn made of the fault does not matter: nothing of it is left.
		if v := s.verdict(); v != final {
			return v, s.translated()
		}
		if err == nil {
			err = s.translated()
		}
	}
	if err == nil {
		u.engine.committed()
		u.engine.meters.Commits.Since(begun)
	}
	return final, err
}

// confirm returns once all that is seen to be on the server's disk is on its synchronous replicas' too: nobody may have
// waited for them when it was written. A commit of its own waits, and what was written before goes there before.
func (s *session) confirm() error {
	if err := s.Post(insertWrite, newWriteID()); err != nil {
		return err
	}
	return s.commit(writeID{}, true)
}

// verdict says what to do about the session's fault.
func (s *session) verdict() verdict {
	if !s.write && s.ctx.Err() != nil || errors.Is(s.translated(), errReadOnly) {
		return final
	}
	v := judge(s.fault, s.culprit, s.committing && s.wrote)
	if v == afresh && !s.c.server.IsClosed() {
		s.c.close()
	}
	return v
}

// View runs fn on a consistent snapshot: that of its first statement, which is
// after every Update that has returned. When ctx ends, so does the statement that
// runs. When the connection is lost, fn is called again. A panic in fn goes on to
// the caller. Short ones that wait at the same time share a snapshot (share.go).
func (e *Engine) View(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	if err := e.gate.Enter(ctx); err != nil {
		return err
	}
	defer e.gate.Leave()
	if slices.Contains(traits, store.Short) {
		return share(ctx, e.views, fn, func() error { return e.look(ctx, fn) })
	}
	return e.look(ctx, fn)
}

// look is View within a call that has entered.
func (e *Engine) look(ctx context.Context, fn func(store.Session) error) error {
	tries := attempts{engine: e, began: time.Now()}
	for {
		v, err := e.view(ctx, fn)
		if v == final || ctx.Err() != nil {
			return err
		}
		if v != again {
			e.pool.Reset()
		}
		if !tries.more(v) {
			return err
		}
	}
}

func (e *Engine) view(ctx context.Context, fn func(store.Session) error) (verdict, error) {
	conn, err := e.acquire(ctx)
	if err != nil {
		return acquired(ctx, err), err
	}
	defer conn.Release()
	s := newSession(ctx, e, connectionOf(conn.Conn()), false)
	defer s.end()
	if err = fn(s); err == nil {
		err = s.Await()
	}
	if err == nil && s.fault == nil {
		_ = s.commit(writeID{}, true) // nothing was written: what was read is true all the same
		return final, nil
	}
	if s.fault == nil {
		return final, err
	}
	if v := s.verdict(); v != final {
		return v, s.translated()
	}
	if err == nil {
		err = s.translated()
	}
	return final, err
}
