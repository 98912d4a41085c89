package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// migrations are the steps from nothing to today's schema, each run in one
// transaction. They are never edited after a release: a change is a new step.
var migrations = []string{schema, keyNetworks, sealingSchema, auditSchema, holdSchema, eventStatus, groupConversationSchema, numbersSchema}

// SchemaVersion is the version of the data that this server writes and reads.
func SchemaVersion() int { return len(migrations) }

// MigrateTo brings the data to a version up to SchemaVersion, and refuses newer
// data. Nodes may do it at the same time: one of them does it, and the others find
// it done. Open goes to the last version; an earlier one is for tests of upgrades.
func MigrateTo(ctx context.Context, engine Engine, last int) error {
	return migrate(ctx, engine, last, func(int) {})
}

// Upgrade does so for the last version, and waits while another node does, until ctx ends.
// told is called, perhaps more than once, with the version of data that is older, before
// it is changed: that may take minutes.
func Upgrade(ctx context.Context, engine Engine, told func(from int)) error {
	for {
		err := migrate(ctx, engine, SchemaVersion(), told)
		if !errors.Is(err, ErrBusy) || ctx.Err() != nil {
			return err
		}
	}
}

func migrate(ctx context.Context, engine Engine, last int, told func(from int)) error {
	dialect := engine.Dialect()
	err := engine.Update(ctx, func(session Session) error {
		_, err := session.Exec(dialect.render(metaTable))
		return err
	})
	if err != nil && !errors.Is(err, ErrConflict) { // PostgreSQL's answer where another node made it at this moment
		return fmt.Errorf("migrate: %w", err)
	}
	return engine.Update(ctx, func(session Session) error {
		tx := &Tx{session: session, dialect: dialect}
		version, err := tx.lockVersion()
		if err != nil {
			return fmt.Errorf("migrate: read the version: %w", err)
		}
		if err := tx.refuseCopying(); err != nil {
			return err
		}
		if version > len(migrations) {
			return newer(version)
		}
		if version >= last {
			return nil
		}
		if version > 0 {
			told(version)
		}
		for ; version < last; version++ {
			for _, statement := range statements(dialect.render(migrations[version])) {
				if _, err := tx.exec(statement); err != nil {
					return fmt.Errorf("migrate to version %d: %w", version+1, err)
				}
			}
		}
		_, err = tx.exec(`UPDATE meta SET value = ? WHERE name = 'schema'`, strconv.Itoa(version))
		return err
	})
}

// lockVersion returns the version of the data, 0 where there is none, and keeps
// other nodes from changing it until the transaction ends.
func (tx *Tx) lockVersion() (int, error) {
	if _, err := tx.exec(`INSERT INTO meta (name, value) VALUES ('schema', '0') ON CONFLICT (name) DO NOTHING`); err != nil {
		return 0, err
	}
	text := ""
	if _, err := tx.one(`SELECT value FROM meta WHERE name = 'schema' `+tx.dialect.Lock, nil, &text); err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}
