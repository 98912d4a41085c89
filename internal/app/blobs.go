package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/store"
)

const (
	// blobsCheck is how often the blob store is asked whether it is there.
	blobsCheck = 15 * time.Second
	// blobsTimeout is how long it may take to say so.
	blobsTimeout = 10 * time.Second
)

// openBlobs opens the store of attachments and avatars. watch tells the log and the
// metrics whether it is there, until its context ends: readiness does not depend on
// it, because everything but files works without.
func openBlobs(in surroundings) (blobs blob.Store, watch func(context.Context), err error) {
	up := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "signet_blobs_up",
		Help: "1 when the store of attachments and avatars answered the last time that it was asked, 0 when not.",
	})
	if in.metrics != nil {
		if err := in.metrics.Register(up); err != nil {
			return nil, nil, err
		}
	}
	if blobs, err = blob.Open(blobsLocation(in.dir, in.cfg.Blobs)); err != nil {
		return nil, nil, err
	}
	return blobs, func(ctx context.Context) { watchBlobs(ctx, in, blobs, up) }, nil
}

// warnOfOwnBlobs tells of files that only this server sees, where there are others.
func warnOfOwnBlobs(ctx context.Context, in surroundings, kept *store.Store) error {
	if in.cfg.Database == "" || in.cfg.Blobs != "" {
		return nil
	}
	var others int
	err := kept.View(ctx, func(tx *store.Tx) (err error) {
		others, err = tx.OtherNodes(model.NodeID{}, in.clock())
		return err
	})
	if err == nil && others > 0 {
		in.log.Warn("other servers use this database, and attachments are kept in this one's data directory, which they may not see: give all of them the same blobs",
			"other_servers", others)
	}
	return err
}

func watchBlobs(ctx context.Context, in surroundings, blobs blob.Store, up prometheus.Gauge) {
	tick := time.NewTicker(blobsCheck)
	defer tick.Stop()
	there := true
	for {
		err := checkBlobs(ctx, blobs)
		if ctx.Err() != nil {
			return
		}
		switch {
		case err != nil && there:
			in.log.Error("the store of attachments does not answer; everything else goes on", "error", err)
		case err == nil && !there:
			in.log.Info("the store of attachments answers again")
		}
		if there = err == nil; there {
			up.Set(1)
		} else {
			up.Set(0)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func checkBlobs(ctx context.Context, blobs blob.Store) error {
	ctx, cancel := context.WithTimeout(ctx, blobsTimeout)
	defer cancel()
	return blobs.Check(ctx)
}
