package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// migrations are the steps from nothing to today's schema, each run in one
// transaction. They are never edited after a release: a change is a new step.
var migrations = []string{schema}

// SchemaVersion is the version of the data that this server writes and reads.
func SchemaVersion() int { return len(migrations) }

// migrate brings the data to SchemaVersion, and refuses newer data.
func migrate(ctx context.Context, engine Engine) error {
	dialect := engine.Dialect()
	return engine.Update(ctx, func(session Session) error {
		tx := &Tx{session, dialect}
		if _, err := tx.exec(dialect.render(`CREATE TABLE IF NOT EXISTS meta (
			name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name)){table}`)); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		var text string
		found, err := tx.one(`SELECT value FROM meta WHERE name = 'schema'`, nil, &text)
		if err != nil {
			return fmt.Errorf("migrate: read the version: %w", err)
		}
		version := 0
		if found {
			if version, err = strconv.Atoi(text); err != nil {
				return fmt.Errorf("migrate: version %q: %w", text, err)
			}
		}
		if version > len(migrations) {
			return fmt.Errorf("the data has version %d, and this server knows versions up to %d: start the newer server again, or restore a backup made before the upgrade", version, len(migrations))
		}
		for ; version < len(migrations); version++ {
			for statement := range strings.SplitSeq(dialect.render(migrations[version]), ";\n") {
				if statement = strings.TrimSpace(statement); statement == "" {
					continue
				}
				if _, err := tx.exec(statement); err != nil {
					return fmt.Errorf("migrate to version %d: %w", version+1, err)
				}
			}
		}
		_, err = tx.exec(`INSERT INTO meta (name, value) VALUES ('schema', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, strconv.Itoa(version))
		return err
	})
}
