package app

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"signet/internal/blob"
	"signet/internal/custody"
	"signet/internal/health"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/presence"
)

const (
	// blobsCheck is how often the blob store is asked whether it is there.
	blobsCheck = 15 * time.Second
	// blobsTimeout is how long it may take to say so.
	blobsTimeout = 10 * time.Second
	// blobsPatience is how long a start waits for it.
	blobsPatience = 3 * time.Second
)

// The topics of what the operator is told of files.
const (
	topicFilesAway = health.Attachments
	topicFilesLost = "attachments_missing"
)

// files is the store of attachments and avatars of a running server, which is watched:
// readiness does not depend on it, because everything but files works without.
type files struct {
	*blob.Present
	in   surroundings
	kept *store.Store
	up   atomic.Bool
	look chan struct{} // asks the watch to look now

	// The watch's own.
	sample []model.BlobID // files that are looked for, until all of them are there
	sought bool           // the sample was taken
	said   string         // why the store is away, as it was logged
}

// openBlobs opens the store of attachments and avatars. One that is away is no reason
// not to start.
func openBlobs(ctx context.Context, in surroundings, kept *store.Store, of *pair) (*files, error) {
	at, err := blob.At(home.Blobs(in.dir, in.cfg.Blobs))
	if err != nil {
		return nil, err
	}
	f := &files{in: in, kept: kept, look: make(chan struct{}, 1)}
	at = of.watch(at, f.lookSoon)
	f.Present = blob.WhilePresent(blob.Traced(at), f.lookSoon)
	if in.metrics != nil {
		if err := in.metrics.Register(gauge("signet_blobs_up", "1 when the store of attachments and avatars answered "+
			"the last time that it was asked, 0 when not.", nil, func() float64 { return oneIf(f.up.Load()) })); err != nil {
			return nil, errors.Join(err, at.Close())
		}
	}
	patient, cancel := context.WithTimeout(ctx, blobsPatience)
	defer cancel()
	f.check(patient)
	return f, nil
}

// lookSoon asks the watch to look before its time, where a call found the files away.
func (f *files) lookSoon() {
	select {
	case f.look <- struct{}{}:
	default:
	}
}

// watch tells the log, the metrics and the operator how the files are, until ctx ends.
func (f *files) watch(ctx context.Context) {
	tick := time.NewTicker(blobsCheck)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-f.look:
		case <-ctx.Done():
			return
		}
		limited, cancel := context.WithTimeout(ctx, blobsTimeout)
		f.check(limited)
		cancel()
	}
}

// check looks once whether the files are there.
func (f *files) check(ctx context.Context) {
	err := f.recognize(ctx)
	if err == nil {
		err = f.Present.Check(ctx)
	}
	if err == nil {
		err = f.lookForLost(ctx)
	}
	switch {
	case err == nil:
		f.said = ""
		f.up.Store(true)
		f.in.warnings.Clear(topicFilesAway)
	case errors.Is(err, context.Canceled), errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrClosed):
		// The server stops, or it is the database that is away: nothing is known of the files.
	default:
		f.up.Store(false)
		f.in.warnings.Set(topicFilesAway, "the store of attachments does not answer: files can neither be kept nor read, "+
			"everything else goes on; mount the volume or mend the bucket that the setting blobs names (the log has the reason)")
		if text := err.Error(); text != f.said {
			f.said = text
			f.in.log.Warn("the store of attachments does not answer", "error", err)
		}
	}
}

// recognize begins a place that was not begun: a new one while the store refers to no
// file, and else one that has the files, copied by hand.
func (f *files) recognize(ctx context.Context) error {
	if begun, err := f.Begun(ctx); begun || err != nil {
		return err
	}
	for {
		sample, err := custody.SampleFiles(ctx, f.kept, f.in.clock())
		if err != nil {
			return err
		}
		found, lost, err := custody.LookForFiles(ctx, f.kept, f.Present.Store, sample)
		switch {
		case err != nil:
			return err
		case found > 0 || len(sample) == 0:
			return f.Begin(ctx)
		case len(lost) > 0:
			return fmt.Errorf("%w: none of the %d files that were looked for is there, and no mark says that it is the place: "+
				"mount its volume, or set blobs to where the files are; if they are lost for good, put an empty file %s there, "+
				"and the server goes on without them",
				blob.ErrUnavailable, len(sample), blob.MarkName)
		}
		// All of them were recalled meanwhile, which says nothing of the place.
	}
}

// lookForLost looks, at the start and then for as long as something is missing, whether
// files that the store refers to are there.
func (f *files) lookForLost(ctx context.Context) (err error) {
	if !f.sought {
		if f.sample, err = custody.SampleFiles(ctx, f.kept, f.in.clock()); err != nil {
			return err
		}
		f.sought = true
	}
	_, lost, err := custody.LookForFiles(ctx, f.kept, f.Present, f.sample)
	if err != nil {
		return err
	}
	if len(lost) == 0 {
		f.sample = nil
		f.in.warnings.Clear(topicFilesLost)
		return nil
	}
	f.in.warnings.Set(topicFilesLost, fmt.Sprintf("%d of %d files that messages refer to are missing where attachments "+
		"are kept, and more may be: set blobs to where they are (after a move it has to be set on each server), or bring "+
		"them back from a backup",
		len(lost), len(f.sample)))
	return nil
}

// warnOfOwnBlobs tells of files that only this server sees, where there are others.
func warnOfOwnBlobs(ctx context.Context, in surroundings, kept *store.Store) error {
	if in.cfg.Database == "" || in.cfg.Blobs != "" {
		return nil
	}
	offset, err := kept.ClockOffset(ctx)
	if err != nil {
		return err
	}
	others, err := store.Read(ctx, kept, func(tx *store.Tx) (int, error) {
		return presence.OtherNodes(tx, model.NodeID{}, in.clock().Add(offset))
	})
	if err == nil && others > 0 {
		in.log.Warn("other servers use this database, and attachments are kept in this one's data directory, which they "+
			"may not see: give all of them the same blobs",
			"other_servers", others)
	}
	return err
}
