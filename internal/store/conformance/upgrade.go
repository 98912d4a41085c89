package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/schema"
)

// shapes: data whose tables are not those of its version is refused, and stays as it is.
func shapes(t *testing.T, h Harness) {
	for _, c := range []struct{ name, statement, told string }{
		{"a_table_is_missing", `DROP TABLE streams`, "table streams is missing"},
		{"a_column_is_missing", `ALTER TABLE nodes DROP COLUMN name`, "column nodes.name is missing"},
		{"a_column_is_too_many", `ALTER TABLE nodes ADD COLUMN load INTEGER`, "column nodes.load is too many"},
		{"an_index_is_missing", `DROP INDEX messages_ends`,
			"index messages_ends on messages (ends, organization_number, recipient) is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := NewDatabase(t, h)
			MustClose(t, NewStore(t, d.MustOpen(t)))
			e := d.MustOpen(t)
			MustExec(t, e, c.statement)
			err := store.Upgrade(t.Context(), e, store.Today(), store.Upgrading{})
			if !errors.Is(err, store.ErrShape) || !strings.Contains(err.Error(), c.told) {
				t.Errorf("it answers %v, want what says %q", err, c.told)
			}
			if _, err := store.Open(t.Context(), e, Epoch("other")); !errors.Is(err, store.ErrShape) {
				t.Errorf("it is opened: %v", err)
			}
		})
	}

	t.Run("after_steps_that_do_not_mend_it", func(t *testing.T) {
		e := NewStore(t, NewDatabase(t, h).MustOpen(t))
		MustExec(t, e, `DROP TABLE streams`)
		if err := store.Upgrade(t.Context(), e, Later(false), store.Upgrading{}); !errors.Is(err, store.ErrShape) {
			t.Errorf("it answers %v", err)
		}
		wantEqual(t, "version afterwards", versionOf(t, e), "1")
		MustExec(t, e, `ALTER TABLE nodes ADD COLUMN later1 INTEGER`) // which the step did not leave behind
	})

	t.Run("tables_of_others_are_theirs", func(t *testing.T) {
		e := NewStore(t, NewDatabase(t, h).MustOpen(t))
		MustExec(t, e, `CREATE TABLE remarks (remark INTEGER NOT NULL, PRIMARY KEY (remark))`)
		MustExec(t, e, `CREATE INDEX messages_created ON messages (created)`)
		if err := store.Upgrade(t.Context(), e, store.Today(), store.Upgrading{}); err != nil {
			t.Error(err)
		}
	})
}

// Later is the schema of a later version of the program, made for tests: it has a step more
// for each argument, which says whether no other server survives it.
func Later(alone ...bool) schema.Schema {
	s := store.Today()
	for _, alone := range alone {
		column := fmt.Sprint("later", s.Version())
		s.SQL = strings.Replace(s.SQL, "CREATE TABLE nodes (\n", "CREATE TABLE nodes (\n\t"+column+" TEXT NOT NULL,\n", 1)
		s.Steps = append(slices.Clip(s.Steps),
			schema.Migration{SQL: "ALTER TABLE nodes ADD COLUMN " + column + " TEXT NOT NULL DEFAULT '';\n", Alone: alone})
	}
	return s
}

// Contracted is Later by a step that only adds, and then by one that removes what it added.
func Contracted() schema.Schema {
	s := store.Today()
	from := s.Version()
	s.Steps = append(slices.Clip(Later(false).Steps),
		schema.Migration{SQL: fmt.Sprint("ALTER TABLE nodes DROP COLUMN later", from, ";\n"), Contract: true})
	return s
}

// versionOf returns the version that the data has.
func versionOf(t *testing.T, e store.Engine) string {
	t.Helper()
	return Column[string](t, e, `SELECT value FROM meta WHERE name = 'schema'`)[0]
}

// besidesClock is the time of these tests.
func besidesClock() time.Time { return time.UnixMilli(1_000_000).UTC() }

// runNode has a server be there that runs for a while.
func runNode(t *testing.T, e store.Engine, name string, lease time.Duration) {
	t.Helper()
	offset, err := store.ClockOffset(t.Context(), e) // leases are of the store's time
	if err != nil {
		t.Fatal(err)
	}
	MustExec(t, e, `INSERT INTO nodes (node, name, lease, version, started, heard) VALUES (?, ?, ?, '', 0, 0)`,
		model.NodeID{byte(len(name))}, name, besidesClock().Add(offset+lease).UnixMilli())
}

// besides: a step that no other server survives waits for none that runs.
func besides(t *testing.T, h Harness) {
	now := besidesClock()

	t.Run("refused_while_one_runs_and_by_its_name", func(t *testing.T) {
		e := NewStore(t, NewDatabase(t, h).MustOpen(t))
		runNode(t, e, "web-1", 25*time.Second)
		err := store.Upgrade(t.Context(), e, Later(true), store.Upgrading{Clock: besidesClock})
		used := new(store.InUseError)
		if !errors.As(err, &used) || !strings.Contains(err.Error(), "web-1") || used.To != store.SchemaVersion()+1 {
			t.Fatalf("it answers %v, want that web-1 is in its way", err)
		}
		if err := store.Upgrade(t.Context(), e, store.Today(), store.Upgrading{}); err != nil {
			t.Errorf("the data is not as it was: %v", err)
		}
	})

	t.Run("waits_for_one_that_has_stopped", func(t *testing.T) {
		e := NewStore(t, NewDatabase(t, h).MustOpen(t))
		runNode(t, e, "web-1", 9*time.Second)
		asked := 0
		err := store.Upgrade(t.Context(), e, Later(true), store.Upgrading{Clock: func() time.Time {
			if asked++; asked == 1 {
				return now
			}
			return now.Add(10 * time.Second)
		}})
		if err != nil || asked != 2 {
			t.Errorf("it answers %v after %d looks, want done with the second", err, asked)
		}
	})

	t.Run("does_not_look_for_others_where_a_step_only_adds", func(t *testing.T) {
		e := NewStore(t, NewDatabase(t, h).MustOpen(t))
		runNode(t, e, "web-1", 25*time.Second)
		if err := store.Upgrade(t.Context(), e, Later(false), store.Upgrading{Clock: besidesClock}); err != nil {
			t.Error(err)
		}
	})

	t.Run("an_older_server_knows_whether_it_can_go_on", func(t *testing.T) { goesOnBesides(t, h) })
	t.Run("what_is_no_longer_used_goes_beside_those_who_do_not_use_it", func(t *testing.T) { contractsBesides(t, h) })
}

// goesOnBesides: an older server knows whether it can go on.
func goesOnBesides(t *testing.T, h Harness) {
	e := NewDatabase(t, h).MustOpen(t)
	p, err := store.Open(t.Context(), e, Epoch("first"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Outdated(t.Context()); err != nil {
		t.Errorf("on its own version: %v", err)
	}
	if err := store.Upgrade(t.Context(), e, Later(false), store.Upgrading{Clock: besidesClock}); err != nil {
		t.Fatal(err)
	}
	if err := p.Outdated(t.Context()); err != nil {
		t.Errorf("beside a step that only adds: %v", err)
	}
	if err := store.Upgrade(t.Context(), e, Later(false, true), store.Upgrading{Clock: besidesClock}); err != nil {
		t.Fatal(err)
	}
	if err := p.Outdated(t.Context()); !errors.As(err, new(*store.OutdatedError)) {
		t.Errorf("beside a step that it does not survive: %v", err)
	}
}

// contractsBesides: what is no longer used goes beside those who do not use it.
func contractsBesides(t *testing.T, h Harness) {
	e := NewDatabase(t, h).MustOpen(t)
	p, err := store.Open(t.Context(), e, Epoch("first"))
	if err != nil {
		t.Fatal(err)
	}
	runNode(t, e, "web-1", 25*time.Second)
	err = store.Upgrade(t.Context(), e, Contracted(), store.Upgrading{Clock: besidesClock})
	if used := new(store.InUseError); !errors.As(err, &used) || used.To != store.SchemaVersion()+2 {
		t.Errorf("where the version between was skipped it answers %v, want that web-1 is in its way", err)
	}
	for _, to := range []schema.Schema{Later(false), Contracted()} {
		if err := store.Upgrade(t.Context(), e, to, store.Upgrading{Clock: besidesClock}); err != nil {
			t.Fatalf("version %d beside web-1: %v", to.Version(), err)
		}
	}
	wantEqual(t, "version", versionOf(t, e), fmt.Sprint(store.SchemaVersion()+2))
	if err := p.Outdated(t.Context()); !errors.As(err, new(*store.OutdatedError)) {
		t.Errorf("a server of two versions before goes on: %v", err)
	}
}
