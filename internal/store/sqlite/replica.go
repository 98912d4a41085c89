package sqlite

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"zombiezen.com/go/sqlite"

	"signet/internal/durable"
)

// Replica is a database file that is made of the pages of another one's Feed. Nothing opens it as a
// database before it is Released.
//
// For a replica at dir/standby.db:
//
//	standby.db.part    pages of a database that is not whole yet
//	standby.db         a database as it was after some commit, or as it becomes by one of the logs
//	standby.db.log0    the pages of every second commit, whole or not, and what was said of it
//	standby.db.log1    those of the others
//
// The pages of a commit are written to a log first, which is synchronized, and then to the database;
// the log stays until that of the next commit is. So whenever the program or the machine stops, the
// database is as it was after a commit, or a log says how it becomes so. A database that is not whole
// has nothing to lose: its pages are written where they belong.
//
// After an error it is closed, and opened again. It is used by one goroutine at a time.
type Replica struct {
	path  string
	db    *os.File // nil: there is none yet
	whole bool
	last  ReplicaState

	log *pageLog // of the commit that is being received; nil: none
}

// ReplicaState is a commit of a replica.
type ReplicaState struct {
	Number uint64 // counts the commits of the replica
	Pages  uint32 // size of the database
	Note   []byte // what was said at Commit
}

// OpenReplica opens the replica at path, or one that is yet to come, and finishes the commit that
// was received last. The directory must exist, and be this process's own.
func OpenReplica(path string) (_ *Replica, err error) {
	r := &Replica{path: path}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("open the copy %s: %w", path, err), r.Close())
		}
	}()
	r.db, err = os.OpenFile(path, os.O_RDWR, 0)
	switch {
	case err == nil:
		r.whole = true
		return r, r.recover()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	// A log that is left of an earlier copy would count more than the first of this one.
	if err := removeAll(r.logPath(0), r.logPath(1)); err != nil {
		return nil, err
	}
	if err := durable.SyncDirectory(filepath.Dir(path)); err != nil {
		return nil, err
	}
	r.db, err = os.OpenFile(r.part(), os.O_RDWR|os.O_CREATE, 0o600)
	return r, err
}

func (r *Replica) part() string { return r.path + ".part" }

// logPath is the log of a commit.
func (r *Replica) logPath(number uint64) string { return fmt.Sprintf("%s.log%d", r.path, number%2) }

// recover reads both logs, and brings that of the last commit into the database. The other one goes:
// should the disk lose this log yet, though it was synchronized, then the one before it would make a
// database of pages of two commits.
func (r *Replica) recover() error {
	var newest *pageLog
	var logs []*pageLog
	defer func() {
		for _, l := range logs {
			l.close()
		}
	}()
	for i := range uint64(2) {
		l, err := readPageLog(r.logPath(i))
		if err != nil {
			return err
		}
		if l == nil {
			continue
		}
		logs = append(logs, l)
		if l.state.Number%2 == i && (newest == nil || l.state.Number > newest.state.Number) {
			newest = l
		}
	}
	if newest == nil {
		return fmt.Errorf("neither of its logs can be read: it is damaged; remove all files %s*, and it is copied anew",
			filepath.Base(r.path))
	}
	r.last = newest.state
	if err := r.apply(newest); err != nil {
		return err
	}
	return r.empty(r.last.Number + 1)
}

// empty makes the log of a commit empty, where there is one. What it holds may have been erased since.
func (r *Replica) empty(number uint64) error {
	if err := os.Truncate(r.logPath(number), 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unavailable(err)
	}
	return nil
}

// apply writes the pages of a log into the database.
func (r *Replica) apply(l *pageLog) error {
	numbers := make([]uint32, 0, len(l.pages))
	for number := range l.pages {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	image := make([]byte, pageSize)
	for _, number := range numbers {
		if _, err := l.file.ReadAt(image, l.pages[number]); err != nil {
			return unavailable(fmt.Errorf("read the log of the copy: %w", err))
		}
		if err := r.put(number, image); err != nil {
			return err
		}
	}
	return r.settle(l.state.Pages)
}

func (r *Replica) put(number uint32, image []byte) error {
	if _, err := r.db.WriteAt(image, int64(number-1)*pageSize); err != nil {
		return unavailable(fmt.Errorf("write page %d of the copy: %w", number, err))
	}
	return nil
}

// settle gives the database its size, and brings it to the disk.
func (r *Replica) settle(pages uint32) error {
	info, err := r.db.Stat()
	if size := int64(pages) * pageSize; err == nil && info.Size() != size {
		err = r.db.Truncate(size)
	}
	if err = errors.Join(err, r.db.Sync()); err != nil {
		return unavailable(fmt.Errorf("finish the copy: %w", err))
	}
	return nil
}

// Whole reports whether the replica is a database as it was after a commit: it can be released.
func (r *Replica) Whole() bool { return r.whole }

// State is the last commit; zero where there was none.
func (r *Replica) State() ReplicaState { return r.last }

// Write takes a page of the commit that is being received. It takes no effect before Commit.
func (r *Replica) Write(p Page) error {
	if p.Number == 0 || len(p.Image) != pageSize {
		return fmt.Errorf("page %d of %d bytes is none", p.Number, len(p.Image))
	}
	if !r.whole {
		return r.put(p.Number, p.Image)
	}
	if err := r.begin(); err != nil {
		return err
	}
	return r.log.add(p)
}

// begin opens the log of the next commit.
func (r *Replica) begin() (err error) {
	if r.log == nil {
		r.log, err = createPageLog(r.logPath(r.last.Number + 1))
	}
	return err
}

// Commit makes what was written the replica's state, of so many pages, with a note. When it returns
// nil, all that was written is on disk.
func (r *Replica) Commit(pages uint32, note []byte) error {
	if err := r.begin(); err != nil {
		return err
	}
	state := ReplicaState{Number: r.last.Number + 1, Pages: pages, Note: bytes.Clone(note)}
	if !r.whole {
		if err := r.settle(pages); err != nil {
			return err
		}
	}
	if err := r.log.commit(state); err != nil {
		return err
	}
	r.last = state
	if r.whole {
		if err := r.apply(r.log); err != nil {
			return err
		}
	} else {
		if err := durable.Rename(r.part(), r.path); err != nil {
			return unavailable(err)
		}
		r.whole = true
	}
	err := r.log.close()
	r.log = nil
	return errors.Join(err, r.empty(state.Number-1))
}

// discard drops what was written since the last commit, and gives its room back to the disk. A log that
// was committed stays, also where it could not be brought into the database.
func (r *Replica) discard() error {
	if r.log == nil {
		return nil
	}
	committed := r.log.state.Number > 0
	err := r.log.close()
	r.log = nil
	if committed {
		return err
	}
	return errors.Join(err, r.empty(r.last.Number+1))
}

// DigestSize is the length in bytes of a page's digest.
const DigestSize = 16

// Digest is what pages are compared by.
func Digest(image []byte) (d [DigestSize]byte) {
	sum := sha256.Sum256(image)
	copy(d[:], sum[:])
	return d
}

// Digests calls fn with the digests of all pages, in order, up to n of them at a time.
func (r *Replica) Digests(n int, fn func(first uint32, digests []byte) error) error {
	info, err := r.db.Stat()
	if err != nil {
		return unavailable(err)
	}
	pages := uint32(info.Size() / pageSize)
	buffer := make([]byte, n*pageSize)
	for first := uint32(1); first <= pages; first += uint32(n) {
		run := min(n, int(pages-first+1))
		if _, err := r.db.ReadAt(buffer[:run*pageSize], int64(first-1)*pageSize); err != nil && !errors.Is(err, io.EOF) {
			return unavailable(fmt.Errorf("read the copy: %w", err))
		}
		digests := make([]byte, 0, run*DigestSize)
		for i := range run {
			d := Digest(buffer[i*pageSize : (i+1)*pageSize])
			digests = append(digests, d[:]...)
		}
		if err := fn(first, digests); err != nil {
			return err
		}
	}
	return nil
}

// Release closes a whole replica and gives it the name of a database that an engine opens. The logs
// go; the directory is that of the replica.
func (r *Replica) Release(database string) error {
	if !r.whole {
		return errors.New("the copy is not whole")
	}
	if filepath.Dir(database) != filepath.Dir(r.path) {
		return fmt.Errorf("%s lies in another directory than the copy", database)
	}
	if err := r.Close(); err != nil {
		return err
	}
	if err := removeAll(database+"-wal", database+"-shm"); err != nil { // of whatever had the name before
		return err
	}
	if err := durable.Rename(r.path, database); err != nil {
		return err
	}
	return RemoveReplica(r.path)
}

// RemoveReplica removes what is there of a replica.
func RemoveReplica(path string) error {
	err := removeAll(path, path+".part", path+".log0", path+".log1", path+"-wal", path+"-shm")
	return errors.Join(err, durable.SyncDirectory(filepath.Dir(path)))
}

// removeAll removes the files that are there.
func removeAll(paths ...string) error {
	var errs []error
	for _, path := range paths {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// ReplicaFrom makes the database of an engine that is closed, in whatever state its file is, the
// pages of a replica that is not whole: what is the same need not be copied.
func ReplicaFrom(database, path string) error {
	if err := RemoveReplica(path); err != nil {
		return err
	}
	if err := removeAll(database+"-wal", database+"-shm"); err != nil {
		return err
	}
	return durable.Rename(database, path+".part")
}

// Close closes the files. What was written since the last commit is dropped.
func (r *Replica) Close() error {
	err := r.discard()
	if r.db != nil {
		err = errors.Join(err, r.db.Close())
		r.db = nil
	}
	return err
}

// Reader opens a whole replica to read it as a database. It is closed before the next Write.
func (r *Replica) Reader() (*Reader, error) {
	if !r.whole || r.log != nil {
		return nil, errors.New("the copy cannot be read now")
	}
	// Nothing else opens it, and its log is none of SQLite's.
	uri := "file:" + (&url.URL{Path: r.path}).EscapedPath() + "?immutable=1"
	c, err := connect(uri, sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		return nil, fmt.Errorf("read the copy: %w", err)
	}
	c.arm()
	err = c.prepare(map[**sqlite.Stmt]string{&c.begin: "BEGIN", &c.commit: "COMMIT", &c.rollback: "ROLLBACK"})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the copy: %w", err), c.close())
	}
	return &Reader{c, r.path}, nil
}
