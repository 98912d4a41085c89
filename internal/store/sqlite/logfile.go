package sqlite

import (
	"errors"
	"net/url"
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// SQLite writes each page of a transaction to its log by two calls of the system: a
// header of 24 bytes, and the page. Most of what they cost is the calls. So the writer
// opens its file by way of a VFS ("OS interface" in SQLite's documentation) that is the
// system's own, but for the log: what is written there one after the other is kept
// until the log is synchronized, which SQLite does at the end of each transaction
// (synchronous = FULL) before anybody else learns that the pages are there, or until
// anything else is done with that part of the file. So SQLite reads what it wrote, whether
// or not that could go to the disk.
//
// What is kept is of the one that has SQLite's lock of the writer. When the lock is given
// back, whatever is left is of a transaction that was rolled back, and is dropped: by the
// next write of this process, another one may have put its own pages in that place.
//
// SQLite is C that was made into Go, and knows its methods by their addresses. No package
// offers a VFS that writes, so this file imports unsafe; it is the only one that may.

// logVFS is the name of that VFS, logBuffer how much of the log it keeps at most: SQLite
// writes no more than 128 KiB by one call of the system.
const (
	logVFS    = "signet-log"
	logBuffer = 120 << 10
)

// vfsFile is what the VFS keeps of a database and of its log, behind what SQLite keeps of
// the file, in SQLite's memory.
type vfsFile struct {
	methods  lib.Tsqlite3_io_methods // ours
	original uintptr                 // the system's
	log      uintptr                 // of a database: its log, while that is open
	database uintptr                 // of a log: its database
	buffer   uintptr                 // of a log: logBuffer bytes
	start    int64                   // where in the log those that are kept belong
	length   int32                   // how many these are
}

// systemVFS is the one that SQLite uses by itself. registerLogVFS sets it.
var systemVFS *lib.Tsqlite3_vfs

// registerLogVFS makes the VFS known to SQLite, which has one list of them.
var registerLogVFS = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	lib.Xsqlite3_initialize(tls)
	systemVFS = at[lib.Tsqlite3_vfs](lib.Xsqlite3_vfs_find(tls, 0))
	vfs := lib.Xsqlite3_malloc(tls, int32(unsafe.Sizeof(*systemVFS)))
	name, err := libc.CString(logVFS)
	if vfs == 0 || err != nil {
		return errors.New("no memory for SQLite's VFS")
	}
	ours := at[lib.Tsqlite3_vfs](vfs)
	*ours = *systemVFS
	ours.FpNext, ours.FzName, ours.FxOpen = 0, name, pointer(openFile)
	ours.FszOsFile += int32(unsafe.Sizeof(vfsFile{}))
	if lib.Xsqlite3_vfs_register(tls, vfs, 0) != lib.SQLITE_OK {
		return errors.New("SQLite does not take the VFS")
	}
	return nil
})

// logURI names a database file that is opened by way of the VFS.
func logURI(path string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?vfs=" + logVFS
}

// openFile opens a file as the system's VFS does, and then takes over the log, and the
// locks of a database.
func openFile(tls *libc.TLS, _, name, file uintptr, flags int32, outFlags uintptr) int32 {
	open := function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](systemVFS.FxOpen)
	rc := open(tls, uintptr(unsafe.Pointer(systemVFS)), name, file, flags, outFlags)
	switch {
	case rc != lib.SQLITE_OK:
		return rc
	case flags&lib.SQLITE_OPEN_MAIN_DB != 0:
		override(file).methods.FxShmLock = pointer(lockIndex)
	case flags&lib.SQLITE_OPEN_WAL != 0:
		return openLog(tls, name, file)
	}
	return rc
}

// openLog takes over the log, which the system has opened.
func openLog(tls *libc.TLS, name, file uintptr) int32 {
	f := override(file)
	f.buffer = lib.Xsqlite3_malloc(tls, logBuffer)
	if f.buffer == 0 {
		function[func(*libc.TLS, uintptr) int32](f.system().FxClose)(tls, file)
		at[lib.Tsqlite3_file](file).FpMethods = 0 // it is not open
		return lib.SQLITE_NOMEM
	}
	f.database = lib.Xsqlite3_database_file_object(tls, name)
	vfsFileOf(f.database).log = file
	m := &f.methods
	m.FxWrite, m.FxRead, m.FxSync, m.FxTruncate, m.FxFileSize, m.FxClose =
		pointer(writeLog), pointer(readLog), pointer(syncLog), pointer(truncateLog), pointer(sizeLog), pointer(closeLog)
	return lib.SQLITE_OK
}

// override gives an open file methods of its own, which are the system's for now.
func override(file uintptr) *vfsFile {
	f := vfsFileOf(file)
	methods := &at[lib.Tsqlite3_file](file).FpMethods
	*f = vfsFile{methods: *at[lib.Tsqlite3_io_methods](*methods), original: *methods}
	*methods = uintptr(unsafe.Pointer(&f.methods))
	return f
}

func vfsFileOf(file uintptr) *vfsFile { return at[vfsFile](file + uintptr(systemVFS.FszOsFile)) }

// system are the methods that the file was opened with.
func (f *vfsFile) system() *lib.Tsqlite3_io_methods { return at[lib.Tsqlite3_io_methods](f.original) }

// lockIndex takes and gives back locks of a database's log. With that of the writer goes
// what is kept: after a commit it is nothing.
func lockIndex(tls *libc.TLS, database uintptr, first, n, flags int32) int32 {
	f := vfsFileOf(database)
	if f.log != 0 && first == lib.WAL_WRITE_LOCK && flags&lib.SQLITE_SHM_UNLOCK != 0 {
		vfsFileOf(f.log).length = 0
	}
	return function[func(*libc.TLS, uintptr, int32, int32, int32) int32](f.system().FxShmLock)(
		tls, database, first, n, flags)
}

// writeLog keeps what follows what is kept.
func writeLog(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	f := vfsFileOf(file)
	if offset != f.start+int64(f.length) || f.length+n > logBuffer {
		if rc := f.flush(tls, file); rc != lib.SQLITE_OK {
			return rc
		}
	}
	if n > logBuffer {
		return f.write(tls, file, data, n, offset)
	}
	if f.length == 0 {
		f.start = offset
	}
	copy(unsafe.Slice(at[byte](f.buffer+uintptr(f.length)), n), unsafe.Slice(at[byte](data), n))
	f.length += n
	return lib.SQLITE_OK
}

// flush writes what is kept. What cannot be written stays: SQLite mostly gives the transaction up,
// but may also fail the statement alone, which read a page, and then rely on what it wrote.
func (f *vfsFile) flush(tls *libc.TLS, file uintptr) int32 {
	if f.length == 0 {
		return lib.SQLITE_OK
	}
	rc := f.write(tls, file, f.buffer, f.length, f.start)
	if rc == lib.SQLITE_OK {
		f.length = 0
	}
	return rc
}

func (f *vfsFile) write(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	return function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](f.system().FxWrite)(tls, file, data, n, offset)
}

// readLog first writes what is kept of the part that is read. To undo a transaction SQLite reads
// other parts, also when nothing can be written.
func readLog(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	f := vfsFileOf(file)
	if offset < f.start+int64(f.length) && f.start < offset+int64(n) {
		if rc := f.flush(tls, file); rc != lib.SQLITE_OK {
			return rc
		}
	}
	return function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](f.system().FxRead)(tls, file, data, n, offset)
}

func syncLog(tls *libc.TLS, file uintptr, flags int32) int32 {
	f := vfsFileOf(file)
	if rc := f.flush(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, int32) int32](f.system().FxSync)(tls, file, flags)
}

func truncateLog(tls *libc.TLS, file uintptr, size int64) int32 {
	f := vfsFileOf(file)
	if rc := f.flush(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, int64) int32](f.system().FxTruncate)(tls, file, size)
}

func sizeLog(tls *libc.TLS, file, size uintptr) int32 {
	f := vfsFileOf(file)
	if rc := f.flush(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, uintptr) int32](f.system().FxFileSize)(tls, file, size)
}

// closeLog writes nothing: what was not synchronized is of no transaction that took
// effect.
func closeLog(tls *libc.TLS, file uintptr) int32 {
	f := vfsFileOf(file)
	vfsFileOf(f.database).log = 0
	lib.Xsqlite3_free(tls, f.buffer)
	return function[func(*libc.TLS, uintptr) int32](f.system().FxClose)(tls, file)
}

// at is what lies at an address of SQLite's memory, which Go's collector does not know.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// function is SQLite's function at an address, and pointer the address of one of ours,
// in the form that modernc.org/sqlite gives to C's function pointers.
func function[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&address)) }

func pointer(f any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&f))[1] }
