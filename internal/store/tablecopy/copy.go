// Package tablecopy moves all rows of a store into an empty one on another engine.
//
// It handles tables alike, by their columns and keys as the schema lists them, and does
// not know what any of them means. What is in files is not its business.
package tablecopy

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"signet/internal/model"
	"signet/internal/store"
)

// Copy moves all rows of a store into an empty one, on whichever engines, in small
// transactions: each notes how far it has come, so that a copy that was interrupted
// anywhere goes on there. Until Finish the target is no store that a server opens
// (store.ErrTransferring). The source must not change meanwhile; only Verify would notice.
type Copy struct {
	from  store.Source
	to    store.Engine
	state state
	noted string // the state as it is in the target
}

// state is the note, in the target's meta.
type state struct {
	Source string       `json:"source"` // which, and as it was when the copy began
	Run    string       `json:"run"`    // of those that went on with it, the last
	Table  string       `json:"table"`  // that is being copied; empty: all are
	After  [][]byte     `json:"after"`  // key of the last row of it that is copied
	Rows   int64        `json:"rows"`   // copied, of all tables
	Blob   model.BlobID `json:"blob"`   // the last one that is copied
	Failed bool         `json:"failed"` // what was copied is not what there was
}

// The errors of a copy.
var (
	// ErrMoved says that a copy of the source, as it is, was finished before.
	ErrMoved = errors.New("the installation was moved into this database before")
	// ErrInUse says that a target is somebody's store.
	ErrInUse = errors.New("the database is a server's already, and nothing in it is overwritten")
	// ErrDiffers says that a copy is not what its source is.
	ErrDiffers = errors.New("the copy differs from its source")
)

// One transaction copies so much at most.
const (
	maxRows  = 2000
	maxBytes = 4 << 20
)

// Begin prepares a copy, or one that was interrupted to go on. mark names the source and
// the state that it is in: where it is not that of the copy which was begun in the
// target, that begins anew, and so it does where that had failed. The source must have
// the version of this program: it is not changed.
func Begin(ctx context.Context, from store.Source, to store.Engine, mark string) (*Copy, error) {
	if err := store.WantCurrent(ctx, from); err != nil {
		return nil, err
	}
	c := &Copy{from: from, to: to}
	if err := c.resume(ctx, mark); err != nil {
		return nil, fmt.Errorf("look at the target: %w", err)
	}
	if c.noted != "" && c.state.Source == mark && !c.state.Failed {
		return c, nil
	}
	if c.noted != "" {
		if err := c.wipe(ctx); err != nil {
			return nil, fmt.Errorf("begin anew: %w", err)
		}
	}
	if err := store.Upgrade(ctx, to, store.Today(), store.Upgrading{}); err != nil {
		return nil, err
	}
	c.noted = ""
	return c, c.update(ctx, state{Source: mark, Run: c.state.Run, Table: tables()[0].Name}, nil)
}

// Resumed tells how many rows were copied before.
func (c *Copy) Resumed() int64 { return c.state.Rows }

// resume reads the note of a target, and refuses one that is a server's. It puts its
// own name on the note: what an earlier run sent before it was killed, and what arrives
// only now, or one that still runs, then finds another note than its own.
func (c *Copy) resume(ctx context.Context, mark string) error {
	run, dialect := rand.Text(), c.to.Dialect()
	return c.to.Update(ctx, func(s store.Session) error {
		c.noted, c.state = "", state{}
		if err := store.MakeMeta(s, dialect); err != nil {
			return err
		}
		noted, err := lockMeta(s, dialect, store.MetaCopying)
		if err != nil {
			return err
		}
		if noted != "" {
			if err := json.Unmarshal([]byte(noted), &c.state); err != nil {
				return err
			}
			c.state.Run = run
			text, err := json.Marshal(c.state)
			if err != nil {
				return err
			}
			c.noted = string(text)
			return replaceNote(s, noted, c.noted)
		}
		c.state.Run = run
		// A store that is complete has an epoch.
		if epoch, err := lockMeta(s, dialect, store.MetaEpoch); err != nil || epoch == "" {
			return err
		}
		moved, err := lockMeta(s, dialect, store.MetaMoved)
		if err != nil {
			return err
		}
		if moved == mark {
			return ErrMoved
		}
		return ErrInUse
	})
}

// wipe drops what an earlier copy made.
func (c *Copy) wipe(ctx context.Context) error {
	return c.to.Update(ctx, func(s store.Session) error {
		names := []string{"meta"}
		for _, t := range tables() {
			names = append(names, t.Name)
		}
		for _, name := range names {
			if _, err := s.Exec(`DROP TABLE IF EXISTS ` + name); err != nil {
				return err
			}
		}
		return nil
	})
}

// update writes something to the target, and with it how far the copy has come.
func (c *Copy) update(ctx context.Context, next state, write func(store.Session) error) error {
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	err = c.to.Update(ctx, func(s store.Session) error {
		if err := replaceNote(s, c.noted, string(text)); err != nil || write == nil {
			return err
		}
		return write(s)
	})
	if err == nil {
		c.state, c.noted = next, string(text)
	}
	return err
}

// Rows copies the rows of all tables that are not copied yet. progress is told after
// each transaction.
func (c *Copy) Rows(ctx context.Context, progress func(rows int64)) error {
	tables := tables()
	for c.state.Table != "" {
		i := slices.IndexFunc(tables, func(t table) bool { return t.Name == c.state.Table })
		if i < 0 {
			return fmt.Errorf("the copy stopped at table %s, which there is none of", c.state.Table)
		}
		t := tables[i]
		after, err := t.keyOf(c.state.After)
		if err != nil {
			return err
		}
		rows, err := t.read(ctx, c.from, after)
		if err != nil {
			return fmt.Errorf("read %s: %w", t.Name, err)
		}
		next := c.state
		next.Rows += int64(len(rows))
		if len(rows) > 0 {
			next.After = t.texts(t.key(rows[len(rows)-1]))
		} else if next.Table, next.After = "", nil; i+1 < len(tables) {
			next.Table = tables[i+1].Name
		}
		if err := c.update(ctx, next, func(s store.Session) error { return t.insert(s, rows) }); err != nil {
			return fmt.Errorf("write %s: %w", t.Name, err)
		}
		progress(c.state.Rows)
	}
	return nil
}

// LastBlob is the last blob that NoteBlob noted, or zero.
func (c *Copy) LastBlob() model.BlobID { return c.state.Blob }

// NoteBlob notes that all blobs up to one, in their order, are copied.
func (c *Copy) NoteBlob(ctx context.Context, id model.BlobID) error {
	next := c.state
	next.Blob = id
	return c.update(ctx, next, nil)
}

// Verify reads both stores whole and compares, for each table, how many rows there are
// and what they hold. After ErrDiffers a copy begins anew. progress is told the number
// of rows that were compared, now and then.
func (c *Copy) Verify(ctx context.Context, progress func(rows int64)) error {
	var differing []string
	var done int64
	for _, t := range tables() {
		want, err := t.fingerprint(ctx, c.from, func(n int64) { done += n; progress(done) })
		if err != nil {
			return fmt.Errorf("read %s of the source: %w", t.Name, err)
		}
		got, err := t.fingerprint(ctx, c.to, func(int64) { progress(done) })
		if err != nil {
			return fmt.Errorf("read %s of the target: %w", t.Name, err)
		}
		if got != want {
			differing = append(differing, fmt.Sprintf("%s (%d rows, of %d)", t.Name, got.rows, want.rows))
		}
	}
	if len(differing) == 0 {
		return nil
	}
	err := fmt.Errorf("%w: %s", ErrDiffers, strings.Join(differing, ", "))
	next := c.state
	next.Failed = true
	return errors.Join(err, c.update(ctx, next, nil))
}

// Accounts calls fn for the identifiers of all accounts, some at a time.
func (c *Copy) Accounts(ctx context.Context, fn func([]model.AccountID) error) error {
	var after model.AccountID
	for {
		var ids []model.AccountID
		err := c.from.View(ctx, func(s store.Session) error {
			ids = nil
			return s.Query(`SELECT account FROM accounts WHERE account > ? ORDER BY account LIMIT ? + 0`,
				[]any{after, maxRows}, func(row store.Row) error {
					var id model.AccountID
					err := row.Scan(&id)
					ids = append(ids, id)
					return err
				})
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := fn(ids); err != nil {
			return err
		}
		after = ids[len(ids)-1]
	}
}

// Finish makes the target a store: it gets the epoch, the secret and whatever else there
// is one of, and the key of the audit log, where there is one, which the source has in a
// file. Clients then find it as they left the source.
func (c *Copy) Finish(ctx context.Context, auditKey string) error {
	type entry struct{ name, value string }
	var entries []entry
	err := c.from.View(ctx, func(s store.Session) error {
		entries = nil
		own := []string{store.MetaSchema, store.MetaNeeds, store.MetaAuditKey}
		return s.Query(`SELECT name, value FROM meta WHERE name NOT IN (?*)`, []any{own}, func(row store.Row) error {
			var e entry
			err := row.Scan(&e.name, &e.value)
			entries = append(entries, e)
			return err
		})
	})
	if err != nil {
		return err
	}
	if auditKey != "" {
		entries = append(entries, entry{store.MetaAuditKey, auditKey})
	}
	return c.to.Update(ctx, func(s store.Session) error {
		err := dropNote(s, c.noted)
		for _, e := range append(entries, entry{store.MetaMoved, c.state.Source}) {
			if err == nil {
				err = putMeta(s, e.name, e.value)
			}
		}
		return err
	})
}
