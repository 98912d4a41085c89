package cli

import (
	"context"
	"fmt"

	"signet/internal/config"
	"signet/internal/offline"
)

type keysCommands struct {
	Rotate   keysRotateCommand   `cmd:"" help:"Wrap the key ring with a new version of the master key."`
	Verify   keysVerifyCommand   `cmd:"" help:"Open everything that is sealed, and print what cannot be opened."`
	Export   keysExportCommand   `cmd:"" help:"Copy the keys that still exist in the key ring."`
	Import   keysImportCommand   `cmd:"" help:"Take over missing keys from a copy of the key ring."`
	Generate keysGenerateCommand `cmd:"" help:"Make a new master key." note:"It is printed, for an environment variable (setting master_key), or written to a new file, for servers that share it. A single server makes its master key at its first start." example:"signet keys generate --out /etc/signet/master.json"`
}

// keysFlags say where a server's keys are, as it is told to the server itself.
type keysFlags struct {
	installation
	Database  string `placeholder:"URL" help:"The server's PostgreSQL database, if it has one [SIGNET_DATABASE]."`
	MasterKey string `placeholder:"WHERE" help:"Its master key, file:PATH or env:NAME [SIGNET_MASTER_KEY]."`
	Keyring   string `placeholder:"WHERE" help:"Its key ring, file:PATH or a PostgreSQL database of its own [SIGNET_KEYRING]."`
}

// ProvideConfig reads the settings for the Run of a command.
func (p *keysFlags) ProvideConfig(con *console) (*config.Config, error) {
	return p.load(con, map[string]string{"database": p.Database, "master_key": p.MasterKey, "keyring": p.Keyring})
}

type keysRotateCommand struct {
	keysFlags
	Prepare bool `help:"Only add a version to the master key's file, for servers that share the key ring; the next rotation starts using it."`
}

func (keysRotateCommand) Help() string {
	return `Servers keep running meanwhile, and nothing that is stored is touched. Run it as the user that the
server runs as.

A master key in a file gets a new version, the key ring is wrapped by it, and the older versions are removed. If
several servers share a key ring in a database, all of them need the new version first: run "signet keys rotate
--prepare", copy the file to every server, then run "signet keys rotate". If the master key is in a variable,
you have to give it the new version yourself.

Example:

  signet keys rotate --data /var/lib/signet`
}

func (k *keysRotateCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	told, err := offline.RotateKeys(ctx, cfg, k.Prepare)
	return con.report(err, "%s\n", told)
}

type keysVerifyCommand struct {
	keysFlags
	Full bool `help:"Read attachments to their end, not only their beginning."`
}

func (keysVerifyCommand) Help() string {
	return `It reads every message, all metadata and every attachment, whether or not servers are running, and
exits with 1 if something cannot be opened. With --data it looks at a copy, such as a backup, with today's key
ring and master key: it then also lists what has been recalled since, because the keys are destroyed.

Example:

  signet keys verify --data /restored --master-key file:/var/lib/signet/master.json --keyring file:/var/lib/signet/keyring`
}

func (k *keysVerifyCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	v, err := offline.VerifyKeys(ctx, cfg, k.Full, func(line string) { con.printf("%s\n", line) })
	if err != nil {
		return err
	}
	con.tellVerified(&v)
	switch {
	case v.Broken > 0 && v.Forged > 0:
		return fmt.Errorf("%d do not open, and %d rows were not written by a server", v.Broken, v.Forged)
	case v.Broken > 0:
		return fmt.Errorf("%d do not open", v.Broken)
	case v.Forged > 0:
		return fmt.Errorf("%d rows were not written by a server", v.Forged)
	}
	return nil
}

// tellVerified prints what opens.
func (c *console) tellVerified(v *offline.Verified) {
	opens := fmt.Sprintf("%d messages, %d attachments and %d metadata open", v.Messages, v.Attachments, v.Metadata)
	if v.Notes > 0 {
		opens += fmt.Sprintf("; so do %d notes of groups", v.Notes)
	}
	if v.Webhooks > 0 {
		opens += fmt.Sprintf("; so do the secrets of %d webhooks", v.Webhooks)
	}
	if v.Providers > 0 {
		opens += fmt.Sprintf("; so do the client secrets of %d providers", v.Providers)
	}
	if v.Held > 0 {
		opens += fmt.Sprintf("; %d of these messages are kept for a legal hold alone", v.Held)
	}
	if v.Ended > 0 {
		opens += fmt.Sprintf("; %d messages have ended, and their keys are destroyed", v.Ended)
	}
	c.printf("%s\n", opens)
	c.printf("%d rows that give access were written by a server\n", v.Rows)
}

type keysExportCommand struct {
	keysFlags
	Target string `arg:"" help:"File, or a PostgreSQL database of its own, to copy to; an older copy is overwritten."`
}

func (keysExportCommand) Help() string {
	return `The copy is as good as the key ring, and is of no use without the master key: keep the two apart, and
both apart from the backups. A key that is destroyed later lives on in the copy until the next copy overwrites
it.

Examples:

  signet keys export /media/safe/keyring
  signet keys export postgres://signet@keys.example.com/keyring`
}

func (k *keysExportCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	n, err := offline.ExportKeys(ctx, cfg, k.Target)
	return con.report(err, "Copied %d keys.\n", n)
}

type keysImportCommand struct {
	keysFlags
	CopyMasterKey string `placeholder:"WHERE" help:"Master key of the copy, file:PATH or env:NAME, if it is older than today's."`
	Source        string `arg:"" help:"Copy of the key ring, as signet keys export wrote it: a file, or a PostgreSQL database of its own."`
}

func (keysImportCommand) Help() string {
	return `For a server whose key ring lacks keys, because an older copy was put in its place: such a server
reports this in the log and on /readyz. Servers keep running meanwhile, and within seconds can read what the
keys open. You may run it again, and with several copies.

Only keys that something in the store is sealed with are imported. Keys that the key ring or the copy knows to
be destroyed do not come back: both remember them for 400 days, so a copy that is older is of no use.

Examples:

  signet keys import /media/safe/keyring --data /var/lib/signet
  signet keys import /media/safe/keyring --copy-master-key file:/media/other/master.json`
}

func (k *keysImportCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	done, err := offline.ImportKeys(ctx, cfg, k.Source, k.CopyMasterKey)
	return con.report(err, "Took over %d keys; %d were there, %d were destroyed and stay so, nothing is sealed with %d.\n",
		done.Added, done.Known, done.Ended, done.Unused)
}

type keysGenerateCommand struct {
	Out string `placeholder:"FILE" help:"New file to write it to, readable by its owner only; nothing is printed."`
}

func (k *keysGenerateCommand) Run(con *console) error {
	text, err := offline.NewMasterKey()
	switch {
	case err != nil:
		return err
	case k.Out == "":
		_, err = con.stdout.Write(text) // with --json too: it is a file
		return err
	}
	return offline.WriteMasterKey(k.Out, text)
}
