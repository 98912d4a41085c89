package app

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/store/postgres"
	"signet/internal/store/sqlite"
)

// ErrNoKey says that there is no key of that name.
var ErrNoKey = errors.New("there is no such key")

// LimitKey gives a key other limits, in the data directory or the database itself:
// it is for who runs the server, which may be running. A nil limit is the configured
// one, and 0 is none. A running server knows within a second.
func LimitKey(ctx context.Context, dir, database, key string, messagesPerDay, requestsPerSecond *int) error {
	return maintain(ctx, dir, database, func(tx *store.Tx) error {
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

// maintain changes the store of a data directory, or the database where one is
// named, whether or not a server uses it.
func maintain(ctx context.Context, dir, database string, change func(*store.Tx) error) error {
	kept, err := openToMaintain(ctx, dir, database)
	if err != nil {
		return err
	}
	return errors.Join(kept.Update(ctx, change), kept.Close())
}

func openToMaintain(ctx context.Context, dir, database string) (*store.Store, error) {
	engine, err := openEngine(ctx, dir, database)
	if err != nil {
		return nil, err
	}
	kept, err := store.Open(ctx, engine, service.NewEpoch)
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return kept, nil
}

func openEngine(ctx context.Context, dir, database string) (store.Engine, error) {
	if database != "" {
		return postgres.Open(ctx, database, postgres.Options{Connections: 1})
	}
	path := databasePath(dir)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, noDataDirectory(dir)
	}
	return sqlite.Open(path, sqlite.Options{})
}
