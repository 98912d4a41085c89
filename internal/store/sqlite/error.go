package sqlite

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"signet/internal/store"
)

var (
	errReading  = fmt.Errorf("%w: a reader still needs the write-ahead log", store.ErrUnavailable)
	errLost     = fmt.Errorf("%w: SQLite rolled the transaction back", store.ErrUnavailable)
	errReadOnly = errors.New("a View cannot write")
	errEnded    = errors.New("the transaction of this session has ended")
	errInRow    = errors.New("a session cannot be used while its rows are read")
	errExited   = errors.New("the function of a transaction ended its goroutine (runtime.Goexit)")
)

// ErrFenced is what Update answers after Fence. It is an ErrUnavailable.
var ErrFenced = fmt.Errorf("%w: another server has taken over from this one", store.ErrUnavailable)

// translate wraps an error of SQLite into the store's error that it amounts
// to, if it does to any.
func translate(err error) error {
	if err == nil {
		return nil
	}
	code := sqlite.ErrCode(err)
	switch code {
	case sqlite.ResultConstraintPrimaryKey, sqlite.ResultConstraintUnique, sqlite.ResultConstraintRowID:
		return fmt.Errorf("%w: %w", store.ErrConflict, err)
	}
	switch code.ToPrimary() {
	case sqlite.ResultFull:
		return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrFull, err)
	case sqlite.ResultIOErr, sqlite.ResultCantOpen, sqlite.ResultReadOnly,
		sqlite.ResultBusy, sqlite.ResultLocked, sqlite.ResultProtocol, sqlite.ResultNoMem,
		sqlite.ResultCorrupt, sqlite.ResultNotADB:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}

// unavailable marks an error of the file system.
func unavailable(err error) error { return fmt.Errorf("%w: %w", store.ErrUnavailable, err) }
