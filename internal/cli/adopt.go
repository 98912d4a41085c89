package cli

import (
	"context"

	"signet/internal/config"
	"signet/internal/offline"
)

type adoptCommand struct {
	keysFlags
	Confirm []string `placeholder:"EPOCH" help:"Epoch of the installation that they belonged to, which the command prints if this is left out."`
}

func (adoptCommand) Help() string {
	return `The key ring and the place of the attachments belong to one installation in one epoch, and a server
refuses those of another: two installations would destroy each other's keys and files. After a restore (or
"signet restore --new-epoch") that takes the place of an installation that is gone, this command hands them over
to the store that you name; the former installation no longer starts with them. Without --confirm it only says
whose they are.

No server may run on the store. Give a trial a copy of the key ring ("signet keys export"), and a place of its
own for attachments; it may adopt these, because nobody else uses them.

Examples:

  signet adopt --data /var/lib/signet
  signet adopt --data /var/lib/signet --confirm=7Yc0aQkd`
}

func (a *adoptCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	did, err := offline.Adopt(ctx, cfg, a.Confirm)
	verb := "Takes over "
	if did.Done {
		verb = "Took over "
	}
	for _, from := range did.From {
		con.printf("%s%s from %s\n", verb, from.What, from.Mark.String())
	}
	if err == nil && len(did.From) == 0 {
		con.printf("The key ring and the attachments belong to this store.\n")
	}
	return err
}
