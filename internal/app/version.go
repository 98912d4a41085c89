package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"signet/internal/store"
	"signet/internal/store/schema"
)

// versionTick is how often a server on a shared store asks whether a newer one has
// brought the data to a version that it cannot work with.
const versionTick = time.Second

// upgrade brings the data up to date.
func upgrade(ctx context.Context, in surroundings, engine store.Engine, to schema.Schema) error {
	var began time.Time
	err := store.Upgrade(ctx, engine, to, store.Upgrading{Clock: in.clock, Begin: func(from int) error {
		began = time.Now()
		in.log.Info("the data is brought up to date: the server answers when that is done", "version", from, "to",
			to.Version())
		return nil
	}})
	if err == nil && !began.IsZero() {
		in.log.Info("the data is up to date", "version", to.Version(), "took", time.Since(began).Round(time.Millisecond))
	}
	return err
}

// nodeName is what a server is called among others: its machine, and its process there.
func nodeName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "a machine without a name"
	}
	return fmt.Sprintf("%s (process %d)", host, os.Getpid())
}

// outdated is an error where a newer server has made of a shared store what this one
// cannot work with. The embedded store is this server's alone.
func outdated(ctx context.Context, in surroundings, kept *store.Store) error {
	if in.cfg.Database == "" {
		return nil
	}
	return kept.Outdated(ctx)
}

// watchVersion asks so until ctx ends, and returns what says that the server has to.
func watchVersion(ctx context.Context, in surroundings, kept *store.Store) error {
	if in.cfg.Database == "" {
		return nil
	}
	tick := time.NewTicker(versionTick)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		// That the store is away for a while is for readiness to tell.
		if old := new(store.OutdatedError); errors.As(outdated(ctx, in, kept), &old) {
			return old
		}
	}
}
