package cli

import (
	"context"

	"signet/internal/config"
	"signet/internal/offline"
)

type operatorCommands struct {
	Create operatorCreateCommand `cmd:"" help:"Make another operator."`
	List   operatorListCommand   `cmd:"" help:"List the operators."`
	End    operatorEndCommand    `cmd:"" help:"End an operator, and everything that gives access to its account."`
	Reset  operatorResetCommand  `cmd:"" help:"End all credentials of the operator and write new ones to operator.json."`
}

type operatorResetCommand struct {
	keysFlags
	Operator string `arg:"" optional:"" help:"Operator, by username; without one, the first."`
}

func (operatorResetCommand) Help() string {
	return `For those who run the server, when the operator's key is lost or in the wrong hands: it works directly
on the data directory or the database, whether or not the server is running. All keys, passkeys and webhooks of the
operator account and its password end, and operator.json gets a new key; if you name an operator other than the
first, operator-NAME.json does. A running server notices within a second. If root runs it, the file belongs to the
owner of the data directory.

Example:

  signet operator reset --data /var/lib/signet`
}

func (o *operatorResetCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	path, err := offline.ResetOperator(ctx, cfg, o.Operator)
	return con.report(err, "Operator credentials: %s\n", path)
}
