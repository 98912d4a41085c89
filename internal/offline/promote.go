package offline

import (
	"context"
	"errors"
	"fmt"

	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/store/sqlite"
	"signet/internal/succession"
)

// errStandbyInPostgres is why a command for a pair of servers does not do for PostgreSQL.
var errStandbyInPostgres = errors.New("this installation stores in PostgreSQL, which has replicas of its own: see " +
	"docs/operate/cluster.md")

// Promote makes the standby of a data directory the server. Where the standby runs, it goes on as the
// server; else the next start on the directory does. back makes the server of a directory from which
// another one took over the first again; that one must not run.
func Promote(ctx context.Context, cfg *config.Config, back bool) (p succession.Promotion, running bool, err error) {
	if cfg.Database != "" {
		return p, false, errStandbyInPostgres
	}
	unlock, err := lockExisting(cfg.Data)
	if errors.Is(err, sqlite.ErrLocked) && !back {
		p, err = succession.Ask(ctx, cfg.Data)
		return p, true, err
	}
	if err != nil {
		return p, false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if back {
		p, err = succession.TakeBack(ctx, cfg)
	} else {
		p, err = succession.Promote(ctx, cfg)
	}
	return p, false, home.SetupFault(err)
}

// Demote makes the data directory of a server that was the first that of a standby
// (succession.Demote). No server may run on it.
func Demote(cfg *config.Config, forced bool) (err error) {
	if cfg.Database != "" {
		return errStandbyInPostgres
	}
	unlock, err := lockExisting(cfg.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return succession.Demote(cfg.Data, forced)
}

// lockExisting locks a data directory that is there.
func lockExisting(dir string) (unlock func() error, err error) {
	if !home.Exists(dir) {
		return nil, home.NoDataDirectory(dir)
	}
	unlock, err = sqlite.LockDirectory(dir)
	if errors.Is(err, sqlite.ErrLocked) {
		err = fmt.Errorf("%w: stop it first", err)
	}
	return unlock, err
}
