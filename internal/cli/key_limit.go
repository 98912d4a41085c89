package cli

import (
	"context"
	"errors"

	"signet/client"
	"signet/internal/config"
	"signet/internal/model"
	"signet/internal/offline"
)

type keyLimitCommand struct {
	keysFlags
	Key               string `arg:"" help:"Name of the key."`
	User              string `default:"me" placeholder:"ADDRESS" help:"Account that it belongs to; without one, the operator's own. Without a server the key is enough."`
	MessagesPerDay    string `placeholder:"N" help:"Daily limit of messages; 0 is none, default is the server's own. Without it, the limit stays as it is."`
	RequestsPerSecond string `placeholder:"N" help:"Limit of requests a second; 0 is none, default is the server's own. Without it, the limit stays as it is."`
}

func (keyLimitCommand) Help() string {
	return `Keys that an account issued itself with this one, or got by signing in with it, share its limits.

It asks the server, with an operator's key. If SIGNET_URL is not set and no server answers, it changes the data
directory or the database.

Examples:

  signet key limit 4Q2ZPX... --user lab@example.com --messages-per-day 10000
  signet key limit 4Q2ZPX... --user lab@example.com --messages-per-day default`
}

func (k *keyLimitCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	var limits offline.KeyLimits
	for _, l := range []struct {
		text string
		into *model.LimitChange
	}{{k.MessagesPerDay, &limits.MessagesPerDay}, {k.RequestsPerSecond, &limits.RequestsPerSecond}} {
		if l.text == "" {
			continue
		}
		var ok bool
		if *l.into, ok = model.ParseLimitChange(l.text); !ok {
			return wrongConfiguration{errors.New("a limit is a number of 0 (none) or more, or the word default")}
		}
	}
	c, err := (&dataFlags{Data: cfg.Data}).server(ctx, con)
	if err != nil {
		return err
	}
	if c != nil {
		return c.LimitKey(ctx, k.User, k.Key, client.KeyLimits{MessagesPerDay: k.MessagesPerDay,
			RequestsPerSecond: k.RequestsPerSecond})
	}
	return offline.LimitKey(ctx, cfg, k.Key, limits)
}
