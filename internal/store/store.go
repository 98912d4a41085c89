// Package store keeps everything that must survive a restart: the schema, its migrations, and
// the SQL of the tables that most parts of the server need, one file a noun. The packages below
// it run the rest in its transactions, each for a purpose or for tables of its own.
//
// It owns the schema and what must be true between the tables. It does not know who
// may see what (service), what a message says (content is opaque bytes to it),
// or which engine runs below: an Engine opens, transacts and translates errors.
package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"signet/internal/meter"
	"signet/internal/model"
	"signet/internal/trace"
)

// Store is the platform's data on some engine.
type Store struct {
	engine  Engine
	epoch   string
	secret  string
	numbers *numbers
	meters  Meters
	codes   *codes // nil: there is no key for them

	observers []observer // set before the first use
	act       func()     // letAct, made once: every change passes it on
	noted     atomic.Pointer[func(due time.Time)]
	oneIn     int // LimitQueues; likewise
}

func newStore(engine Engine) *Store {
	return &Store{engine: engine, numbers: newNumbers(),
		meters: Meters{Reads: meter.NewDurations(), Writes: meter.NewDurations()}}
}

// Open brings the schema up to date and returns the store. It refuses data
// written by a newer version of the server. newEpoch makes random names: of the epoch,
// and of the installation, where the store has none yet. The store owns the engine from
// then on, and closes it.
func Open(ctx context.Context, engine Engine, newEpoch func() string) (*Store, error) {
	s := newStore(engine)
	if err := migrate(ctx, engine, Today(), Upgrading{Clock: time.Now}); err != nil {
		return nil, err
	}
	epoch, installation, secret := newEpoch(), newEpoch(), make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	err := s.Update(ctx, func(tx *Tx) (err error) {
		if _, err := tx.settle(metaInstallation, installation); err != nil {
			return err
		}
		if s.epoch, err = tx.settle(MetaEpoch, epoch); err != nil {
			return err
		}
		s.secret, err = tx.settle(metaSecret, hex.EncodeToString(secret))
		return err
	})
	return s, err
}

// OpenCurrent returns a store whose schema is today's, and refuses any other: it is for
// a command beside servers, which may be of another version. The store owns the engine
// if there is no error.
func OpenCurrent(ctx context.Context, engine Engine) (*Store, error) {
	s := newStore(engine)
	err := s.View(ctx, func(tx *Tx) error {
		var version string
		for name, value := range map[string]*string{MetaSchema: &version, MetaEpoch: &s.epoch, metaSecret: &s.secret} {
			var err error
			if *value, err = tx.meta(name); err != nil {
				return err
			}
			if *value == "" {
				return errors.New("no server has begun to use this store")
			}
		}
		n, err := strconv.Atoi(version)
		switch {
		case err != nil:
			return err
		case n > SchemaVersion():
			return newer(n)
		case n < SchemaVersion():
			return fmt.Errorf("the data is of version %d, and this command works with version %d: start a server of its "+
				"version first", n, SchemaVersion())
		}
		return nil
	})
	return s, err
}

// NewEpoch names a new history of event positions.
func NewEpoch() string { return model.RandomText(8) }

// Epoch names the history that event positions belong to. It changes when a
// backup is restored, so that no reader resumes into another history.
func (s *Store) Epoch() string { return s.epoch }

// ChangeEpoch begins a new history of event positions under another name. It is for
// a database that was set back to an earlier state, before a server uses it: one that
// runs meanwhile goes on with the old name until it starts again.
func (s *Store) ChangeEpoch(ctx context.Context, epoch string) error {
	err := s.Update(ctx, func(tx *Tx) error {
		if err := tx.noteEpochs(); err != nil {
			return err
		}
		return errors.Join(tx.putMeta(MetaEpoch, epoch), tx.putMeta(metaRestored, due))
	})
	if err == nil {
		s.epoch = epoch
	}
	return err
}

// Secret is random and this installation's own: 256 bits, the same on every node
// and after every start. Keys are derived from it, one for each purpose, for what
// clients are given to bring back.
func (s *Store) Secret() []byte { return []byte(s.secret) }

// View runs fn on a consistent snapshot. It may call fn again: fn resets its
// results when it starts.
func (s *Store) View(ctx context.Context, fn func(*Tx) error, traits ...Trait) error {
	return s.transact(ctx, s.engine.View, s.meters.Reads, s.reading(), fn, traits)
}

// Read returns what one read of the store answers.
func Read[T any](ctx context.Context, s *Store, read func(*Tx) (T, error), traits ...Trait) (out T, err error) {
	err = s.View(ctx, func(tx *Tx) (err error) {
		out, err = read(tx)
		return err
	}, traits...)
	return out, err
}

// Update runs fn in a transaction and returns nil only when all of it is on
// disk. It may call fn again: fn has no side effects, does no I/O, and resets
// its results when it starts.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error, traits ...Trait) error {
	return s.transact(ctx, s.engine.Update, s.meters.Writes, s.engine.Dialect(), s.observed(fn), traits)
}

// engineTransaction is Engine.View or Engine.Update.
type engineTransaction func(context.Context, func(Session) error, ...Trait) error

// transact runs a transaction, which may call fn again, and remembers the numbers of
// organizations that it found.
func (s *Store) transact(ctx context.Context, run engineTransaction, took *meter.Histogram, dialect Dialect,
	fn func(*Tx) error, traits []Trait) error {
	begun := time.Now()
	ctx, span := trace.Start(ctx, trace.Transaction)
	var last *Tx
	err := run(ctx, func(session Session) error {
		tx := &Tx{session: session, dialect: dialect, numbers: s.numbers, codes: s.codes, oneIn: s.oneIn}
		if last != nil {
			tx.asked, tx.tries = last.asked, last.tries
		}
		tx.tries++
		last = tx
		return fn(tx)
	}, traits...)
	if last != nil {
		s.meters.Statements.Add(last.asked)
	}
	if err == nil && last != nil && last.found != nil {
		s.numbers.learn(last.found)
	}
	if err == nil && last != nil {
		s.tellJobs(last)
	}
	took.Since(begun)
	s.meters.ended(err)
	if span.Recorded() {
		s.describe(span, took == s.meters.Writes, last, err)
		span.End()
	}
	return err
}

// reading is the dialect of what only reads.
func (s *Store) reading() Dialect {
	dialect := s.engine.Dialect()
	dialect.Lock, dialect.Share, dialect.Skip = "", "", "" // a snapshot stays as it is by itself
	return dialect
}

// Erase makes deleted content unrecoverable from the engine's files.
func (s *Store) Erase(ctx context.Context) error { return s.engine.Erase(ctx) }

// NoteErasure asks the server that uses the store to Erase: its files are its own to
// write to.
func (s *Store) NoteErasure(ctx context.Context) error {
	return s.Update(ctx, func(tx *Tx) error { return tx.putMeta(metaErase, due) })
}

// TakeErasure reports whether that was asked for since it was last called.
func (s *Store) TakeErasure(ctx context.Context) (asked bool, err error) {
	value, err := s.meta(ctx, metaErase)
	if err != nil || value == "" {
		return false, err
	}
	return true, s.Update(ctx, func(tx *Tx) error { return tx.clearMeta(metaErase) })
}

// Close closes the engine.
func (s *Store) Close() error { return s.engine.Close() }

// Tx is an open transaction. It is not used after the function that got it has
// returned.
type Tx struct {
	session Session
	dialect Dialect
	numbers *numbers
	codes   *codes                         // of rows that give access; nil: they are read as they are
	found   map[int64]model.OrganizationID // those of numbers that it read itself
	fault   error                          // why no more statements are run
	oneIn   int                            // of how many events one is noted (NoteGrowth); 0: none
	asked   int64                          // statements that it ran, in earlier tries too
	tries   int                            // which one it is
	change  *Change                        // what observers are told; nil: there are none
	due     *int64                         // when the first job is due that it noted; nil: it noted none
}

// Position hands out n consecutive queue positions, greater than all that these
// accounts' queues hold, and returns the first.
func (tx *Tx) Position(n int, accounts ...model.AccountID) (int64, error) {
	first, err := tx.session.Position(accounts, n)
	if err == nil {
		tx.change.queued(accounts)
	}
	return first, err
}

// AskPosition is Position of which the first is there after Await: for what is asked together.
func (tx *Tx) AskPosition(first *int64, n int, accounts ...model.AccountID) error {
	err := tx.session.AskPosition(accounts, n, first)
	if err == nil {
		tx.change.queued(accounts)
	}
	return err
}

// Await returns once all that was asked is answered.
func (tx *Tx) Await() error {
	if tx.fault != nil {
		return tx.fault
	}
	return tx.session.Await()
}

// Exec runs a statement, and returns how many rows it changed.
func (tx *Tx) Exec(query string, args ...any) (int64, error) {
	if tx.fault != nil {
		return 0, tx.fault
	}
	tx.asked++
	return tx.session.Exec(query, args...)
}

// Post runs a statement whose answer nobody needs. An error of it may come from a
// later statement, or from the end of the transaction.
func (tx *Tx) Post(query string, args ...any) error {
	if tx.fault != nil {
		return tx.fault
	}
	tx.asked++
	return tx.session.Post(query, args...)
}

// Query calls fn for every row of a statement's answer. It is, with Exec, Post, One and Lock, for
// this package and those below it that own tables.
func (tx *Tx) Query(query string, args []any, fn func(Row) error) error {
	if tx.fault != nil {
		return tx.fault
	}
	tx.asked++
	return tx.session.Query(query, args, fn)
}

// Ask is Query of which the answer is there after Await, or after any other statement that has
// one: for what does not depend on each other.
func (tx *Tx) Ask(query string, args []any, fn func(Row) error) error {
	if tx.fault != nil {
		return tx.fault
	}
	tx.asked++
	return tx.session.Ask(query, args, fn)
}

// Lock ends a SELECT whose rows nobody else is to change until the transaction ends.
func (tx *Tx) Lock() string { return tx.dialect.Lock }

// SkipLocked is Lock, and leaves out the rows that others have locked.
func (tx *Tx) SkipLocked() string { return tx.dialect.Skip }

// ForgetQueue removes what the engine keeps of the queue of an account that is gone for good.
func (tx *Tx) ForgetQueue(account model.AccountID) error { return tx.session.Forget(account) }

// Alone reports whether no other process writes.
func (tx *Tx) Alone() bool { return tx.dialect.Alone }

// One scans the first row, and reports whether there was one.
func (tx *Tx) One(query string, args []any, dest ...any) (found bool, err error) {
	err = tx.Query(query, args, func(row Row) error {
		if err := row.Scan(dest...); err != nil {
			return err
		}
		found = true
		return ErrStop
	})
	if errors.Is(err, ErrStop) {
		err = nil
	}
	return found, err
}

// List returns what scan reads of each row.
func List[T any](tx *Tx, query string, args []any, scan func(*T, Row) error) (out []T, err error) {
	if err = AskList(tx, query, args, &out, scan); err == nil {
		err = tx.Await()
	}
	return out, err
}

// First returns what scan reads of the one row that a statement has, and whether it has it.
func First[T any](tx *Tx, query string, args []any, scan func(*T, Row) error) (one T, found bool, err error) {
	err = tx.Query(query, args, func(row Row) error {
		found = true
		return scan(&one, row)
	})
	return one, found, err
}

// AskList is List of which the answer is there after Await: it is appended to out.
func AskList[T any](tx *Tx, query string, args []any, out *[]T, scan func(*T, Row) error) error {
	return tx.Ask(query, args, func(row Row) error {
		var one T
		err := scan(&one, row)
		*out = append(*out, one)
		return err
	})
}

// Asked is the one row that a statement has: there after Await, if there is one.
type Asked[T any] struct {
	Row   T
	Found bool
}

// AskFirst is First of which the answer is there after Await.
func AskFirst[T any](tx *Tx, query string, args []any, scan func(*T, Row) error) (*Asked[T], error) {
	asked := new(Asked[T])
	return asked, tx.Ask(query, args, func(row Row) error {
		asked.Found = true
		return scan(&asked.Row, row)
	})
}

// Column returns the values of the one column that a statement has.
func Column[T any](tx *Tx, query string, args ...any) ([]T, error) {
	return List(tx, query, args, func(value *T, row Row) error { return row.Scan(value) })
}

// Never is the stored form of "no end": later than every time that is compared.
const Never = int64(1) << 53

// Millis is the stored form of a time: milliseconds, 0 for the zero time.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// FromMillis is the time of a stored form, in UTC.
func FromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// EndMillis is the stored form of an end: the zero time is never.
func EndMillis(t time.Time) int64 {
	if t.IsZero() {
		return Never
	}
	return t.UnixMilli()
}

func fromEndMillis(ms int64) time.Time {
	if ms >= Never {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
