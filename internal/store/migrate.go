package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"signet/internal/store/schema"
)

// Upgrading is what Upgrade is given; all of it may be left out.
type Upgrading struct {
	Clock func() time.Time // by which leases of other servers are judged

	// Begin is called, perhaps more than once, with the version of data that is older,
	// before it is changed: that may take minutes. Its error ends the upgrade.
	Begin func(from int) error
}

// Upgrade makes the tables of a schema, Today's but in tests, in an empty store, and brings
// older data to it. It waits while another node does it, and for servers that have just
// stopped, until ctx ends. A step that no other server survives is refused while there is
// one, with an *InUseError; data whose tables are not those of its version, with ErrShape.
func Upgrade(ctx context.Context, engine Engine, to schema.Schema, u Upgrading) error {
	// Servers' leases are in the database's time: by a clock that is ahead of the database's,
	// all would have run out.
	offset, err := ClockOffset(ctx, engine)
	if err != nil {
		return fmt.Errorf("migrate: compare the clocks: %w", err)
	}
	own := u.Clock
	if own == nil {
		own = time.Now
	}
	u.Clock = func() time.Time { return own().Add(offset) }
	for {
		err := migrate(ctx, engine, to, u)
		var used *InUseError
		switch {
		case errors.As(err, &used) && used.leaving:
			select {
			case <-time.After(leaveTick):
			case <-ctx.Done():
				return err
			}
		case !errors.Is(err, ErrBusy) || ctx.Err() != nil:
			return err
		}
	}
}

const (
	// LeaveTime is within what time the lease of a server ends that was stopped; that
	// of one that runs does not.
	LeaveTime = 10 * time.Second
	leaveTick = 200 * time.Millisecond
)

// WantKnown refuses data that a program with this schema could not open: it is of a newer version,
// or its tables are not those of its version. It changes nothing, and may be asked beside a server.
func WantKnown(ctx context.Context, engine Engine, to schema.Schema) error {
	return engine.View(ctx, func(session Session) error {
		tx := &Tx{session: session, dialect: engine.Dialect()}
		text, err := tx.meta(MetaSchema)
		if err != nil {
			return fmt.Errorf("read the version of the data: %w", err)
		}
		version, err := strconv.Atoi(text)
		switch {
		case err != nil:
			return fmt.Errorf("the version of the data is %q: %w", text, err)
		case version > to.Version():
			return newer(version)
		case version == to.Version():
			return tx.wantShape(to)
		}
		return nil
	})
}

// InUseError says that other servers run on data that only a server which is alone may
// bring up to date.
type InUseError struct {
	From, To int
	Servers  []string

	leaving bool // all of them have stopped, and their leases end soon
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("the data has version %d, and version %d needs all other servers on it stopped, which would fail "+
		"from then on: stop %s, then start this one again (one that died counts for half a minute)",
		e.From, e.To, strings.Join(e.Servers, ", "))
}

// migrate makes the tables of a new store, or brings those of an older one to a version.
// It is one transaction: what it refuses is as it was.
func migrate(ctx context.Context, engine Engine, to schema.Schema, u Upgrading) error {
	dialect := engine.Dialect()
	err := engine.Update(ctx, func(session Session) error { return MakeMeta(session, dialect) })
	if err != nil && !errors.Is(err, ErrConflict) { // PostgreSQL's answer where another node made it at this moment
		return fmt.Errorf("migrate: %w", err)
	}
	return engine.Update(ctx, func(session Session) error {
		tx := &Tx{session: session, dialect: dialect}
		version, err := tx.lockVersion()
		if err != nil {
			return fmt.Errorf("migrate: read the version: %w", err)
		}
		if err := tx.refuseTransferring(); err != nil {
			return err
		}
		switch {
		case version > to.Version():
			return newer(version)
		case version == to.Version():
			return tx.wantShape(to)
		case version == 0:
			err = tx.runAll(to.SQL)
		default:
			err = tx.upgrade(to, version, u)
		}
		if err != nil {
			return err
		}
		return errors.Join(tx.putMeta(MetaSchema, strconv.Itoa(to.Version())),
			tx.putMeta(MetaNeeds, strconv.Itoa(to.NeededBy())))
	})
}

// upgrade brings the tables of an earlier version to those of a schema.
func (tx *Tx) upgrade(to schema.Schema, version int, u Upgrading) error {
	if err := tx.wantAlone(to, version, u); err != nil {
		return err
	}
	if u.Begin != nil {
		if err := u.Begin(version); err != nil {
			return err
		}
	}
	for ; version < to.Version(); version++ {
		if err := tx.runAll(to.Steps[version-1].SQL); err != nil {
			return fmt.Errorf("migrate to version %d: %w", version+1, err)
		}
	}
	return tx.wantShape(to)
}

// MakeMeta makes the table of the version, the first of the schema, where it is missing.
func MakeMeta(session Session, dialect Dialect) error {
	_, err := session.Exec(dialect.render(schema.Statements(schemaSQL)[0]))
	return err
}

// ErrTransferring says that a store is half copied.
var ErrTransferring = errors.New("the database holds a copy that is not finished: run signet migrate again until it " +
	"says that it is, or empty the database")

// refuseTransferring refuses a store that is half copied.
func (tx *Tx) refuseTransferring() error {
	note, err := tx.meta(MetaCopying)
	if err == nil && note != "" {
		err = ErrTransferring
	}
	return err
}

// wantAlone refuses a step that servers of the data's version do not survive while there
// are some. Two steps at once may be such a step where each alone is none: a version was
// skipped.
func (tx *Tx) wantAlone(next schema.Schema, from int, u Upgrading) error {
	to := from + 1
	for to <= next.Version() && next.Steps[to-2].OnlyFrom(to) <= from {
		to++
	}
	if to > next.Version() {
		return nil
	}
	now := u.Clock()
	used := &InUseError{From: from, To: to, leaving: true}
	err := tx.Query(`SELECT name, lease FROM nodes WHERE lease > ?`, []any{Millis(now)}, func(row Row) error {
		var lease int64
		var name string
		err := row.Scan(&name, &lease)
		used.leaving = used.leaving && lease <= Millis(now.Add(LeaveTime))
		used.Servers = append(used.Servers, name)
		return err
	})
	if err == nil && len(used.Servers) > 0 {
		err = used
	}
	return err
}

// lockVersion returns the version of the data, 0 where there is none, and keeps
// other nodes from changing it until the transaction ends.
func (tx *Tx) lockVersion() (int, error) {
	if _, err := tx.settle(MetaSchema, "0"); err != nil {
		return 0, err
	}
	text, err := tx.lockMeta(MetaSchema)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

// OutdatedError says that a newer server has made of the data what this one cannot work
// with.
type OutdatedError struct{ Version int }

func (e *OutdatedError) Error() string {
	return fmt.Sprintf("a newer server has brought the data to version %d, and this one knows versions up to %d: "+
		"start the newer version of the program in its place", e.Version, SchemaVersion())
}

// Outdated asks whether this server can still work with the data, and is an
// *OutdatedError where it cannot. Steps of a newer server that only add do no harm.
func (s *Store) Outdated(ctx context.Context) error {
	var version, needs int
	err := s.View(ctx, func(tx *Tx) error {
		version, needs = 0, 0
		names := []string{MetaSchema, MetaNeeds}
		return tx.Query(`SELECT name, value FROM meta WHERE name IN (?*)`, []any{names}, func(row Row) error {
			var name, value string
			if err := row.Scan(&name, &value); err != nil {
				return err
			}
			n, err := strconv.Atoi(value)
			if name == MetaSchema {
				version = n
			} else {
				needs = n
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	if cmp.Or(needs, version) > SchemaVersion() {
		return &OutdatedError{version}
	}
	return nil
}
