package cli

import (
	"context"
	"fmt"
	"time"

	"signet/internal/config"
	"signet/internal/offline"
)

type operatorCreateCommand struct {
	keysFlags
	File string `placeholder:"FILE" help:"File to write the credentials to (default operator-NAME.json in the data directory)."`
	Name string `arg:"" help:"Username of the new operator."`
}

func (operatorCreateCommand) Help() string {
	return `For those who run the server, whether or not it is running. It makes another account that may do
everything, with an administrative key of its own, for each person who needs one. The key is written to a new
file, readable by its owner only: hand it to that person safely, to be used as operator.json in a directory that
--data names, or as SIGNET_API_KEY and SIGNET_API_SECRET. Operators manage everybody's keys but each other's.
Run it as the user that the server runs as.

Example:

  signet operator create maria --data /var/lib/signet`
}

func (o *operatorCreateCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	path, err := offline.CreateOperator(ctx, cfg, o.Name, o.File)
	return con.report(err, "Operator credentials: %s\n", path)
}

type operatorListCommand struct{ dataFlags }

func (operatorListCommand) Help() string {
	return "For those who run the server, whether or not it is running. It prints each operator's username, token, when " +
		"it was made, how many keys it has and when one of them was last used.\n\nExample:\n\n  signet operator list " +
		"--data /var/lib/signet"
}

func (o *operatorListCommand) Run(ctx context.Context, con *console) error {
	all, err := offline.Operators(ctx, o.Data, o.Database)
	if err != nil {
		return err
	}
	rows := make([]listedOperator, len(all))
	for i, op := range all {
		rows[i] = listedOperator{op.Username, op.Account.String(), op.Created, op.Keys, op.LastUsed}
	}
	head := cells("USERNAME", "TOKEN", "CREATED", "KEYS", "LAST USED")
	return table(con, rows, nil, head, func(op listedOperator) string {
		return cells(op.Username, op.Token, moment(op.Created), fmt.Sprint(op.Keys), moment(op.LastUsed))
	})
}

// listedOperator is an operator as the list shows it; LastUsed is zero where no key of it was used.
type listedOperator struct {
	Username string    `json:"username"`
	Token    string    `json:"token"`
	Created  time.Time `json:"created_time"`
	Keys     int       `json:"keys"`
	LastUsed time.Time `json:"last_used_time,omitzero"`
}

type operatorEndCommand struct {
	keysFlags
	Operator string `arg:"" help:"Operator, by username or token."`
}

func (operatorEndCommand) Help() string {
	return `For those who run the server, whether or not it is running. All keys, the password and the streams of
the account end, and it is no longer an operator; running servers notice within a second. The account stays,
with its messages, until "signet account erase". The last operator cannot be ended.

Example:

  signet operator end maria --data /var/lib/signet`
}

func (o *operatorEndCommand) Run(ctx context.Context, _ *console, cfg *config.Config) error {
	return offline.EndOperator(ctx, cfg, o.Operator)
}
