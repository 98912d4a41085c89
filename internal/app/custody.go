package app

import (
	"context"
	"errors"
	"syscall"

	"signet/internal/blob"
	"signet/internal/custody"
	"signet/internal/home"
	"signet/internal/seal"
	"signet/internal/store"
)

// takeCustody refuses the attachments of another installation, as openRing does its key
// ring, and takes a turn with both. A bucket that is away is asked before the first file is
// kept or erased.
func takeCustody(ctx context.Context, in surroundings, kept *store.Store, ring *seal.Ring,
	blobs blob.Store) (*custody.Keeper, error) {
	c := &custody.Keeper{Store: kept, Ring: ring, Blobs: blobs, Clock: in.clock, Log: in.log, Warnings: in.warnings,
		Home: home.Home(in.cfg)}
	ctx, cancel := context.WithTimeout(ctx, blobsTimeout)
	defer cancel()
	err := followBlobs(ctx, in, kept, blobs)
	if err == nil {
		err = c.TakeTurn(ctx)
	}
	switch {
	case errors.As(err, new(*custody.NotOurs)):
		return nil, home.Misconfigured{Err: firstOf(err)}
	case errors.Is(err, blob.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		in.log.Warn("whose the attachments are is not known yet: none is kept or erased before it is", "error", err)
	// what has to be compared was
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		in.log.Warn("the key ring and the attachments were not told that they are in use, as the disk is full; it is tried "+
			"again", "error", err)
	case err != nil:
		return nil, err
	}
	return c, nil
}

// firstOf returns the error that names the owner of a part, without its wrapping.
func firstOf(err error) error {
	var not *custody.NotOurs
	if errors.As(err, &not) {
		return not
	}
	return err
}
