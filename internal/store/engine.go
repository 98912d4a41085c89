package store

import (
	"context"
	"errors"
	"slices"

	"signet/internal/model"
)

// Engine is what a database must do for the store. It opens, transacts,
// numbers placeholders and translates errors; all SQL comes from this package.
// conformance.Cases are its contract in executable form.
type Engine interface {
	// View runs fn with a consistent snapshot that sees every Update which
	// returned before View was called. fn must not write. It may call fn more than
	// once.
	View(ctx context.Context, fn func(Session) error, traits ...Trait) error

	// Update runs fn in a transaction and returns nil only when what fn wrote is
	// on disk. An error of fn, or a panic in it, leaves nothing behind. It may
	// call fn more than once. Once fn has started it is not abandoned because ctx
	// ended; one that did not start by then is skipped and answers ctx's error.
	Update(ctx context.Context, fn func(Session) error, traits ...Trait) error

	// Dialect names where this engine differs from the shared SQL.
	Dialect() Dialect

	// Erase makes what deleted rows held unrecoverable from the engine's files
	// (free pages, write-ahead log), as far as the engine can.
	Erase(ctx context.Context) error

	// Close waits for running transactions and releases everything. It may be
	// called twice; later calls of the other methods return ErrClosed.
	Close() error
}

// Trait is what a caller knows of its transaction. What an engine makes of it is the
// engine's own; a transaction does the same without it.
type Trait struct {
	kind    traitKind
	group   model.GroupID
	account model.AccountID
}

type traitKind int

const (
	short traitKind = iota + 1
	shortOf
	crowd
)

// Short is the trait of a transaction that asks a few questions, of which there may be
// many at the same time, and which locks no rows but those of queues and messages. An
// engine may put several into one. So its function waits for nothing, and refuses
// before it writes: where it fails after it wrote, all that share the transaction are
// undone with it, and run once more.
var Short = Trait{kind: short}

// ShortOf is Short of a transaction that reads what belongs to an account, and changes that by what it read. Locks of
// rows keep apart those that are in two transactions, so no two of the same account share one.
func ShortOf(account model.AccountID) Trait { return Trait{kind: shortOf, account: account} }

// ShortOfWhom returns the account of the ShortOf among traits.
func ShortOfWhom(traits []Trait) (account model.AccountID, found bool) {
	t, found := ofKind(traits, shortOf)
	return t.account, found
}

// Crowd is Short of a transaction that locks the row of a group before all else. An engine
// may put several of the same group into one.
func Crowd(group model.GroupID) Trait { return Trait{kind: crowd, group: group} }

// CrowdOf returns the group of the Crowd among traits.
func CrowdOf(traits []Trait) (group model.GroupID, found bool) {
	t, found := ofKind(traits, crowd)
	return t.group, found
}

func ofKind(traits []Trait, kind traitKind) (t Trait, found bool) {
	i := slices.IndexFunc(traits, func(t Trait) bool { return t.kind == kind })
	if i < 0 {
		return t, false
	}
	return traits[i], true
}

// Session is an open transaction. It is used by one goroutine at a time and
// not after the function that got it has returned.
//
// A statement has `?` placeholders. `IN (?*)` takes one slice argument and is widened
// to as many placeholders as the slice has elements (at least one; an empty slice
// matches nothing). It may have any number of them: where an engine has a limit of
// parameters, it gives a longer slice in another form, which matches the same. Arguments
// are int, int64, bool, string, []byte, model.ID of any kind and model.OrganizationID, and
// for `?*` a slice of one of these. An int64, an ID or an OrganizationID may be given by a
// pointer, which nobody has to allocate; it is read before the method returns. A bool is
// kept as 0 or 1 in an INTEGER column. Text is valid UTF-8 without NUL; the code that takes
// text from outside checks that, because not every engine stores other text.
type Session interface {
	// Exec runs one statement and returns the number of rows it changed.
	Exec(query string, args ...any) (int64, error)

	// Post runs one statement whose answer nobody needs. An engine may put it off
	// until the next statement that has an answer, or the end of the transaction, and
	// return its error there: it is for what fails only when the transaction does.
	Post(query string, args ...any) error

	// Query runs one statement and calls each for every row, in order, until it
	// returns an error, which Query returns; ErrStop ends it without error. each must not
	// use the session; the row is valid until each returns.
	Query(query string, args []any, each func(Row) error) error

	// Ask is Query of which the answer is not needed yet, so that what does not depend on
	// each other is asked in one exchange. An engine may put it off, as Post, and call each
	// when it has the answer: at the latest in the next Await, Exec, Query or Position, or at
	// the end of the transaction. That one then returns the error of the statement, or of
	// each. Statements take effect in their order all the same.
	Ask(query string, args []any, each func(Row) error) error

	// Await returns once all that was asked has been answered.
	Await() error

	// Position returns the first of n consecutive numbers which are greater than
	// every number that was handed out for any of these accounts before, in
	// commit order: a reader who saw a number will never see a smaller one appear.
	// Numbers start at the clock's microseconds, so that they tell an age.
	Position(accounts []model.AccountID, n int) (int64, error)

	// AskPosition is Position of which the number is not needed yet: it is in first after
	// Await. What is run next sees what it would after Position. access are accounts among
	// these, whose numbers are there then, as they stay until the transaction ends, unless it
	// changes them itself.
	AskPosition(accounts []model.AccountID, n int, first *int64, access ...*AccessVersion) error

	// AskAccess asks for the number of an account, as it is in the snapshot of a View, or when
	// the statement runs in an Update. It is there after Await.
	AskAccess(access *AccessVersion) error

	// ChangeAccess gives accounts other numbers than they ever had (AccessVersion). Others take
	// no position for them until the transaction has ended, nor does it go on while another one
	// holds some. An engine may have one number for all accounts, and change it even if none is
	// named.
	ChangeAccess(accounts []model.AccountID) error

	// Committed passes what is called once the transaction is on disk. done is called
	// before Update returns, in the order of the commits, one after the other; beside says
	// that another process has stored positions since the last call, below those of this
	// transaction. then is called after the done of all that share the commit, and once these
	// have their answers, in the same order. Neither may wait for anything. Only an engine that
	// is alone calls them (Dialect.Alone).
	Committed(done func(beside bool), then func())

	// Forget removes what an engine keeps of an account to hand out its positions. It
	// is for one that is gone for good.
	Forget(account model.AccountID) error
}

// Row is one row of a result.
type Row interface {
	// Scan copies the columns into *int, *int64, *bool, *string, *[]byte (a
	// copy), *model.ID of any kind, *model.OrganizationID, or any sql.Scanner fed with []byte.
	// NULL is nil for *[]byte and for a Scanner, and an error for all others.
	Scan(dest ...any) error
}

// Dialect is the short list of what the engines do not write alike.
type Dialect struct {
	Name   string // for messages and metrics, never for a decision
	Bytes  string // type of a column of bytes
	ID     string // type of a column of an identifier
	Text   string // type of a column of text that is compared byte by byte; "" is TEXT
	Suffix string // of CREATE TABLE with a primary key that clusters the rows

	// Alone says that nobody queues anything but through this engine.
	Alone bool

	// Statements that tell what is there: a row of table and column for each column, and
	// one of index, table and column for each column of an index, in their order.
	Columns, Indexes string

	// Queues is a statement that tells the last position which was handed out for each of some
	// accounts (a ?*), or "" in an engine that is alone: there nobody has to look for what
	// others have queued.
	Queues string

	// Queue is a statement that tells the last position which was handed out for an account (a
	// ?), or for any where all have the same ones.
	Queue string

	// Clauses at the end of a SELECT, or "" in an engine that has one writer and so
	// needs none of them. What they lock stays so until the transaction ends.
	Lock  string // nobody else changes or locks the rows
	Share string // nobody else changes the rows; others may share them
	Skip  string // like Lock, leaving out the rows that others have locked
}

// The errors that engines translate theirs into.
var (
	ErrStop        = errors.New("stop")                             // returned by a row function to end a query
	ErrConflict    = errors.New("unique key is taken")              // a primary or unique key exists already
	ErrUnavailable = errors.New("store is unavailable")             // disk full, I/O error, no connection: try later
	ErrFull        = errors.New("there is no room left")            // on the disk; with ErrUnavailable
	ErrBusy        = errors.New("others have locked what it needs") // for longer than is waited; with ErrUnavailable
	ErrClosed      = errors.New("store is closed")
)
