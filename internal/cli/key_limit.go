package cli

import (
	"context"
	"errors"

	"signet/internal/config"
	"signet/internal/maintain"
)

type keyLimitCommand struct {
	keysPlace
	Key               string `arg:"" help:"Name of the key."`
	MessagesPerDay    *int   `placeholder:"N" help:"Daily limit of messages; 0 is none. Without it, the server's own."`
	RequestsPerSecond *int   `placeholder:"N" help:"Limit of requests a second; 0 is none. Without it, the server's own."`
}

func (k *keyLimitCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	for _, limit := range []*int{k.MessagesPerDay, k.RequestsPerSecond} {
		if limit != nil && *limit < 0 {
			return wrongConfiguration{errors.New("a limit is 0 (none) or more")}
		}
	}
	return maintain.LimitKey(ctx, cfg, k.Key, k.MessagesPerDay, k.RequestsPerSecond)
}
