package offline

import (
	"context"
	"os"
	"time"

	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/store"
	"signet/internal/store/overview"
	"signet/internal/store/presence"
	"signet/internal/sweep"
)

// Stored is how an installation does, as far as its data tells.
type Stored struct {
	Schema        int
	Backlog       overview.Backlog
	Queues        sweep.Queues
	Backup        store.BackupNote // of the embedded store
	Database, Log int64            // bytes of its files
	Nodes         []presence.Node  // those that share the database
}

// StoredStatus reads what the data directory or the database tells, where no server
// answers.
func StoredStatus(ctx context.Context, cfg *config.Config) (s Stored, err error) {
	err = Inspect(ctx, cfg.Data, cfg.Database, func(kept *store.Store) (err error) {
		survey := sweep.NewSurvey(kept, time.Now)
		if s.Backlog, s.Backup, err = survey.Look(ctx); err != nil {
			return err
		}
		if s.Queues, err = survey.Count(ctx); err != nil {
			return err
		}
		s.Schema = store.SchemaVersion()
		if cfg.Database == "" {
			s.Database, s.Log = sizeOf(home.Database(cfg.Data)), sizeOf(home.Database(cfg.Data)+"-wal")
			return nil
		}
		s.Nodes, err = store.Read(ctx, kept, func(tx *store.Tx) ([]presence.Node, error) { return presence.Nodes(tx, 1000) })
		return err
	})
	return s, err
}

// sizeOf is the size of a file, 0 where there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
