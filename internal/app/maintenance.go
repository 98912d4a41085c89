package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/store/sqlite"
)

// ErrNoKey says that there is no key of that name.
var ErrNoKey = errors.New("there is no such key")

// LimitKey gives a key other limits, in the data directory itself: it is for who
// runs the server, which may be running. A nil limit is the configured one, and
// 0 is none. A running server knows within a second.
func LimitKey(ctx context.Context, dir, key string, messagesPerDay, requestsPerSecond *int) error {
	return maintain(ctx, dir, func(tx *store.Tx) error {
		_, found, err := tx.Key(key)
		if err != nil {
			return err
		}
		if !found {
			return ErrNoKey
		}
		return tx.LimitKey(key, messagesPerDay, requestsPerSecond)
	})
}

// maintain changes the store of a data directory, whether or not a server uses it.
func maintain(ctx context.Context, dir string, change func(*store.Tx) error) (err error) {
	path := filepath.Join(dir, databaseFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is no data directory of a server", dir)
	}
	engine, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	kept, err := store.Open(ctx, engine, service.NewEpoch)
	if err != nil {
		return err
	}
	return kept.Update(ctx, change)
}
