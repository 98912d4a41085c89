package offline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"signet/internal/blob"
	"signet/internal/custody"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/store/postgres"
	"signet/internal/store/sqlite"
	"signet/internal/succession"
	"signet/internal/transfer"
)

// Migration says what to move where.
type Migration struct {
	From      string // data directory
	FromBlobs string // where its attachments are, as in the setting; empty: in it
	To        string // address of the database
	ToBlobs   string // where attachments go, as in the setting; empty: they stay
	Progress  transfer.Progress
}

// BlobsLocation is where the attachments are afterwards, for the setting of the servers.
func (m *Migration) BlobsLocation() string {
	if m.ToBlobs != "" {
		return m.ToBlobs
	}
	return home.Blobs(home.Absolute(m.From), m.FromBlobs)
}

// Migrate copies a stopped installation on the embedded store into a PostgreSQL database
// (transfer.Migrate).
func Migrate(ctx context.Context, m Migration) (_ *transfer.Migrated, err error) {
	if err := succession.WantFirst(m.From); err != nil {
		return nil, err
	}
	from := transfer.Installation{Database: home.Database(m.From)}
	if !home.Exists(from.Database) {
		return nil, home.NoDataDirectory(m.From)
	}
	unlock, err := sqlite.LockDirectory(m.From)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if from.Blobs, err = blob.OpenExisting(home.Blobs(m.From, m.FromBlobs)); err != nil {
		return nil, fmt.Errorf("the attachments of the source: %w", err)
	}
	defer func() { err = errors.Join(err, from.Blobs.Close()) }()
	o := transfer.MigrateOptions{Clock: time.Now, Progress: m.Progress}
	if m.ToBlobs != "" && m.ToBlobs != m.FromBlobs {
		if o.Blobs, err = blob.Open(m.ToBlobs); err != nil {
			return nil, fmt.Errorf("the attachments of the target: %w", err)
		}
		defer func() { err = errors.Join(err, o.Blobs.Close()) }()
		o.Check = func(self model.Identity) error {
			mark, err := o.Blobs.Owner(ctx)
			if err != nil {
				return err
			}
			if fit := mark.Fit(self); fit.Refused() {
				return home.Misconfigured{Err: &custody.NotOurs{What: custody.BlobsAt(o.Blobs.String()), Mark: mark, Store: self,
					Fit: fit}}
			}
			return nil
		}
	}
	to, err := postgres.Open(ctx, m.To, postgres.Options{Connections: 2})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if o.AuditKey, err = home.AuditKeyText(ctx, m.From, "", nil); err != nil {
		return nil, fmt.Errorf("read the audit key: %w", err)
	}
	did, err := transfer.Migrate(ctx, from, to, o)
	if err != nil && !errors.Is(err, transfer.ErrLost) {
		return did, err
	}
	return did, errors.Join(err, home.NoteMoved(m.From, m.To))
}
