package cli

import (
	"context"
	"errors"

	"signet/internal/maintain"
)

var errNegativeLimit = errors.New("a limit is 0 (none) or more")

type keyLimitCommand struct {
	Key               string `arg:"" help:"Name of the key."`
	Data              string `default:"./data" env:"SIGNET_DATA" placeholder:"DIR" help:"The server's data directory (default ./data)."`
	Database          string `env:"SIGNET_DATABASE" placeholder:"URL" help:"The server's PostgreSQL database, where it has one."`
	MessagesPerDay    *int   `placeholder:"N" help:"Daily limit of messages; 0 is none. Without it, the server's own."`
	RequestsPerSecond *int   `placeholder:"N" help:"Limit of requests a second; 0 is none. Without it, the server's own."`
}

// Help is printed by "signet key limit --help".
func (keyLimitCommand) Help() string {
	return "For who runs the server: it changes the data directory or the database itself, while the server runs or " +
		"not.\n\nExample:\n\n  signet key limit KEY --messages-per-day 10000"
}

// Run sets the limits.
func (k *keyLimitCommand) Run(ctx context.Context, con *console) error {
	for _, limit := range []*int{k.MessagesPerDay, k.RequestsPerSecond} {
		if limit != nil && *limit < 0 {
			return wrongConfiguration{errNegativeLimit}
		}
	}
	return maintain.LimitKey(ctx, k.Data, k.Database, k.Key, k.MessagesPerDay, k.RequestsPerSecond)
}
