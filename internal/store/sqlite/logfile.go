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
// anything else is done with the file.

// logVFS is the name of that VFS, logBuffer how much of the log it keeps at most: SQLite
// writes no more than 128 KiB by one call of the system.
const (
	logVFS    = "signet-log"
	logBuffer = 120 << 10
)

// logFile is what is kept of a file, behind what SQLite keeps of it, in SQLite's memory.
type logFile struct {
	methods  lib.Tsqlite3_io_methods // ours, for the log
	original uintptr                 // the system's
	buffer   uintptr                 // logBuffer bytes
	start    int64                   // where in the file those that are kept belong
	length   int32                   // how many these are
}

// registerLogVFS makes the VFS known to SQLite, which has one list of them.
var registerLogVFS = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	lib.Xsqlite3_initialize(tls)
	system := systemVFS(tls)
	vfs := lib.Xsqlite3_malloc(tls, int32(unsafe.Sizeof(*system)))
	name, err := libc.CString(logVFS)
	if vfs == 0 || err != nil {
		return errors.New("no memory for SQLite's VFS")
	}
	ours := at[lib.Tsqlite3_vfs](vfs)
	*ours = *system
	ours.FpNext, ours.FzName, ours.FxOpen = 0, name, pointer(openFile)
	ours.FszOsFile += int32(unsafe.Sizeof(logFile{}))
	if lib.Xsqlite3_vfs_register(tls, vfs, 0) != lib.SQLITE_OK {
		return errors.New("SQLite does not take the VFS")
	}
	return nil
})

// logURI names a database file that is opened by way of the VFS.
func logURI(path string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?vfs=" + logVFS
}

// systemVFS is the one that SQLite uses by itself.
func systemVFS(tls *libc.TLS) *lib.Tsqlite3_vfs {
	return at[lib.Tsqlite3_vfs](lib.Xsqlite3_vfs_find(tls, 0))
}

// openFile opens a file as the system's VFS does, and then takes over the log.
func openFile(tls *libc.TLS, _, name, file uintptr, flags int32, outFlags uintptr) int32 {
	vfs := lib.Xsqlite3_vfs_find(tls, 0)
	open := function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](at[lib.Tsqlite3_vfs](vfs).FxOpen)
	rc := open(tls, vfs, name, file, flags, outFlags)
	if rc != lib.SQLITE_OK || flags&lib.SQLITE_OPEN_WAL == 0 {
		return rc
	}
	l := logFileOf(tls, file)
	methods := &at[lib.Tsqlite3_file](file).FpMethods
	*l = logFile{methods: *at[lib.Tsqlite3_io_methods](*methods), original: *methods, buffer: lib.Xsqlite3_malloc(tls, logBuffer)}
	if l.buffer == 0 {
		function[func(*libc.TLS, uintptr) int32](l.methods.FxClose)(tls, file)
		*methods = 0 // it is not open
		return lib.SQLITE_NOMEM
	}
	m := &l.methods
	m.FxWrite, m.FxRead, m.FxSync, m.FxTruncate, m.FxFileSize, m.FxClose =
		pointer(writeLog), pointer(readLog), pointer(syncLog), pointer(truncateLog), pointer(sizeLog), pointer(closeLog)
	*methods = uintptr(unsafe.Pointer(m))
	return rc
}

func logFileOf(tls *libc.TLS, file uintptr) *logFile {
	return at[logFile](file + uintptr(systemVFS(tls).FszOsFile))
}

// system are the methods that the file was opened with.
func (l *logFile) system() *lib.Tsqlite3_io_methods { return at[lib.Tsqlite3_io_methods](l.original) }

// writeLog keeps what follows what is kept.
func writeLog(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	l := logFileOf(tls, file)
	if offset != l.start+int64(l.length) || l.length+n > logBuffer {
		if rc := l.flush(tls, file); rc != lib.SQLITE_OK {
			return rc
		}
	}
	if n > logBuffer {
		return l.write(tls, file, data, n, offset)
	}
	if l.length == 0 {
		l.start = offset
	}
	copy(unsafe.Slice(at[byte](l.buffer+uintptr(l.length)), n), unsafe.Slice(at[byte](data), n))
	l.length += n
	return lib.SQLITE_OK
}

// flush writes what is kept. If it cannot be written it is kept no longer: SQLite gives
// the transaction up, and begins the next one at the same place.
func (l *logFile) flush(tls *libc.TLS, file uintptr) int32 {
	n := l.length
	if n == 0 {
		return lib.SQLITE_OK
	}
	l.length = 0
	return l.write(tls, file, l.buffer, n, l.start)
}

func (l *logFile) write(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	return function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](l.system().FxWrite)(tls, file, data, n, offset)
}

func readLog(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	l := logFileOf(tls, file)
	if rc := l.flush(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](l.system().FxRead)(tls, file, data, n, offset)
}

func syncLog(tls *libc.TLS, file uintptr, flags int32) int32 {
	l := logFileOf(tls, file)
	if rc := l.flush(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, int32) int32](l.system().FxSync)(tls, file, flags)
}

func truncateLog(tls *libc.TLS, file uintptr, size int64) int32 {
	l := logFileOf(tls, file)
	if rc := l.flush(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, int64) int32](l.system().FxTruncate)(tls, file, size)
}

func sizeLog(tls *libc.TLS, file, size uintptr) int32 {
	l := logFileOf(tls, file)
	if rc := l.flush(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, uintptr) int32](l.system().FxFileSize)(tls, file, size)
}

// closeLog writes nothing: what was not synchronized is of no transaction that took
// effect.
func closeLog(tls *libc.TLS, file uintptr) int32 {
	l := logFileOf(tls, file)
	lib.Xsqlite3_free(tls, l.buffer)
	return function[func(*libc.TLS, uintptr) int32](l.system().FxClose)(tls, file)
}

// at is what lies at an address of SQLite's memory, which Go's collector does not know.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// function is SQLite's function at an address, and pointer the address of one of ours,
// in the form that modernc.org/sqlite gives to C's function pointers.
func function[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&address)) }

func pointer(f any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&f))[1] }
