package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// Facts are what a store says of itself to who only looks at it, whatever its version is.
type Facts struct {
	Schema  int        // the version of the data; 0: no server has begun to use it
	Keyring string     // the key ring that it is sealed with; empty: none yet
	Clock   string     // what is remembered of the clock, in the form of package clock
	Backup  BackupNote // of the embedded store
	Copying bool       // a restore or a move into it is not finished
}

// factNames are those of the rows that Facts are read from. There are secrets among the others.
var factNames = []string{MetaSchema, metaKeyring, metaClock, metaBackup, MetaCopying}

// Viewer is an engine, or what only reads what one has written.
type Viewer interface {
	View(ctx context.Context, fn func(Session) error, traits ...Trait) error
}

// ReadFacts reads them. It opens no store, and writes nothing.
func ReadFacts(ctx context.Context, from Viewer) (f Facts, err error) {
	said := map[string]string{}
	err = from.View(ctx, func(s Session) error {
		clear(said)
		for _, name := range factNames {
			err := s.Query(`SELECT value FROM meta WHERE name = ?`, []any{name}, func(row Row) error {
				var value string
				err := row.Scan(&value)
				said[name] = value
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return f, err
	}
	f = Facts{Keyring: said[metaKeyring], Clock: said[metaClock], Copying: said[MetaCopying] != ""}
	if text := said[MetaSchema]; text != "" {
		if f.Schema, err = strconv.Atoi(text); err != nil {
			return f, fmt.Errorf("the version of the data, %q, is no number", text)
		}
	}
	if text := said[metaBackup]; text != "" {
		err = json.Unmarshal([]byte(text), &f.Backup)
	}
	return f, err
}
