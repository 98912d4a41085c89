package cli

import (
	"context"
	"errors"
	"fmt"

	"signet/internal/handover"
)

type upgradeCommand struct {
	File string `name:"config" placeholder:"FILE" help:"Configuration file of the server [SIGNET_CONFIG]."`
	Data string `placeholder:"DIR" help:"The server's data directory [SIGNET_DATA, default ./data]."`
}

func (upgradeCommand) Help() string {
	return `Put the new version of the program in the place of the old one first. The running server then starts it,
with its own flags and environment, and hands over to it: requests that come meanwhile wait for a moment, and
none is refused. If the new version cannot start, the old one goes on, and the command says why and exits with 1.
Where no server runs that hands over, as a standby never does, it exits with 6.

Run it as the user that the server runs as, or as root. SIGUSR2 to the server does the same, and waits for
nothing. A server that is to have other flags or another environment is started by "signet serve --take-over".

Example:

  install -m 0755 signet-1.3.0 /usr/local/bin/signet && signet upgrade --data /var/lib/private/signet`
}

func (u *upgradeCommand) Run(ctx context.Context, con *console) error {
	where := installation{File: u.File, Data: u.Data}
	cfg, err := where.load(con, nil)
	if err != nil {
		return err
	}
	version, process, err := handover.Upgrade(ctx, cfg.Data)
	switch {
	case errors.Is(err, handover.ErrNobody):
		return fmt.Errorf("%s: %w", cfg.Data, err)
	case err != nil:
		return fmt.Errorf("the server was not replaced, and goes on: %w", err)
	}
	con.printf("Version %s serves, as process %d\n", version, process)
	return nil
}
