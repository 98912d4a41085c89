package storetest

import (
	"strconv"
	"strings"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
)

func epoch(name string) func() string { return func() string { return name } }

// schemas: any number of starts leave the same tables, and newer data is refused.
func schemas(t *testing.T, h Harness) {
	t.Run("is_made_from_nothing_and_made_once", func(t *testing.T) {
		d := newDatabase(t, h)
		p := d.mustOpenPlatform(t)
		account := p.mustAccount(t, "ann")
		mustClose(t, p)
		for range 2 {
			p = d.mustOpenPlatform(t)
			got := mustFind(t, p, "the account", func(tx *store.Tx) (any, bool, error) {
				a, found, err := tx.Account(account.ID)
				return a, found, err
			})
			wantEqual[any](t, "account after a restart", got, account)
			mustClose(t, p)
		}
	})

	t.Run("notes_its_version", func(t *testing.T) {
		e := newStore(t, newDatabase(t, h).mustOpen(t))
		wantEqual(t, "version", versionOf(t, e), strconv.Itoa(store.SchemaVersion()))
	})

	t.Run("of_a_newer_server_is_refused_and_left_alone", func(t *testing.T) {
		d := newDatabase(t, h)
		mustClose(t, newStore(t, d.mustOpen(t)))
		newer := strconv.Itoa(store.SchemaVersion() + 7)
		e := d.mustOpen(t)
		mustExec(t, e, `UPDATE meta SET value = ? WHERE name = 'schema'`, newer)
		_, err := store.Open(t.Context(), e, epoch("other"))
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
		e := newStore(t, newDatabase(t, h).mustOpen(t))
		mustExec(t, e, `INSERT INTO nodes (node, name, lease, version, started, heard) VALUES (?, 'web-1', 0, '', 0, 0)`,
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
		wantEqual(t, "what was there", column[string](t, e, `SELECT name || later1 || later2 FROM nodes`), []string{"web-1"})
	})

	t.Run("is_made_by_no_steps_where_there_is_nothing", func(t *testing.T) {
		e := newDatabase(t, h).mustOpen(t)
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
		e := newStore(t, newDatabase(t, h).mustOpen(t))
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
		e := newStore(t, newDatabase(t, h).mustOpen(t))
		mustExec(t, e, `UPDATE meta SET value = 'nonsense' WHERE name = 'schema'`)
		if _, err := store.Open(t.Context(), e, epoch("other")); err == nil {
			t.Error("it was opened")
		}
	})

	t.Run("is_made_once_by_nodes_that_start_together", func(t *testing.T) {
		d := newDatabase(t, h)
		nodes := d.mustOpenNodes(t, h)
		stores := make([]*store.Store, len(nodes))
		everywhere(t, nodes, len(nodes), func(e store.Engine, node int) (err error) {
			stores[node], err = store.Open(t.Context(), e, epoch(strconv.Itoa(node)))
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

// reopening: what was answered is there after a restart.
func reopening(t *testing.T, h Harness) {
	t.Run("keeps_the_epoch_and_the_secret", func(t *testing.T) {
		d := newDatabase(t, h)
		p := d.mustOpenPlatform(t)
		secret := string(p.Secret())
		if len(secret) < 32 {
			t.Errorf("the secret has %d bytes", len(secret))
		}
		wantEqual(t, "epoch", p.Epoch(), "first")
		mustClose(t, p)
		for _, name := range []string{"second", "third"} {
			again, err := store.Open(t.Context(), d.mustOpen(t), epoch(name))
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, "epoch after a restart", again.Epoch(), "first")
			wantEqual(t, "secret after a restart", string(again.Secret()), secret)
			mustClose(t, again)
		}
		if other := newPlatform(t, h); string(other.Secret()) == secret {
			t.Error("two installations have the same secret")
		}
	})

	t.Run("keeps_messages_queues_and_counters", func(t *testing.T) {
		d := newDatabase(t, h)
		p := d.mustOpenPlatform(t)
		ann, bob := p.mustAccount(t, "ann").ID, p.mustAccount(t, "bob").ID
		organization := p.mustOrganization(t, ann, bob)
		var sent []*store.MessageRow
		for range 3 {
			m := p.letter(organization, ann, bob)
			p.mustSend(t, m)
			sent = append(sent, m)
			mustClose(t, p)
			made := p.made.Load()
			p = d.mustOpenPlatform(t)
			p.made.Store(made)
			p.wantQueued(t, bob, sent...)
			p.wantUnread(t, bob, len(sent), 0)
		}
	})
}
