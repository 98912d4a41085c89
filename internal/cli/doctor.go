package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"signet/internal/commandline"
	"signet/internal/config"
	"signet/internal/doctor"
)

type doctorCommand struct {
	serverSettings
	Here      bool          `help:"Look at the installation that the settings name, also where SIGNET_URL is set."`
	BackupAge time.Duration `name:"backup-age" placeholder:"TIME" help:"Report it when the last backup of the embedded store is older, such as 26h, or when there is none."`
}

func (doctorCommand) Help() string {
	return `It looks at an installation, and prints what is wrong and what to do about it, the worst first: settings
and the files that they name, certificates, the data directory or the database, the key ring, the place of the
attachments, the disk, the clock, backups, NATS, and what the server says of itself. It changes nothing, whether
or not a server is running, and it repeats no password.

It takes the settings of "signet serve". Run it on the server's machine, as the server's user or as root, with the
server's environment. With SIGNET_URL it asks the server there, and looks at nothing else; with an operator's
SIGNET_API_KEY and SIGNET_API_SECRET that server tells more. In a container whose environment has SIGNET_URL for
other commands, say --here.

The exit code is 0 if all is well or there are only notes, 1 if there is an error or a warning, and 2 if the
settings cannot be read. Each finding has a code, which docs/operate/doctor.md explains.

Example:

  signet doctor --data /var/lib/signet --backup-age 26h`
}

func (c *doctorCommand) Run(ctx context.Context, con *console) error {
	found, err := c.examine(ctx, con)
	if fault := ctx.Err(); fault != nil {
		return fault
	}
	if con.asJSON {
		err = errors.Join(con.json(map[string][]doctor.Finding{"findings": append([]doctor.Finding{}, found...)}), err)
	} else {
		con.printf("%s", findingText(found))
	}
	return err
}

// examine looks at what the settings name, or at a server elsewhere. The error says how bad it is.
func (c *doctorCommand) examine(ctx context.Context, con *console) ([]doctor.Finding, error) {
	sources := c.sources(con)
	if at := con.env.Variable(commandline.URLVariable); at != "" && !c.Here {
		return judged(doctor.ExamineServer(remoteServer(ctx, con, at, sources.Flags["data"]), time.Now()))
	}
	cfg, err := config.Load(sources)
	if err != nil {
		found, err := judged(doctor.Settings(strings.Split(err.Error(), "\n")))
		return found, wrongConfiguration{err}
	}
	return judged(doctor.Examine(ctx, doctor.Options{Config: cfg, Getenv: con.env.Variable,
		Server: localServer(ctx, con, cfg), Now: time.Now(), BackupAge: c.BackupAge}))
}

// judged returns findings with an error where one of them is worse than a note.
func judged(found []doctor.Finding) ([]doctor.Finding, error) {
	n := map[doctor.Severity]int{}
	for _, f := range found {
		n[f.Severity]++
	}
	if n[doctor.Error]+n[doctor.Warning] == 0 {
		return found, nil
	}
	return found, errors.New(count(n[doctor.Error], "error", "errors") + ", " +
		count(n[doctor.Warning], "warning", "warnings"))
}

// findingText is findings for people.
func findingText(found []doctor.Finding) string {
	if len(found) == 0 {
		return "Nothing is wrong.\n"
	}
	var out strings.Builder
	for _, f := range found {
		fmt.Fprintf(&out, "%s %s: %s\n  -> %s\n", f.Severity, f.Code, commandline.Plain(f.Problem), f.Remedy)
	}
	return out.String()
}
