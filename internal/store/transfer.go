package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"signet/internal/model"
)

// Transfer moves all rows of a store into an empty one, on whichever engines, in small
// transactions: each notes how far it has come, so that a copy that was interrupted
// anywhere goes on there. Until Finish the target is no store that a server opens
// (ErrTransferring). The source must not change meanwhile; only Verify would notice.
type Transfer struct {
	from  Source
	to    Engine
	state transferState
	noted string // the state as it is in the target
}

// transferState is the note, in the target's meta.
type transferState struct {
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
	// ErrTransferring says that a store is half copied.
	ErrTransferring = errors.New("the database holds a copy that is not finished: run signet migrate again until it " +
		"says that it is, or empty the database")
	// ErrMoved says that a copy of the source, as it is, was finished before.
	ErrMoved = errors.New("the installation was moved into this database before")
	// ErrInUse says that a target is somebody's store.
	ErrInUse = errors.New("the database is a server's already, and nothing in it is overwritten")
	// ErrDiffers says that a copy is not what its source is.
	ErrDiffers = errors.New("the copy differs from its source")
)

// One transaction copies so much at most.
const (
	transferRows  = 2000
	transferBytes = 4 << 20
)

// BeginTransfer prepares a copy, or one that was interrupted to go on. mark names the
// source and the state that it is in: where it is not that of the copy which was begun
// in the target, that begins anew, and so it does where that had failed. The source must
// have the version of this program: it is not changed.
func BeginTransfer(ctx context.Context, from Source, to Engine, mark string) (*Transfer, error) {
	census := 0
	err := read(ctx, from, func(tx *Tx) (err error) {
		census, err = tx.version()
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("look at the source: %w", err)
	case census > SchemaVersion():
		return nil, newer(census)
	case census < SchemaVersion():
		return nil, fmt.Errorf("the source has version %d, and this program writes version %d: start its server on the "+
			"source once, which brings it up to date, and stop it", census, SchemaVersion())
	}
	c := &Transfer{from: from, to: to}
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
	if err := migrate(ctx, to, Today(), Upgrading{Clock: time.Now}); err != nil {
		return nil, err
	}
	c.state, c.noted = transferState{Source: mark, Run: c.state.Run, Table: Tables()[0].Name}, ""
	return c, c.update(ctx, c.state, nil)
}

// Resumed tells how many rows were copied before.
func (c *Transfer) Resumed() int64 { return c.state.Rows }

// resume reads the note of a target, and refuses one that is a server's. It puts its
// own name on the note: what an earlier run sent before it was killed, and what arrives
// only now, or one that still runs, then finds another note than its own.
func (c *Transfer) resume(ctx context.Context, mark string) error {
	run := rand.Text()
	return c.to.Update(ctx, func(session Session) error {
		tx := &Tx{session: session, dialect: c.to.Dialect()}
		c.noted, c.state = "", transferState{}
		if err := tx.makeMeta(); err != nil {
			return err
		}
		noted, err := tx.lockMeta(metaTransfer)
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
			return tx.note(noted, c.noted)
		}
		c.state.Run = run
		// A store that is complete has an epoch.
		if epoch, err := tx.meta(metaEpoch); err != nil || epoch == "" {
			return err
		}
		moved, err := tx.meta(metaMoved)
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
func (c *Transfer) wipe(ctx context.Context) error {
	return c.to.Update(ctx, func(session Session) error {
		tx := &Tx{session: session, dialect: c.to.Dialect()}
		for _, t := range tables {
			if _, err := tx.exec(`DROP TABLE IF EXISTS ` + t.Name); err != nil {
				return err
			}
		}
		return nil
	})
}

// update writes something to the target, and with it how far the copy has come.
func (c *Transfer) update(ctx context.Context, next transferState, write func(*Tx) error) error {
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	err = c.to.Update(ctx, func(session Session) error {
		tx := &Tx{session: session, dialect: c.to.Dialect()}
		if err := tx.note(c.noted, string(text)); err != nil {
			return err
		}
		if write == nil {
			return nil
		}
		return write(tx)
	})
	if err == nil {
		c.state, c.noted = next, string(text)
	}
	return err
}

// note replaces the note. Another copy into the same target, running at the same time,
// has changed it.
func (tx *Tx) note(before, after string) error {
	replaced, err := tx.replaceMeta(metaTransfer, before, after)
	if err == nil && !replaced {
		err = errors.New("another copy into the same database is running")
	}
	return err
}

// Rows copies the rows of all tables that are not copied yet. progress is told after
// each transaction.
func (c *Transfer) Rows(ctx context.Context, progress func(rows int64)) error {
	tables := Tables()
	for c.state.Table != "" {
		i := slices.IndexFunc(tables, func(t Table) bool { return t.Name == c.state.Table })
		if i < 0 {
			return fmt.Errorf("the copy stopped at table %s, which there is none of", c.state.Table)
		}
		t := &tables[i]
		after, err := t.keyOf(c.state.After)
		if err != nil {
			return err
		}
		var rows []record
		err = read(ctx, c.from, func(tx *Tx) (err error) {
			rows, err = tx.records(t, after, transferRows, transferBytes)
			return err
		})
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
		if err := c.update(ctx, next, func(tx *Tx) error { return tx.insert(t, rows) }); err != nil {
			return fmt.Errorf("write %s: %w", t.Name, err)
		}
		progress(c.state.Rows)
	}
	return nil
}

// LastBlob is the last blob that NoteBlob noted, or zero.
func (c *Transfer) LastBlob() model.BlobID { return c.state.Blob }

// NoteBlob notes that all blobs up to one, in their order, are copied.
func (c *Transfer) NoteBlob(ctx context.Context, id model.BlobID) error {
	next := c.state
	next.Blob = id
	return c.update(ctx, next, nil)
}

// Verify reads both stores whole and compares, for each table, how many rows there are
// and what they hold. After ErrDiffers a copy begins anew. progress is told the number
// of rows that were compared, now and then.
func (c *Transfer) Verify(ctx context.Context, progress func(rows int64)) error {
	var differing []string
	var done int64
	for _, t := range Tables() {
		want, err := fingerprint(ctx, c.from, &t, func(n int64) { done += n; progress(done) })
		if err != nil {
			return fmt.Errorf("read %s of the source: %w", t.Name, err)
		}
		got, err := fingerprint(ctx, c.to, &t, func(int64) { progress(done) })
		if err != nil {
			return fmt.Errorf("read %s of the target: %w", t.Name, err)
		}
		if got != want {
			differing = append(differing, fmt.Sprintf("%s (%d rows, of %d)", t.Name, got.Rows, want.Rows))
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

// fingerprint reads a table whole.
func fingerprint(ctx context.Context, source Source, t *Table, progress func(rows int64)) (f Fingerprint, err error) {
	var after record
	for {
		var rows []record
		err := read(ctx, source, func(tx *Tx) (err error) {
			rows, err = tx.records(t, after, transferRows, transferBytes)
			return err
		})
		if err != nil || len(rows) == 0 {
			return f, err
		}
		for _, r := range rows {
			f.add(r)
		}
		after = t.key(rows[len(rows)-1])
		progress(int64(len(rows)))
	}
}

// Accounts calls fn for the identifiers of all accounts, some at a time.
func (c *Transfer) Accounts(ctx context.Context, fn func([]model.AccountID) error) error {
	var after model.AccountID
	for {
		var ids []model.AccountID
		err := read(ctx, c.from, func(tx *Tx) error {
			ids = nil
			return tx.each(`SELECT account FROM accounts WHERE account > ? ORDER BY account LIMIT ? + 0`,
				[]any{after, transferRows}, func(row Row) error {
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
func (c *Transfer) Finish(ctx context.Context, auditKey string) error {
	type entry struct{ name, value string }
	var entries []entry
	err := read(ctx, c.from, func(tx *Tx) error {
		entries = nil
		own := []string{metaSchema, metaNeeds, metaAuditKey}
		return tx.each(`SELECT name, value FROM meta WHERE name NOT IN (?*)`, []any{own}, func(row Row) error {
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
		entries = append(entries, entry{metaAuditKey, auditKey})
	}
	return c.to.Update(ctx, func(session Session) error {
		tx := &Tx{session: session, dialect: c.to.Dialect()}
		dropped, err := tx.dropMeta(metaTransfer, c.noted)
		if err == nil && !dropped {
			err = errors.New("another copy into the same database is running")
		}
		for _, e := range append(entries, entry{metaMoved, c.state.Source}) {
			if err == nil {
				err = tx.putMeta(e.name, e.value)
			}
		}
		return err
	})
}

// refuseTransferring refuses a store that is half copied.
func (tx *Tx) refuseTransferring() error {
	note, err := tx.meta(metaTransfer)
	if err == nil && note != "" {
		err = ErrTransferring
	}
	return err
}
