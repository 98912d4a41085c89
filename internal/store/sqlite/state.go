package sqlite

import "fmt"

// loadState makes sure that the engine's own table is there, reads the last
// position that was committed, and notes whether the pages of the file are
// known to hold no remains: they are when the engine was closed in good order.
func (w *writer) loadState() (clean bool, err error) {
	for _, text := range []string{
		`CREATE TABLE IF NOT EXISTS engine_state (
			name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (name)) WITHOUT ROWID`,
		`INSERT INTO engine_state (name, value) VALUES ('position', 0), ('clean', 1) ON CONFLICT (name) DO NOTHING`,
	} {
		if _, err := w.c.number(text); err != nil {
			return false, err
		}
	}
	if w.position, err = w.c.number(`SELECT value FROM engine_state WHERE name = 'position'`); err != nil {
		return false, err
	}
	w.stored = w.position
	w.storePosition, err = w.c.conn.Prepare(`UPDATE engine_state SET value = ? WHERE name = 'position'`)
	if err != nil {
		return false, translate(err)
	}
	n, err := w.c.number(`SELECT value FROM engine_state WHERE name = 'clean'`)
	return n == 1, err
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

// advance hands out n consecutive positions and returns the first: the clock's
// microseconds, or what follows the last one, whichever is later. Those of a
// transaction that fails are skipped.
func (w *writer) advance(n int) int64 {
	first := max(w.position+1, w.clock().UnixMicro())
	w.position = first + int64(n) - 1
	return first
}
