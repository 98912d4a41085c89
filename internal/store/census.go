package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"signet/internal/model"
)

// Source is a store that is only read, on whichever engine.
type Source interface {
	// View is that of Engine.
	View(ctx context.Context, fn func(Session) error, traits ...Trait) error

	// Dialect is that of Engine.
	Dialect() Dialect
}

// Census is what there is to say of a store without its content.
type Census struct {
	Schema int              `json:"schema"` // version
	Epoch  string           `json:"epoch"`
	Rows   map[string]int64 `json:"rows"` // by table
}

// WantCurrent refuses a source whose version is not the program's.
func WantCurrent(ctx context.Context, source Source) error {
	return read(ctx, source, func(tx *Tx) error {
		version, err := tx.version()
		switch {
		case err != nil:
			return fmt.Errorf("look at the source: %w", err)
		case version > SchemaVersion():
			return newer(version)
		case version < SchemaVersion():
			return fmt.Errorf("the source has version %d, and this program writes version %d: start its server on the "+
				"source once, which brings it up to date, and stop it", version, SchemaVersion())
		}
		return nil
	})
}

// TakeCensus counts what a store holds. Of one of an earlier version it counts the tables
// that are there.
func TakeCensus(ctx context.Context, source Source) (c Census, err error) {
	err = read(ctx, source, func(tx *Tx) error {
		c = Census{Rows: map[string]int64{}}
		if c.Schema, err = tx.version(); err != nil {
			return err
		}
		if c.Epoch, err = tx.meta(MetaEpoch); err != nil {
			return err
		}
		if c.Schema > SchemaVersion() {
			return newer(c.Schema)
		}
		there, err := tx.columns()
		if err != nil {
			return err
		}
		for _, t := range Tables() {
			if there[t.Name] == nil {
				continue
			}
			var n int64
			if _, err := tx.One(`SELECT COUNT(*) FROM `+t.Name, nil, &n); err != nil {
				return err
			}
			c.Rows[t.Name] = n
		}
		return nil
	})
	return c, err
}

// EachBlob calls fn for every attachment and avatar that a store refers to, in
// order, until fn returns an error.
func EachBlob(ctx context.Context, source Source, fn func(model.BlobID) error) error {
	const page = 1000
	var last model.BlobID
	for {
		var ids []model.BlobID
		err := read(ctx, source, func(tx *Tx) (err error) {
			ids, err = tx.BlobsAfter(last, page)
			return err
		})
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := fn(id); err != nil {
				return err
			}
		}
		if len(ids) < page {
			return nil
		}
		last = ids[page-1]
	}
}

// UsesBlob reports whether a store refers to an attachment or avatar.
func UsesBlob(ctx context.Context, source Source, id model.BlobID) (used bool, err error) {
	err = read(ctx, source, func(tx *Tx) error {
		used, err = tx.BlobInUse(id)
		return err
	})
	return used, err
}

// read runs fn on a snapshot of a source.
func read(ctx context.Context, source Source, fn func(*Tx) error) error {
	return source.View(ctx, func(session Session) error { return fn(&Tx{session: session, dialect: source.Dialect()}) })
}

// version returns the version of the data; it is an error where there is none.
func (tx *Tx) version() (int, error) {
	text, err := tx.meta(MetaSchema)
	if err != nil {
		return 0, err
	}
	if text == "" {
		return 0, errors.New("this is no store of the server: it has no version")
	}
	return strconv.Atoi(text)
}

// newer says that data was written by a newer server.
func newer(version int) error {
	return fmt.Errorf("the data has version %d, and this server knows versions up to %d: start the newer server again, "+
		"or restore a backup made before the upgrade", version, SchemaVersion())
}
