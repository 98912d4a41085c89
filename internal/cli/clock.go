package cli

import (
	"context"
	"fmt"
	"time"

	"signet/internal/offline"
)

type clockCommands struct {
	Show   clockShowCommand   `cmd:"" help:"Print what the clock says, and which time the server knew last." note:"For those who run the server, whether or not it is running. The clock is the database's if there is one, else this machine's." example:"signet clock show --data /var/lib/signet"`
	Accept clockAcceptCommand `cmd:"" help:"Confirm that the clock is right, so that what has expired is erased again."`
}

type clockShowCommand struct{ dataFlags }

func (c *clockShowCommand) Run(ctx context.Context, con *console) error {
	clock, err := offline.ReadClock(ctx, c.Data, c.Database)
	return con.report(err, "%s", describeClock(clock))
}

type clockAcceptCommand struct{ dataFlags }

func (clockAcceptCommand) Help() string {
	return `For those who run the server, when /readyz says that its clock is in doubt although it is right,
because the machine was off or asleep. It works while the server runs, whose next sweep then erases again what
has expired, and also before the first start after a long time.

Whatever has expired according to the clock is then erased for good. Compare the clock with another one first
("date -u").

Example:

  signet clock accept --data /var/lib/signet`
}

func (c *clockAcceptCommand) Run(ctx context.Context, con *console) error {
	clock, err := offline.AcceptClock(ctx, c.Data, c.Database)
	return con.report(err, "%sThe clock counts as right now.\n", describeClock(clock))
}

func describeClock(c offline.Clock) string {
	out := fmt.Sprintf("The clock says %s.\n", clockTime(c.Now))
	if c.Known.IsZero() {
		return out + "No server has noted a time yet.\n"
	}
	out += fmt.Sprintf("The time that was known last is %s (%s).\n", clockTime(c.Known), distance(c.Now.Sub(c.Known)))
	if c.Departed() {
		out += fmt.Sprintf("The clock has been saying something else for %s.\n", c.Spent.Round(time.Minute))
	}
	return out
}

func clockTime(t time.Time) string { return t.Format(time.DateTime) + " UTC" }

func distance(d time.Duration) string {
	if d < 0 {
		return fmt.Sprintf("%s later", (-d).Round(time.Second))
	}
	return fmt.Sprintf("%s ago", d.Round(time.Second))
}
