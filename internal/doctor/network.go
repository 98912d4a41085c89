package doctor

import (
	"context"
	"errors"

	"signet/internal/blob"
	"signet/internal/home"
	"signet/internal/live/natsbus"
	"signet/internal/live/pgbus"
	"signet/internal/store/postgres"
)

// database looks at the PostgreSQL database.
func (e *examination) database(ctx context.Context) {
	var seen postgres.Seen
	err := ask(ctx, func(ctx context.Context) (err error) {
		seen, err = postgres.Look(ctx, e.Config.Database)
		return err
	})
	if err != nil {
		e.find("database.away", "the database does not answer: %v", err)
		return
	}
	e.judge(&seen)
}

// judge looks at what is known of the database.
func (e *examination) judge(seen *postgres.Seen) {
	e.cluster = seen.Cluster
	if !seen.OldEnough() {
		e.find("database.version", "it is PostgreSQL %d", seen.Version/10000)
	}
	if seen.Encoding != "UTF8" {
		e.find("database.encoding", "the database is encoded in %s", seen.Encoding)
	}
	if seen.Reads {
		e.find("database.standby", "the server only lets read: it is a standby, or was set so")
	}
	if seen.Commit == "off" {
		e.find("database.commit", "synchronous_commit is off in the database")
	}
	e.offset(seen.Offset)
	e.facts = &seen.Facts
}

// bus looks whether servers on the database hear of each other at once.
func (e *examination) bus(ctx context.Context) {
	cfg := e.Config
	if cfg.NATS == "" {
		err := ask(ctx, func(ctx context.Context) error { return pgbus.Try(ctx, cfg.Database) })
		if err != nil && e.facts != nil { // else it is away, which was found already
			e.find("bus.notify", "%v", err)
		}
		return
	}
	err := ask(ctx, func(ctx context.Context) error {
		return natsbus.Try(ctx, natsbus.Options{URL: cfg.NATS, Login: cfg.NATSLogin, CA: cfg.NATSCA,
			Certificate: cfg.NATSCert, Key: cfg.NATSKey})
	})
	if err != nil {
		e.find("bus.nats", "NATS cannot be used: %v", err)
	}
}

// attachments looks whether files could be kept and read.
func (e *examination) attachments(ctx context.Context) {
	if e.facts == nil || e.facts.Schema == 0 { // there is no store that they would belong to
		return
	}
	err := ask(ctx, func(ctx context.Context) (err error) {
		place, err := blob.At(home.Blobs(e.Config.Data, e.Config.Blobs))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, place.Close()) }()
		begun, err := place.Begun(ctx)
		switch {
		case err == nil && !begun:
			e.find("attachments.place", "there is no %s in %s", blob.MarkName, place)
		case err == nil:
			err = place.Check(ctx)
		}
		return err
	})
	if err != nil && !e.denied("the place of the attachments", err) {
		e.find("attachments.away", "%v", err)
	}
}
