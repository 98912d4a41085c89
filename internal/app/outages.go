package app

import (
	"context"
	"errors"

	"signet/internal/blob"
	"signet/internal/health"
	"signet/internal/seal"
	"signet/internal/service"
)

// watchParts says how to find out that what was away is back, and what is told of it
// until then.
func watchParts(in surroundings, ready func(context.Context) error, ring *seal.Ring, blobs blob.Store) {
	away := "the database does not answer: calls are refused with 503 until it does"
	if in.cfg.Database == "" {
		away = "the store cannot be used (is its disk full?): calls that need it are refused with 503 until it can"
	}
	in.outages.Add(health.Store, away, func(ctx context.Context) error {
		err := ready(ctx)
		if service.MissingPart(err) == "" && !errors.Is(err, context.DeadlineExceeded) {
			return nil // what else is wrong is told elsewhere
		}
		return err
	})
	in.outages.Add(health.Keyring, "the key ring does not answer: what takes a key of it, as each message does, is refused with 503 until it does",
		ring.Refresh)
	in.outages.Add(health.Attachments, "the store of attachments does not answer: uploads and downloads are refused with 503 until it does; everything else goes on",
		blobs.Check)
}
