package offline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"signet/internal/access"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/store"
	"signet/internal/store/postgres"
	"signet/internal/store/sqlite"
	"signet/internal/succession"
)

// KeyLimits are the changes of a key's limits.
type KeyLimits = access.KeyLimits

// ErrNoKey says that there is no key of that name.
var ErrNoKey = errors.New("there is no such key")

// LimitKey gives a key other limits, in the data directory or the database itself: it
// is for the command line; the server may be running, and knows within a second.
func LimitKey(ctx context.Context, cfg *config.Config, key string, limits KeyLimits) error {
	return changeAccess(ctx, cfg, func(kept *store.Store) error {
		holder, err := store.Read(ctx, kept, func(tx *store.Tx) (model.AccountID, error) {
			k, found, err := tx.Key(key)
			if err == nil && !found {
				err = ErrNoKey
			}
			return k.Account, err
		})
		if err != nil {
			return err
		}
		return casesOf(kept).access.ChangeKey(ctx, model.CommandLine(), holder.String(), key,
			access.KeyChange{Limits: limits})
	})
}

// ResetOperator replaces the credentials of an operator, the first one where none is
// named, wherever the old ones have gone: all its keys, its password, its passkeys and
// its webhooks end, and operator.json in the data directory, or the named operator's file, gets a new key.
// It returns the path of the new file. Servers that run know within a second. After an
// error the old file and the old credentials are in place, or it can be run again.
func ResetOperator(ctx context.Context, cfg *config.Config, name string) (path string, err error) {
	if name != "" && !model.ValidUsername(name) {
		return "", people.ErrNoOperator
	}
	path = operatorPath(cfg.Data, name)
	fields, err := home.ReadCredentials(path)
	if err != nil {
		return "", err
	}
	if fields == nil {
		fields = home.Credentials{}
	}
	err = changeAccess(ctx, cfg, func(kept *store.Store) error {
		if cfg.Database != "" {
			// Any machine that reaches the database may do it, one that ran no server too.
			if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
				return fmt.Errorf("make the data directory: %w", err)
			}
		}
		return writeCredentials(path, fields, func(key, secret string) error {
			if err := people.ResetOperator(ctx, kept, time.Now(), name, key, secret); err != nil {
				return fmt.Errorf("replace the operator's credentials: %w", err)
			}
			return nil
		})
	})
	return path, err
}

// Change changes the store of a data directory, or the database where one is
// named, whether or not a server uses it. Where none does, none starts meanwhile. It refuses data of another
// version than this program's.
func Change(ctx context.Context, dir, database string, change func(*store.Store) error) error {
	return maintained(ctx, dir, database, func(kept *store.Store, _ bool) error { return change(kept) })
}

// maintained is Change that tells whether another process has the data directory.
func maintained(ctx context.Context, dir, database string,
	change func(kept *store.Store, beside bool) error) (err error) {
	alone := func(kept *store.Store) error { return change(kept, false) }
	if database != "" {
		return Inspect(ctx, dir, database, alone)
	}
	if err := succession.WantFirst(dir); err != nil {
		return err
	}
	if !home.Exists(home.Database(dir)) {
		return home.NoDataDirectory(dir)
	}
	if err := home.WantNotMoved(dir); err != nil {
		return fmt.Errorf("name the database (--database): %w", err)
	}
	unlock, err := sqlite.LockDirectory(dir)
	if errors.Is(err, sqlite.ErrLocked) {
		return Inspect(ctx, dir, "", func(kept *store.Store) error { return change(kept, true) })
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	engine, err := sqlite.Open(home.Database(dir), sqlite.Options{})
	if err != nil {
		return err
	}
	kept, err := store.OpenCurrent(ctx, engine) // servers bring data up to date
	if err != nil {
		return errors.Join(err, engine.Close())
	}
	return errors.Join(alone(kept), kept.Close())
}

// Inspect looks into the store of a data directory, or the database where one is
// named, and keeps no server from using it, or from starting to. It may take long. What
// it finds is of the version of this program.
func Inspect(ctx context.Context, dir, database string, look func(*store.Store) error) error {
	engine, err := openBeside(ctx, dir, database)
	if err != nil {
		return err
	}
	kept, err := store.OpenCurrent(ctx, engine)
	if err != nil {
		return errors.Join(err, engine.Close())
	}
	return errors.Join(look(kept), kept.Close())
}

// inspect is Inspect that returns what it finds.
func inspect[T any](ctx context.Context, dir, database string, look func(*store.Store) (T, error)) (out T, err error) {
	err = Inspect(ctx, dir, database, func(kept *store.Store) (err error) {
		out, err = look(kept)
		return err
	})
	return out, err
}

func openBeside(ctx context.Context, dir, database string) (store.Engine, error) {
	if database != "" {
		return postgres.Open(ctx, database, postgres.Options{Connections: 1})
	}
	if !home.Exists(home.Database(dir)) {
		return nil, home.NoDataDirectory(dir)
	}
	return sqlite.Open(home.Database(dir), sqlite.Options{Beside: true})
}
