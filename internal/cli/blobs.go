package cli

import (
	"context"
	"errors"

	"signet/internal/config"
	"signet/internal/offline"
)

type blobsCommands struct {
	Prune blobsPruneCommand `cmd:"" help:"Count the files that nothing refers to, and remove them."`
}

type blobsPruneCommand struct {
	installation
	Database string `placeholder:"URL" help:"The server's PostgreSQL database, if it has one [SIGNET_DATABASE]."`
	Confirm  bool   `help:"Remove them for good; without it they are only counted."`
}

func (blobsPruneCommand) Help() string {
	return `For those who run the server, whether or not it is running. A server removes by itself what was
uploaded but not sent, as long as this is at most 100 files, or one in a hundred; if there are more, it leaves
them all, and reports this. Before you remove them, make sure that the database belongs to these files and is as
new as they are: another installation may need what nothing refers to here.

Example:

  signet blobs prune --data /var/lib/signet --confirm`
}

// ProvideConfig reads the settings for Run.
func (b *blobsPruneCommand) ProvideConfig(con *console) (*config.Config, error) {
	return b.load(con, map[string]string{"database": b.Database})
}

func (b *blobsPruneCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	pruned, err := offline.PruneBlobs(ctx, cfg, b.Confirm)
	if err != nil {
		return errors.Join(err, con.lines(count(pruned.Removed, "file removed", "files removed")))
	}
	con.printf("nothing refers to %d of %s\n", pruned.Unreferenced, count(pruned.Files, "file", "files"))
	if b.Confirm {
		con.printf("%s\n", count(pruned.Removed, "file removed", "files removed"))
	} else if pruned.Unreferenced > 0 {
		con.printf("nothing was removed; with --confirm they are\n")
	}
	return nil
}
