package conformance

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/schema"
)

// Epoch returns a function that names an epoch, for store.Open.
func Epoch(name string) func() string { return func() string { return name } }

// schemas: any number of starts leave the same tables, and newer data is refused.
func schemas(t *testing.T, h Harness) {
	t.Run("notes_its_version", func(t *testing.T) {
		e := NewStore(t, NewDatabase(t, h).MustOpen(t))
		wantEqual(t, "version", versionOf(t, e), strconv.Itoa(store.SchemaVersion()))
	})

	t.Run("of_a_newer_server_is_refused_and_left_alone", func(t *testing.T) {
		d := NewDatabase(t, h)
		MustClose(t, NewStore(t, d.MustOpen(t)))
		newer := strconv.Itoa(store.SchemaVersion() + 7)
		e := d.MustOpen(t)
		MustExec(t, e, `UPDATE meta SET value = ? WHERE name = 'schema'`, newer)
		_, err := store.Open(t.Context(), e, Epoch("other"))
		if err == nil {
			t.Fatal("it was opened")
		}
		for _, version := range []string{newer, strconv.Itoa(store.SchemaVersion())} {
			if !strings.Contains(err.Error(), " "+version) {
				t.Errorf("the error does not name version %s: %v", version, err)
			}
		}
		wantEqual(t, "version afterwards", versionOf(t, e), newer)
	})

	t.Run("of_an_older_server_is_brought_up_to_date_with_what_is_in_it", func(t *testing.T) {
		e := NewStore(t, NewDatabase(t, h).MustOpen(t))
		MustExec(t, e, `INSERT INTO nodes (node, name, lease, version, started, heard) VALUES (?, 'web-1', 0, '', 0, 0)`,
			model.NodeID{1})
		var from []int
		err := store.Upgrade(t.Context(), e, Later(false, true), store.Upgrading{Begin: func(version int) error {
			from = append(from, version)
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "told", from, []int{1})
		wantEqual(t, "version", versionOf(t, e), "3")
		wantEqual(t, "what was there", Column[string](t, e, `SELECT name || later1 || later2 FROM nodes`), []string{"web-1"})
	})

	t.Run("is_known_to_a_program_that_could_open_it", func(t *testing.T) {
		e := NewStore(t, NewDatabase(t, h).MustOpen(t))
		for name, to := range map[string]schema.Schema{"of its version": store.Today(), "of a later one": Later(false)} {
			if err := store.WantKnown(t.Context(), e, to); err != nil {
				t.Errorf("a program %s: %v", name, err)
			}
		}
		if err := store.Upgrade(t.Context(), e, Later(false), store.Upgrading{}); err != nil {
			t.Fatal(err)
		}
		if err := store.WantKnown(t.Context(), e, store.Today()); err == nil || !strings.Contains(err.Error(), "newer") {
			t.Errorf("a program of an earlier version: %v", err)
		}
		MustExec(t, e, `UPDATE meta SET value = '1' WHERE name = 'schema'`)
		if err := store.WantKnown(t.Context(), e, store.Today()); !errors.Is(err, store.ErrShape) {
			t.Errorf("tables that are not those of their version: %v", err)
		}
	})

	t.Run("is_made_by_no_steps_where_there_is_nothing", func(t *testing.T) {
		e := NewDatabase(t, h).MustOpen(t)
		later := Later(false, true)
		for i := range later.Steps {
			later.Steps[i].SQL = "this is no step;\n"
		}
		for range 2 { // makes it, and looks at it
			if err := store.Upgrade(t.Context(), e, later, store.Upgrading{}); err != nil {
				t.Fatal(err)
			}
		}
		wantEqual(t, "version", versionOf(t, e), "3")
	})

	t.Run("stays_as_it_was_where_an_upgrade_ends_with_an_error", func(t *testing.T) {
		e := NewStore(t, NewDatabase(t, h).MustOpen(t))
		later := Later(false, true)
		later.Steps[1].SQL = "DROP TABLE nothing_of_this_name;\n"
		if err := store.Upgrade(t.Context(), e, later, store.Upgrading{}); err == nil ||
			!strings.Contains(err.Error(), "version 3") {
			t.Errorf("it answers %v", err)
		}
		if err := store.Upgrade(t.Context(), e, store.Today(), store.Upgrading{}); err != nil {
			t.Errorf("the data is not as it was: %v", err)
		}
	})

	t.Run("of_no_known_version_is_refused", func(t *testing.T) {
		e := NewStore(t, NewDatabase(t, h).MustOpen(t))
		MustExec(t, e, `UPDATE meta SET value = 'nonsense' WHERE name = 'schema'`)
		if _, err := store.Open(t.Context(), e, Epoch("other")); err == nil {
			t.Error("it was opened")
		}
	})

	t.Run("is_made_once_by_nodes_that_start_together", func(t *testing.T) {
		d := NewDatabase(t, h)
		nodes := d.MustOpenNodes(t, h)
		stores := make([]*store.Store, len(nodes))
		Everywhere(t, nodes, len(nodes), func(e store.Engine, node int) (err error) {
			stores[node], err = store.Open(t.Context(), e, Epoch(strconv.Itoa(node)))
			return err
		})
		for _, s := range stores {
			if s != nil {
				wantEqual(t, "epoch of a node", s.Epoch(), stores[0].Epoch())
				wantEqual(t, "secret of a node", string(s.Secret()), string(stores[0].Secret()))
			}
		}
	})
}
