package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"time"

	"signet/internal/config"
	"signet/internal/offline"
	"signet/internal/transfer"
)

// installation names one, for commands on its files.
type installation struct {
	File  string `name:"config" placeholder:"FILE" help:"Configuration file of the server [SIGNET_CONFIG]."`
	Data  string `placeholder:"DIR" help:"The server's data directory [SIGNET_DATA, default ./data]."`
	Blobs string `placeholder:"LOCATION" help:"Where the server keeps attachments, if not in the data directory [SIGNET_BLOBS]."`
}

// load reads the settings as a server would; more are further settings by key.
func (i *installation) load(con *console, more map[string]string) (*config.Config, error) {
	given := map[string]string{"data": i.Data, "blobs": i.Blobs}
	maps.Copy(given, more)
	maps.DeleteFunc(given, func(_, value string) bool { return value == "" })
	return loadConfig(config.Sources{File: i.File, Environ: con.env, Flags: given})
}

type backupCommand struct {
	installation
	Target       string `arg:"" help:"Directory to make, or file to make whose name ends in .tar; - writes an archive to standard output."`
	Keep         int    `placeholder:"N" help:"Make the backup in the directory TARGET, under a name of its own, and remove all but the newest N there."`
	WithoutBlobs bool   `help:"Leave attachments and avatars out: if they are in a bucket that is backed up separately."`
}

func (backupCommand) Help() string {
	return `It may run while the server does. It copies the database as it is at one moment, and then the
attachments that the database refers to. It overwrites nothing. operator.json and keys are not part of a backup:
keep copies of them elsewhere.

With --keep the target is a directory of backups, each named by its time (signet-20261121T023000.000Z). Older ones are
removed only after the new one is whole, and nothing else there is touched. The newest that lacks no attachment
stays, even where it is older.

An installation on PostgreSQL is backed up with PostgreSQL's own tools; docs/operate/backup.md says how.

Examples:

  signet backup /var/backups/signet-2026-11-21
  signet backup --keep 7 /var/backups/signet
  signet backup - | age -r RECIPIENT > signet.tar.age`
}

func (b *backupCommand) Run(ctx context.Context, con *console) error {
	cfg, err := b.load(con, nil)
	switch {
	case err != nil:
		return err
	case b.Keep < 0:
		return wrongConfiguration{fmt.Errorf("--keep is %d, want how many backups to keep", b.Keep)}
	case b.Keep > 0 && (b.Target == "-" || strings.HasSuffix(b.Target, ".tar")):
		return wrongConfiguration{errors.New("--keep is for a directory of backups, and not for an archive")}
	case b.Keep > 0:
		return b.keep(ctx, con, cfg)
	}
	return b.write(ctx, con, cfg, b.Target)
}

// keep writes a backup among others, and removes the oldest of these.
func (b *backupCommand) keep(ctx context.Context, con *console, cfg *config.Config) (err error) {
	kept, err := transfer.OpenKept(b.Target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	written := b.write(ctx, con, cfg, kept.Target(time.Now()))
	if written != nil && !errors.Is(written, transfer.ErrLost) {
		return written
	}
	removed, err := kept.Prune(b.Keep)
	for _, name := range removed {
		con.note("removed the backup %s", name)
	}
	return errors.Join(written, err)
}

// write writes a backup, and tells about it.
func (b *backupCommand) write(ctx context.Context, con *console, cfg *config.Config, target string) error {
	out := con.stdout
	if target == "-" {
		out = con.stderr
	}
	m, err := offline.Backup(ctx, cfg, !b.WithoutBlobs, transfer.BackupOptions{
		Target: target, Stream: con.stdout, MadeBy: version(), Progress: con.progress().report,
	})
	if err != nil && !errors.Is(err, transfer.ErrLost) {
		return err
	}
	if con.asJSON {
		return errors.Join(err, json.NewEncoder(out).Encode(m))
	}
	fmt.Fprintf(out, "Backed up %s\n", contents(m))
	if n := len(m.Blobs.Erased); n > 0 {
		fmt.Fprintf(out, "Erased while the backup ran, and so not in it: %d attachments.\n", n)
	}
	for _, id := range m.Blobs.Lost {
		con.note("attachment %s is not in the blob store", id)
	}
	return err
}

// contents says what is in a backup.
func contents(m *transfer.Manifest) string {
	files := "attachments left out"
	if m.Blobs.Included {
		files = fmt.Sprintf("%d attachments and avatars (%s)", m.Blobs.Count, size(m.Blobs.Bytes))
	}
	return fmt.Sprintf("%d accounts, %d messages, %d queued events, %s; database of %s, as it was at %s",
		m.Database.Rows["accounts"], m.Database.Rows["messages"], m.Database.Rows["events"], files, size(m.Database.Bytes),
		moment(m.Time))
}

// size writes a number of bytes for people.
func size(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d bytes", n)
	}
	value, unit := float64(n), 0
	for ; value >= 1024 && unit < 4; unit++ {
		value /= 1024
	}
	return fmt.Sprintf("%.1f %ciB", value, " KMGT"[unit])
}

type restoreCommand struct {
	installation
	Source       string `arg:"" optional:"" help:"Directory or archive that signet backup made; - reads an archive from standard input."`
	KeepGoing    bool   `help:"Restore the undamaged part of a backup whose attachments are damaged or missing, and list the rest."`
	Check        bool   `help:"Only read the backup, and say whether it is whole."`
	WithoutBlobs bool   `help:"Restore only the database: the attachments are already where the setting blobs says."`
	NewEpoch     bool   `help:"Restore nothing: tell the clients of a store that was set back by other means to start over. No server may run."`
	Database     string `placeholder:"URL" help:"With --new-epoch: the server's PostgreSQL database, if it has one [SIGNET_DATABASE]."`
}

func (restoreCommand) Help() string {
	return `A backup is restored into an empty data directory; every byte is checked. Clients that were connected
start over at the beginning of their queues, because the positions that they know belong to another history.

What changed since the backup is undone: keys that have been revoked and messages that have been recalled since
are back, so look through what happened in between.

The key ring and the place of the attachments know which installation they belong to, and in which epoch; a
restore begins another epoch, and so does --new-epoch. A restored store does not start with the key ring and
attachments of the installation that was backed up until "signet adopt" has said that it takes the place of that
installation.

Examples:

  signet restore /var/backups/signet-2026-11-21 --data /var/lib/signet
  signet restore --check /var/backups/signet-2026-11-21
  signet restore --new-epoch --database postgres://signet@db/signet`
}

func (r *restoreCommand) Run(ctx context.Context, con *console) error {
	if r.NewEpoch == (r.Source != "") || r.NewEpoch && r.Check {
		return wrongConfiguration{errors.New("name a backup to restore or to --check, or ask for a --new-epoch")}
	}
	if r.Check {
		return r.check(ctx, con)
	}
	cfg, err := r.load(con, map[string]string{"database": r.Database})
	if err != nil {
		return err
	}
	if r.NewEpoch {
		return beginEpoch(ctx, con, cfg)
	}
	return r.restore(ctx, con, cfg)
}

// check reads a backup, and says whether it is whole.
func (r *restoreCommand) check(ctx context.Context, con *console) error {
	m, err := offline.CheckBackup(ctx, r.Source, con.stdin, con.progress().report)
	if err != nil {
		return err
	}
	con.printf("The backup is whole: %s\n", contents(m))
	return nil
}

// beginEpoch tells the clients of a store that was set back to start over.
func beginEpoch(ctx context.Context, con *console, cfg *config.Config) error {
	if err := offline.NewEpoch(ctx, cfg); err != nil {
		return err
	}
	con.printf("Clients will start over at the beginning of their queues.\n")
	con.printf("A key ring and attachments outside of the data directory still belong to the epoch before: \"signet " +
		"adopt\", with the settings of the server, takes them over; a copy to try something out gets others.\n")
	return nil
}

// restore restores a backup, and says what is left to do.
func (r *restoreCommand) restore(ctx context.Context, con *console, cfg *config.Config) error {
	m, err := offline.Restore(ctx, cfg, !r.WithoutBlobs, transfer.RestoreOptions{
		Source: r.Source, Stream: con.stdin, Progress: con.progress().report, KeepGoing: r.KeepGoing,
	})
	damage := new(transfer.DamageError)
	damaged := errors.As(err, &damage)
	switch {
	case m == nil && damaged && !r.KeepGoing:
		return fmt.Errorf("%w; nothing was restored. Take another backup, or restore what is whole of this one with "+
			"--keep-going", err)
	case m == nil || err != nil && !damaged:
		return err
	}
	for _, file := range damage.Files {
		con.note("damaged: %s", file)
	}
	con.printf("Restored into %s: %s\n", cfg.Data, contents(m))
	con.printf("Put operator.json, the key ring and the master key, which no backup holds, back before the server " +
		"starts. Those outside of the data directory have to be taken over by \"signet adopt\", if this is to take the " +
		"place of the installation that the backup was made of. All of the data directory has to belong to the server's " +
		"user.\n")
	if !m.Blobs.Included || r.WithoutBlobs {
		con.printf("No attachments were restored: they have to be where the setting blobs says.\n")
	}
	if info, fault := os.Stat(cfg.Data); fault == nil && info.Mode().Perm()&0o077 != 0 {
		con.printf("The data directory is open to other users of this machine: chmod 700 %s\n", cfg.Data)
	}
	if damaged {
		return fmt.Errorf("restored without what is damaged or missing: %s", count(len(damage.Files), "file", "files"))
	}
	return nil
}
