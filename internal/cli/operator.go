package cli

import (
	"context"

	"signet/internal/config"
	"signet/internal/offline"
)

type operatorCommands struct {
	Create operatorCreateCommand `cmd:"" help:"Make one more operator."`
	List   operatorListCommand   `cmd:"" help:"List the operators."`
	End    operatorEndCommand    `cmd:"" help:"End an operator and all that opens its account."`
	Reset  operatorResetCommand  `cmd:"" help:"End all credentials of the operator and write new ones to operator.json."`
}

type operatorResetCommand struct {
	keysFlags
	Operator string `arg:"" optional:"" help:"Operator, by username; without one, the first."`
}

func (operatorResetCommand) Help() string {
	return `For those who run the server, when the operator's key is lost or in the wrong hands: it changes the data
directory or the database itself, while the server runs or not. All keys of the operator account end, its password
too, and operator.json gets a new key; where another operator than the first is named, operator-NAME.json does. A
server that runs takes it over within a second. Run as root, it leaves the file to the owner of the data directory.

Example:

  signet operator reset --data /var/lib/signet`
}

func (o *operatorResetCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	path, err := offline.ResetOperator(ctx, cfg, o.Operator)
	return con.report(err, "Operator credentials: %s\n", path)
}
