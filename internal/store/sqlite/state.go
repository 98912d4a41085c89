package sqlite

import (
	"fmt"
	"maps"

	"zombiezen.com/go/sqlite"
)

// loadState makes sure that the engine's own table is there, reads the last
// position that was committed, and notes whether the pages of the file are
// known to hold no remains: they are when the engine was closed in good order.
func (w *writer) loadState() (clean bool, err error) {
	for _, text := range []string{
		`CREATE TABLE IF NOT EXISTS engine_state (
			name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (name)) WITHOUT ROWID`,
		`INSERT INTO engine_state (name, value) VALUES ('position', 0), ('access', 1), ('clean', 1)
			ON CONFLICT (name) DO NOTHING`,
	} {
		if _, err := w.c.number(text); err != nil {
			return false, err
		}
	}
	if w.position, err = w.c.number(`SELECT value FROM engine_state WHERE name = 'position'`); err != nil {
		return false, err
	}
	w.stored = w.position
	statements := map[**sqlite.Stmt]string{
		&w.readState: `SELECT p.value, a.value FROM engine_state p, engine_state a
			WHERE p.name = 'position' AND a.name = 'access'`,
		&w.storePosition: `UPDATE engine_state SET value = ? WHERE name = 'position'`,
		&w.raiseAccess:   `UPDATE engine_state SET value = value + 1 WHERE name = 'access'`,
	}
	if w.files == nil {
		maps.Copy(statements, w.uncleaning())
	}
	if err := w.c.prepare(statements); err != nil {
		return false, err
	}
	n, err := w.c.number(`SELECT value FROM engine_state WHERE name = 'clean'`)
	return n == 1, err
}

// uncleaning is the statement with which each transaction takes the mark of good order
// from the file.
func (w *writer) uncleaning() map[**sqlite.Stmt]string {
	return map[**sqlite.Stmt]string{&w.markUnclean: `UPDATE engine_state SET value = 0 WHERE name = 'clean' AND value = 1`}
}

// setClean notes whether the pages of the file hold no remains.
func (w *writer) setClean(clean bool) error {
	value := 0
	if clean {
		value = 1
	}
	_, err := w.c.number(fmt.Sprintf(`UPDATE engine_state SET value = %d WHERE name = 'clean'`, value))
	return err
}

// markClean notes that the pages hold no remains, unless another process has written
// something since the last Erase.
func (w *writer) markClean() error {
	if err := w.c.run(w.c.begin); err != nil {
		return err
	}
	defer w.rollback()
	state, err := w.files.logState()
	if err != nil || state.frames > 0 || w.checkpoints.unscrubbed.size > 0 {
		return err
	}
	if err := w.setClean(true); err != nil {
		return err
	}
	return w.c.run(w.c.commit)
}

// load reads the last position that was committed, and the number of access, once in each
// transaction: a command beside the server hands out positions and changes access too.
func (w *writer) load() error {
	if w.loaded {
		return nil
	}
	w.access = 0 // which is not known
	defer w.readState.Reset()
	if found, err := w.readState.Step(); err != nil || !found {
		return translate(err)
	}
	stored := w.readState.ColumnInt64(0)
	w.beside = w.beside || stored != w.stored
	w.stored, w.position, w.access, w.loaded = stored, max(w.position, stored), w.readState.ColumnInt64(1), true
	return nil
}

// advance hands out n consecutive positions and returns the first: the clock's
// microseconds, or what follows the last one, whichever is later. Those of a
// transaction that fails are skipped.
func (w *writer) advance(n int) (int64, error) {
	if err := w.load(); err != nil {
		return 0, err
	}
	first := max(w.position+1, w.clock().UnixMicro())
	w.position = first + int64(n) - 1
	return first, nil
}

// readAccess is for those who do not write. There is one number for all accounts.
const readAccess = `SELECT value FROM engine_state WHERE name = 'access'`

// changeAccess gives all accounts another number. Who takes a position in the rest of the
// transaction finds none: the change may be that of another request, which is undone yet.
func (w *writer) changeAccess() error {
	if err := w.load(); err != nil {
		return err
	}
	w.access = 0
	return w.c.run(w.raiseAccess)
}
