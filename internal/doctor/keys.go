package doctor

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"signet/internal/home"
	"signet/internal/seal"
	"signet/internal/seal/pgring"
)

// keys looks whether the key ring and the master key are there, and fit the store and each other.
func (e *examination) keys(ctx context.Context) {
	begun := e.facts != nil && e.facts.Keyring != "" // else the first start makes them
	where := e.Config.Keyring
	if where == "" {
		where = "file:" + filepath.Join(e.Config.Data, home.KeyringFile)
	}
	if !begun && (e.facts != nil || !ringThere(where)) {
		return
	}
	expect := ""
	if begun {
		expect = e.facts.Keyring
	}
	if master, ok := e.master(); ok {
		e.ringFault(ask(ctx, func(ctx context.Context) error { return e.openRing(ctx, where, expect, master) }))
	}
	if e.Config.KeyringCopy != "" {
		err := ask(ctx, func(ctx context.Context) error { return peek(ctx, e.Config.KeyringCopy, expect) })
		if err != nil {
			e.find("keys.copy", "the copy of the key ring (keyring.copy): %v", err)
		}
	}
}

// ringThere reports whether there is a ring in a file, or may be one in a database.
func ringThere(where string) bool {
	path, isFile := strings.CutPrefix(where, "file:")
	return !isFile || home.Exists(path)
}

// master finds the master key, and reports whether it could be used.
func (e *examination) master() (seal.Master, bool) {
	path, isFile := strings.CutPrefix(e.Config.MasterKey, "file:")
	if e.Config.MasterKey == "" {
		path, isFile = filepath.Join(e.Config.Data, home.MasterFile), true
	}
	if isFile {
		if f, err := os.Open(path); err == nil {
			_ = f.Close() // nothing was written
		} else if e.denied("the master key", err) {
			return seal.Master{}, false
		}
	}
	master, err := home.Master(e.Config.MasterKey, e.Config.Data)
	if err == nil {
		err = master.Check()
	}
	switch {
	case errors.Is(err, seal.ErrNoMaster):
		e.find("keys.master", "there is no master key at %s", master)
	case err != nil:
		e.find("keys.master", "%v", err)
	}
	return master, err == nil
}

// ringFault notes why the ring does not open.
func (e *examination) ringFault(err error) {
	const what = "the key ring"
	switch {
	case err == nil, e.denied(what, err):
	case errors.As(err, new(*seal.MasterError)):
		e.find("keys.master", "%v", err)
	case errors.Is(err, seal.ErrUnavailable) && !errors.Is(err, fs.ErrNotExist), errors.Is(err, context.DeadlineExceeded):
		e.find("keys.away", "%s does not answer: %v", what, err)
	default:
		e.find("keys.ring", "%v", err)
	}
}

// openRing opens the ring as a server does, but for making one.
func (e *examination) openRing(ctx context.Context, where, expect string, master seal.Master) error {
	storage, err := ringAt(ctx, where)
	if err != nil {
		return err
	}
	if ring, ok := storage.(*pgring.Storage); ok && e.cluster != "" {
		if id, err := ring.Cluster(ctx); err == nil && id == e.cluster {
			e.find("keys.beside", "the key ring is on the PostgreSQL server of the database")
		}
	}
	ring, err := seal.Open(ctx, seal.Options{Storage: storage, Master: master, Expect: expect, Existing: true,
		Clock: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	return ring.Close()
}

// peek looks whether a ring is in a place, and the right one.
func peek(ctx context.Context, where, expect string) (err error) {
	storage, err := ringAt(ctx, where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, storage.Close()) }()
	contents, _, err := storage.Load(ctx, true)
	switch {
	case err != nil:
		return err
	case contents == nil:
		return errors.New("there is no key ring")
	case expect != "" && contents.ID != expect:
		return errors.New("it is another key ring")
	}
	return nil
}

// ringAt opens where a ring is, to load it.
func ringAt(ctx context.Context, where string) (seal.Storage, error) {
	if path, isFile := strings.CutPrefix(where, "file:"); isFile {
		return seal.OpenFileToLook(path), nil
	}
	return pgring.OpenToLook(ctx, where)
}
