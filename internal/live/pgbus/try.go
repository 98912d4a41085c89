package pgbus

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Try finds out whether notifications come through the database at a URL: it says one to
// itself, on a channel that nobody else has. Nothing of it stays. It waits 2 s for the notification,
// and for connections as long as ctx lets it. The error says why none came, and repeats no password.
func Try(ctx context.Context, url string) error { return try(ctx, url, ownPace.patience) }

func try(ctx context.Context, url string, patience time.Duration) error {
	config, err := configure(url)
	if err != nil {
		return err
	}
	channel, came := "signet_try_"+rand.Text(), make(chan struct{}, 1)
	quoted := `"` + channel + `"` // or else its letters would be made small ones
	hear, err := dial(ctx, config, func(*pgconn.PgConn) string { return "LISTEN " + quoted },
		func(n *pgconn.Notification) {
			if n.Channel == channel {
				came <- struct{}{}
			}
		})
	if err != nil {
		return err
	}
	defer hangUp(hear)
	defer unlisten(hear)
	say, err := dial(ctx, config, func(*pgconn.PgConn) string { return "NOTIFY " + quoted },
		func(*pgconn.Notification) {})
	if err != nil {
		return err
	}
	hangUp(say)
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for len(came) == 0 {
		err := hear.WaitForNotification(waiting)
		switch {
		case err == nil:
		case waiting.Err() != nil && ctx.Err() == nil:
			return errUnheard
		default:
			return err
		}
	}
	return nil
}
