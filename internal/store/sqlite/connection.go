package sqlite

import (
	"errors"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
)

const (
	pageSize = 4096

	// applicationID marks the file as this server's ("Sgnt"), for us and for
	// tools such as file(1).
	applicationID = 0x53676e74

	// busyTimeout is how long a statement waits for a lock that another process
	// holds, such as an administrator's shell. Within this process nothing does.
	busyTimeout = 5 * time.Second
)

// connection is a connection to the database with its prepared statements. It
// is used by one goroutine at a time.
type connection struct {
	conn    *sqlite.Conn
	queries map[string]*query

	prepared int // statements in queries

	scratch []byte // the bytes of a column, until they are where they belong

	begin, commit, rollback        *sqlite.Stmt
	savepoint, release, rollbackTo *sqlite.Stmt // of the writer only

	// interrupt ends the running statement of a reader when it is closed.
	interrupt chan struct{}
}

// openWriter opens the connection that writes, and sets up an empty file.
func openWriter(path string, cacheBytes int64) (_ *connection, err error) {
	if err := registerLogVFS(); err != nil {
		return nil, err
	}
	c, err := connect(logURI(path), sqlite.OpenReadWrite|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.conn.Close()
		}
	}()
	marked, err := c.identify()
	if err != nil {
		return nil, err
	}
	// SetDefensive is left out: in v1.4.2 of the binding it corrupts memory
	// (TestNobodySetsDefensive).
	//
	// auto_vacuum stays off: it would make a page of the file ambiguous to the
	// scrubber and cost a write for each page that moves; free pages are used
	// again, and a backup leaves them out.
	settings := []string{
		fmt.Sprintf("page_size = %d", pageSize),
		"auto_vacuum = NONE",
		"synchronous = FULL", // logfile.go relies on it
		"journal_mode = WAL",
		"secure_delete = ON",
		"foreign_keys = ON",
		"trusted_schema = OFF",
		"temp_store = MEMORY", // content never lies in a temporary file
		"wal_autocheckpoint = 0",
		fmt.Sprintf("cache_size = %d", -max(cacheBytes>>10, 1)),
	}
	if !marked { // or else a start would write, on a full disk too
		settings = append(settings, fmt.Sprintf("application_id = %d", applicationID))
	}
	if err := c.set(settings); err != nil {
		return nil, err
	}
	return c, c.prepare(map[**sqlite.Stmt]string{
		&c.begin:      "BEGIN IMMEDIATE",
		&c.commit:     "COMMIT",
		&c.rollback:   "ROLLBACK",
		&c.savepoint:  "SAVEPOINT request",
		&c.release:    "RELEASE request",
		&c.rollbackTo: "ROLLBACK TO request",
	})
}

// openReader opens a connection that can only read.
func openReader(path string, cacheBytes int64) (*connection, error) {
	return openReaderAt(path, cacheBytes, 0)
}

func openReaderAt(path string, cacheBytes int64, flags sqlite.OpenFlags) (_ *connection, err error) {
	c, err := connect(path, sqlite.OpenReadOnly|flags)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.conn.Close()
		}
	}()
	if err := c.set([]string{
		"temp_store = MEMORY",
		"trusted_schema = OFF",
		fmt.Sprintf("cache_size = %d", -max(cacheBytes>>10, 1)),
	}); err != nil {
		return nil, err
	}
	c.arm()
	return c, c.prepare(map[**sqlite.Stmt]string{
		&c.begin:    "BEGIN",
		&c.commit:   "COMMIT",
		&c.rollback: "ROLLBACK",
	})
}

// openCopier opens the connection that copies the log into the database file, and does nothing else.
func openCopier(path string) (_ *connection, err error) {
	c, err := connect(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	err = c.set([]string{
		"synchronous = FULL",
		"temp_store = MEMORY",
		"trusted_schema = OFF",
		"wal_autocheckpoint = 0",
		"cache_size = 1",
	})
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func connect(path string, flags sqlite.OpenFlags) (*connection, error) {
	conn, err := sqlite.OpenConn(path, flags)
	if err != nil {
		return nil, translate(err)
	}
	conn.SetBusyTimeout(busyTimeout)
	return &connection{conn: conn, queries: make(map[string]*query), scratch: make([]byte, usualColumn)}, nil
}

// set carries out settings of the connection, or of the file.
func (c *connection) set(pragmas []string) error {
	for _, pragma := range pragmas {
		if _, err := c.number("PRAGMA " + pragma); err != nil {
			return err
		}
	}
	return nil
}

// identify reports whether the file is marked as ours, and refuses one that holds
// tables and is not.
func (c *connection) identify() (marked bool, err error) {
	id, err := c.number("PRAGMA application_id")
	if err != nil {
		return false, err
	}
	tables, err := c.number("SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return false, err
	}
	if tables > 0 && id != applicationID {
		return false, fmt.Errorf("the file is a database of another program (application_id %#x)", id)
	}
	return id == applicationID, nil
}

func (c *connection) prepare(statements map[**sqlite.Stmt]string) error {
	for stmt, text := range statements {
		var err error
		if *stmt, err = c.conn.Prepare(text); err != nil {
			return translate(err)
		}
	}
	return nil
}

// run executes a statement without results or arguments.
func (c *connection) run(stmt *sqlite.Stmt) error {
	if _, err := stmt.Step(); err != nil {
		return translate(err)
	}
	return translate(stmt.Reset())
}

// number executes a statement that is used rarely and returns the first column
// of its first row, or 0.
func (c *connection) number(text string) (n int64, err error) {
	err = c.numbers(text, &n)
	return n, err
}

// numbers is number for the first columns of the row, as many as are given.
func (c *connection) numbers(text string, columns ...*int64) error {
	stmt, _, err := c.conn.PrepareTransient(text)
	if err != nil {
		return translate(err)
	}
	defer stmt.Finalize()
	found, err := stmt.Step()
	if err != nil {
		return translate(fmt.Errorf("%s: %w", text, err))
	}
	for i, column := range columns {
		if found && i < stmt.ColumnCount() {
			*column = stmt.ColumnInt64(i)
		}
	}
	for found { // a statement that is left half-way would stay open
		if found, err = stmt.Step(); err != nil {
			return translate(err)
		}
	}
	return nil
}

// arm makes the connection interruptible (again).
func (c *connection) arm() {
	c.interrupt = make(chan struct{})
	c.conn.SetInterrupt(c.interrupt)
}

// inTransaction reports whether a transaction is open. SQLite ends one by
// itself when the disk is full or fails.
func (c *connection) inTransaction() bool { return !c.conn.AutocommitEnabled() }

// close finalizes the statements and closes the connection.
func (c *connection) close() error {
	c.forget(nil)
	return translate(c.conn.Close())
}
