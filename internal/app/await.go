package app

import (
	"context"
	"time"

	"signet/internal/health"
)

// await opens what a start needs of another machine, and waits for it while it is
// away: after a power cut the database may come up last, and a supervisor backs off
// by minutes from a server that ends. What waiting does not mend, such as a wrong
// password, is an error at once. It is told once that the start waits, and once that
// it goes on.
func await[T any](ctx context.Context, in surroundings, what string, open func() (T, error)) (T, error) {
	var since time.Time
	for {
		part, err := open()
		switch {
		case health.MissingPart(err) == "" || ctx.Err() != nil:
			if err == nil && !since.IsZero() {
				in.log.Info(what+" answers: the start goes on", "waited", time.Since(since).Round(time.Millisecond))
			}
			return part, err
		case since.IsZero():
			since = time.Now()
			in.log.Warn(what+" does not answer: the start waits for it", "error", err)
		}
		select {
		case <-time.After(in.pace.await()):
		case <-ctx.Done():
			return part, ctx.Err()
		}
	}
}
