package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"signet/internal/api"
	"signet/internal/blob"
	"signet/internal/live"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/store/sqlite"
)

// Names within the data directory.
const (
	databaseFile   = "signet.db"
	blobsDirectory = "blobs"
)

// assemble puts the server together on the embedded store.
func assemble(ctx context.Context, in surroundings) (_ *system, err error) {
	var undo []func() error
	closeAll := func() error {
		var problems []error
		for i := len(undo) - 1; i >= 0; i-- {
			problems = append(problems, undo[i]())
		}
		return errors.Join(problems...)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeAll())
		}
	}()
	engine, err := sqlite.Open(filepath.Join(in.dir, databaseFile), sqlite.Options{Clock: in.clock, Log: in.log})
	if err != nil {
		return nil, err
	}
	undo = append(undo, engine.Close)
	kept, err := store.Open(ctx, engine, service.NewEpoch)
	if err != nil {
		return nil, err
	}
	blobs, err := blob.OpenDirectory(filepath.Join(in.dir, blobsDirectory))
	if err != nil {
		return nil, err
	}
	undo = append(undo, blobs.Close)
	limits := in.cfg.Limits
	hub := live.NewHub(limits.StreamsPerAccount)
	cases := service.New(service.Options{
		Store: kept, Blobs: blobs, Hub: hub, Clock: in.clock, Logger: in.log,
		Limits: service.Limits{
			MessagesPerDay: limits.MessagesPerDay,
			MessageBytes:   int(limits.MessageBytes),
			GroupMembers:   limits.GroupMembers,
			MetadataKeys:   limits.MetadataKeys,
		},
		DefaultRegion: in.cfg.DefaultRegion, EventsRetention: in.cfg.Events.Retention,
	})
	undo = append(undo, func() error {
		// What the last requests noted is written when nobody comes any more.
		if err := cases.FlushUses(context.WithoutCancel(ctx)); err != nil {
			return fmt.Errorf("write when keys were last used: %w", err)
		}
		return nil
	})
	handler, err := api.New(api.Options{
		Service: cases, Authenticator: cases, Clock: in.clock, Logger: in.log,
		Limits: api.Limits{
			RequestsPerSecond:            limits.RequestsPerSecond,
			Burst:                        limits.Burst,
			FailedLoginsPerMinute:        limits.FailedLoginsPerMinute,
			FailedLoginsPerMinuteAddress: limits.FailedLoginsPerMinuteAddress,
			BodyBytes:                    limits.BodyBytes,
			AttachmentBytes:              limits.AttachmentBytes,
		},
		VendorPrefix: in.cfg.Vendor.Prefix, VendorNamespace: in.cfg.Vendor.Namespace, BaseURL: in.baseURL,
		CORSOrigins: in.cfg.CORS.Origins, Registerer: in.metrics,
	})
	if err != nil {
		return nil, err
	}
	sweeper := cases.NewSweeper(in.cfg.Expiry.Sweep)
	return &system{
		handler:    handler,
		operators:  cases,
		ready:      func(ctx context.Context) error { return kept.View(ctx, func(*store.Tx) error { return nil }) },
		background: []func(ctx context.Context){sweeper.Run},
		endStreams: hub.Close,
		close:      closeAll,
	}, nil
}
