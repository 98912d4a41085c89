package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"signet/internal/disk"
	"signet/internal/durable"
	"signet/internal/home"
	"signet/internal/store"
	"signet/internal/store/sqlite"
	"signet/internal/succession"
	"signet/internal/transfer"
)

// largeLog is how large the embedded store's log is, in bytes, when something is wrong: a server
// copies it into the database long before.
const largeLog = 256 << 20

// data looks at the data directory, and reports whether there is one.
func (e *examination) data() bool {
	dir := e.Config.Data
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if e.Config.Database == "" {
			e.find("data.missing", "there is no directory %s", dir)
		}
		return false
	case err != nil:
		if !e.denied(dir, err) {
			e.find("data.missing", "%v", err)
		}
		return false
	case !info.IsDir():
		e.find("data.missing", "%s is no directory", dir)
		return false
	}
	held, err := durable.Held(filepath.Join(dir, home.LockFile))
	if err != nil {
		e.denied("the lock of the data directory", err)
	}
	e.running = held || e.Server != nil && e.Server.Away == nil
	e.closed(info, dir)
	if moved := home.Moved(e.Config); moved != nil {
		e.find("data.moved", "%v", moved)
	}
	if unfinished := transfer.Unfinished(home.Database(dir)); home.Exists(unfinished) {
		e.find("data.restoring", "there is %s: a restore was not finished", unfinished)
	}
	return true
}

// closed looks whether the directory and what is secret in it are the server's alone.
func (e *examination) closed(dir fs.FileInfo, path string) {
	const others = 0o077
	look := func(path string, info fs.FileInfo, mask fs.FileMode) {
		if mode := info.Mode().Perm(); mode&mask != 0 {
			e.find("data.permissions", "%s is open to other users of this machine (%v)", path, mode)
		}
	}
	look(path, dir, others)
	owner, owned := ownerOf(dir)
	database := home.Database(path)
	for _, file := range []string{database, database + "-wal", database + "-shm", filepath.Join(path, home.KeyringFile),
		filepath.Join(path, home.MasterFile), filepath.Join(path, home.OperatorFile), filepath.Join(path, home.AuditKeyFile),
		filepath.Join(path, home.LockFile), filepath.Join(path, home.BlobsDirectory),
		succession.CopyPath(path), succession.CopyPath(path) + ".part"} {
		info, err := os.Stat(file)
		if err != nil {
			e.denied(file, err)
			continue
		}
		if base := filepath.Base(file); base != home.LockFile && !strings.HasPrefix(base, home.DatabaseFile+"-") &&
			!info.IsDir() { // what is beside the database has its mode
			look(file, info, others)
		}
		if uid, ok := ownerOf(info); ok && owned && uid != owner {
			e.find("data.owner", "%s belongs to user %d, and the data directory to user %d", file, uid, owner)
		}
	}
	// What lies elsewhere may be a group's, but not everybody's.
	for _, file := range []string{strings.TrimPrefix(e.Config.MasterKey, "file:"),
		strings.TrimPrefix(e.Config.Keyring, "file:"), strings.TrimPrefix(e.Config.Standby.Key, "file:"), e.Config.TLS.Key,
		e.Config.Tracing.Headers} {
		if info, err := os.Stat(file); err == nil && file != "" {
			look(file, info, 0o007)
		}
	}
}

// disk looks at the room on the disk of the data directory.
func (e *examination) disk() {
	if free, size, ok := disk.Free(e.Config.Data); ok {
		e.room(free, size)
	}
}

func (e *examination) room(free, size int64) {
	reserve := min(e.Config.Disk.Reserve, size/8)
	switch {
	case free < reserve:
		e.find("disk.full", "%d MiB are free on the disk of %s, less than the reserve", free>>20, e.Config.Data)
	case free < size/10:
		e.find("disk.low", "%d MiB are free on the disk of %s, less than a tenth", free>>20, e.Config.Data)
	}
}

// embedded looks into the store of the data directory.
func (e *examination) embedded(ctx context.Context) {
	if e.pair() {
		return
	}
	database := home.Database(e.Config.Data)
	if _, err := os.Stat(database); err != nil {
		if !e.denied(database, err) {
			e.find("data.missing", "there is no store in %s: no server ever stored there", e.Config.Data)
		}
		return
	}
	info, err := os.Stat(database + "-wal")
	logged := err == nil && info.Size() > 0
	if logged && info.Size() > largeLog {
		e.find("data.log", "the log of the store, %s-wal, has %d MiB", database, info.Size()>>20)
	}
	unclean := logged && !e.running
	if unclean {
		e.find("data.unclean", "the last server on %s did not stop by itself: it was killed, or the machine went down",
			e.Config.Data)
	}
	facts, err := e.readEmbedded(ctx, database)
	switch {
	case err == nil:
		e.facts = &facts
	case e.denied(database, err):
	case unclean && !home.Exists(database+"-shm"): // without it, reading the log would make files
	default:
		e.find("store.unreadable", "%v", err)
	}
}

// readEmbedded asks the store for its facts. A server that starts meanwhile changes what is read
// without looking at its log, so that the look is repeated as beside one.
func (e *examination) readEmbedded(ctx context.Context, database string) (facts store.Facts, err error) {
	read := func(open func(string) (*sqlite.Reader, error)) error {
		reader, err := open(database)
		if err != nil {
			return err
		}
		facts, err = store.ReadFacts(ctx, reader)
		return errors.Join(err, reader.Close())
	}
	if e.running {
		return facts, read(sqlite.OpenReader)
	}
	err = read(sqlite.OpenStill)
	if held, _ := durable.Held(filepath.Join(e.Config.Data, home.LockFile)); held {
		e.running = true
		err = read(sqlite.OpenReader)
	}
	return facts, err
}

// version compares the version of the data with today's, which this program knows.
func (e *examination) version(today int) {
	if e.facts == nil {
		return
	}
	switch {
	case e.facts.Copying:
		e.find("data.restoring", "a restore or a move into this store was not finished")
	case e.facts.Schema == 0:
		e.find("store.empty", "no server has begun to use the store")
	case e.facts.Schema > today:
		e.find("store.newer", "the data is of version %d, and this program knows %d", e.facts.Schema, today)
	case e.facts.Schema < today:
		e.find("store.older", "the data is of version %d, and this program's is %d", e.facts.Schema, today)
	}
}
