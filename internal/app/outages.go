package app

import (
	"context"
	"errors"

	"signet/internal/health"
	"signet/internal/seal"
)

// watchParts says how to find out whether a part answers again, and what the log and the
// metrics say of it until then.
func watchParts(in surroundings, ready func(context.Context) error, ring *seal.Ring, blobs *files) {
	away := "the database does not answer: calls are refused with 503 until it does"
	if in.cfg.Database == "" {
		away = "the store cannot be used (is its disk full?): calls that need it are refused with 503 until it can"
	}
	in.outages.Add(health.Store, away, func(ctx context.Context) error {
		err := ready(ctx)
		if health.MissingPart(err) == "" && !errors.Is(err, context.DeadlineExceeded) {
			return nil // what else is wrong is told elsewhere
		}
		return err
	})
	in.outages.Add(health.Keyring, "the key ring does not answer: what takes a key of it, as each message does, is "+
		"refused with 503 until it does",
		ring.Refresh)
	// The watch of each says when it is back, and ends the warning.
	in.outages.Add(health.Attachments, "the store of attachments does not answer: uploads and downloads are refused "+
		"with 503 until it does; everything else goes on",
		func(context.Context) error {
			if blobs.lookSoon(); in.warnings.Holds(health.Attachments) {
				return errStillAway
			}
			return nil
		})
}

var errStillAway = errors.New("it is still away")
