package cli

import (
	"context"
	"errors"
	"net/http"
	"time"

	"signet/internal/config"
	"signet/internal/offline"
	"signet/internal/succession"
)

const (
	// promotedTime is how long a command waits for the server that a standby becomes.
	promotedTime = time.Minute
	promotedLook = 100 * time.Millisecond
)

type promoteCommand struct {
	serverSettings
	Fenced bool `help:"Take over again from the server that took over from this one, and drop what only that one has."`
}

func (promoteCommand) Help() string {
	return `Run it on the standby's machine, with the settings of the standby. If the standby runs, it goes on as the
server; else the next "signet serve" does. The server that it followed is told to confirm nothing any more, if it
can be reached: then nothing that it confirmed is lost. Otherwise what it confirmed in its last second may be
missing, and it is told as soon as it is back. Clients start over at the beginning of their queues.

With --fenced, on the machine of a server that was the first, that one is the first again, in its own state.

Examples:

  signet promote --data /var/lib/signet
  signet promote --config /etc/signet/signet.yaml`
}

func (p *promoteCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	done, running, err := offline.Promote(ctx, cfg, p.Fenced)
	if err != nil {
		return err
	}
	tellPromotion(con, &done)
	if !running {
		con.printf("Start the server: \"signet serve\" with these settings.\n")
		return nil
	}
	return awaitServer(ctx, con, cfg)
}

// tellPromotion says what is there, and what may not be.
func tellPromotion(con *console, done *succession.Promotion) {
	con.printf("Promoted: the first of term %d\n", done.Term)
	switch {
	case done.All:
		con.printf("The server before confirms nothing any more, and all that it confirmed is here.\n")
	case done.Fenced && !done.AsOf.IsZero():
		con.printf("The server before confirms nothing any more. All that it confirmed until %s is here.\n",
			instant(done.AsOf))
	case done.Fenced:
		con.printf("The server before confirms nothing any more.\n")
	default:
		if !done.AsOf.IsZero() {
			con.printf("All that the server before confirmed until %s is here.\n", instant(done.AsOf))
		}
		con.printf("That server could not be told (%s). It is told once both run; until then see that it is off.\n",
			done.Reason)
	}
	switch {
	case done.Lacks > 0:
		con.printf("Not copied yet, and missing: %s\n", count(done.Lacks, "file", "files"))
	case done.Lacks < 0:
		con.printf("Attachments were not compared with those of that server since the last connection: some may be missing " +
			"(\"signet keys verify\" names them).\n")
	}
}

// instant writes a time to the millisecond, as scripts compare it.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// awaitServer waits until the server that the standby becomes is ready.
func awaitServer(ctx context.Context, con *console, cfg *config.Config) error {
	url, transport, err := ownAddress(cfg)
	if err != nil { // port 0: the server's own output says where it is
		return nil
	}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, promotedTime)
	defer cancel()
	tick := time.NewTicker(promotedLook)
	defer tick.Stop()
	for {
		code, _, err := ask(ctx, transport, url+"/readyz", 1000)
		if err == nil && code == http.StatusOK {
			con.printf("It is ready at %s\n", url)
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(errors.New("it was promoted, and is not ready; its log says why"), err)
		}
	}
}

type demoteCommand struct {
	installation
	Force bool `help:"Also where no other server has told this one that it took over."`
}

func (demoteCommand) Help() string {
	return `After another server took over, this one does not start any more. The command makes its directory that of a
standby: start it with standby_of, and it follows the other one. What is the same on both is not copied again.

What only this server has, which it confirmed and the other one never got, is dropped once it follows. To look at
it, take a backup first ("signet backup").

Example:

  signet demote --data /var/lib/signet`
}

func (d *demoteCommand) Run(con *console) error {
	cfg, err := d.load(con, nil)
	if err != nil {
		return err
	}
	return con.report(offline.Demote(cfg, d.Force), "%s is the directory of a standby now. Start it with standby_of.\n",
		cfg.Data)
}
