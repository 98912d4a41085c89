package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"signet/internal/offline"
	"signet/internal/transfer"
)

type migrateCommand struct {
	From      string `default:"./data" placeholder:"DIR" help:"Data directory to move, whose server is stopped (default ./data)."`
	FromBlobs string `placeholder:"LOCATION" help:"Where its attachments are, if elsewhere: what the server had as --blobs."`
	To        string `env:"SIGNET_DATABASE" placeholder:"URL" help:"Empty PostgreSQL database to move to [SIGNET_DATABASE]."`
	Blobs     string `placeholder:"LOCATION" help:"Where to copy the attachments: a directory or a bucket. Without it, they stay where they are."`
}

func (migrateCommand) Help() string {
	return `Stop the server on the data directory first. The command copies everything, then compares it row by row
and byte by byte; it only reads the old data, and marks its directory as moved. If it is interrupted, run it
again, and it continues where it stopped; until it has finished, no server starts on the database.

Clients notice only the pause: accounts, keys, queues and the clients' positions in them stay the same.

Example:

  signet migrate --from /var/lib/signet --to 'postgres://signet@db/signet?sslmode=verify-full' --blobs 's3://signet?endpoint=s3.example.com'`
}

func (m *migrateCommand) Run(ctx context.Context, con *console) error {
	if m.To == "" {
		return wrongConfiguration{errors.New("name the database to move to: --to postgres://user@host/name, or " +
			"SIGNET_DATABASE")}
	}
	if !strings.HasPrefix(m.To, "postgres://") && !strings.HasPrefix(m.To, "postgresql://") {
		return wrongConfiguration{errors.New("--to is the URL of a PostgreSQL database, such as " +
			"postgres://signet@db.example.com/signet?sslmode=verify-full")}
	}
	work := offline.Migration{From: m.From, FromBlobs: m.FromBlobs, To: m.To, ToBlobs: m.Blobs,
		Progress: con.progress().report}
	did, err := offline.Migrate(ctx, work)
	if err != nil && !errors.Is(err, transfer.ErrLost) {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted; the same command goes on where this one stopped: %w", err)
		}
		return err
	}
	switch {
	case did.Before:
		con.printf("Everything was moved into this database before; nothing is left to do.\n")
	case did.Resumed > 0:
		con.printf("Gone on after %d rows that were copied before.\n", did.Resumed)
		fallthrough
	default:
		con.printf("Moved and compared %d rows, %d attachments and avatars (%s).\n", did.Rows, did.Blobs, size(did.Bytes))
	}
	con.printf("Start the servers with the new database and --blobs '%s'. The key ring, the master key and "+
		"operator.json are where they were.\n", withoutSecret(work.BlobsLocation()))
	con.printf("Start no server on %s any more: what it would take would be in no other place.\n", m.From)
	for _, id := range did.Lost {
		con.note("attachment %s was not in the blob store", id)
	}
	return err
}

// withoutSecret leaves the credentials out of the location of a bucket.
func withoutSecret(location string) string {
	scheme, rest, found := strings.Cut(location, "://")
	if _, bucket, secret := strings.Cut(rest, "@"); found && secret {
		return scheme + "://KEY:SECRET@" + bucket
	}
	return location
}
