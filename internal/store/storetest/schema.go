package storetest

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

func epoch(name string) func() string { return func() string { return name } }

// schema: any number of starts leave the same tables, and newer data is refused.
func schema(t *testing.T, h Harness) {
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
		wantEqual(t, "version", column[string](t, e, `SELECT value FROM meta WHERE name = 'schema'`), []string{strconv.Itoa(store.SchemaVersion())})
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
		wantEqual(t, "version afterwards", column[string](t, e, `SELECT value FROM meta WHERE name = 'schema'`), []string{newer})
	})

	t.Run("of_an_older_server_is_brought_up_to_date_with_what_is_in_it", func(t *testing.T) {
		d := newDatabase(t, h)
		e := d.mustOpen(t)
		if err := store.MigrateTo(t.Context(), e, 1); err != nil {
			t.Fatal(err)
		}
		account := model.AccountID{1}
		mustExec(t, e, `INSERT INTO keys (api_key, account, kind, secret_hash, previous_hash, previous_until, counter, issued_by, device, login,
			messages_per_day, requests_per_second, created, last_used, expires) VALUES (?, ?, 0, ?, ?, 0, ?, ?, '', 0, -1, -1, 1000, 0, 0)`,
			"old", account, []byte("hash"), []byte{}, "old", model.AccountID{})
		mustClose(t, e)
		p := d.mustOpenPlatform(t)
		wantEqual(t, "a key of version 1", mustFind(t, p, "the key", key("old")),
			model.Key{Key: "old", Account: account, SecretHash: []byte("hash"), PreviousHash: []byte{}, Counter: "old", Created: time.UnixMilli(1000).UTC()})
	})

	t.Run("of_an_older_server_keeps_what_members_had_not_read_of_their_groups", func(t *testing.T) {
		d := newDatabase(t, h)
		e := d.mustOpen(t)
		if err := store.MigrateTo(t.Context(), e, 6); err != nil {
			t.Fatal(err)
		}
		ann, bob := model.AccountID{1}, model.AccountID{2}
		g := model.Group{ID: model.GroupID{7}}
		mustExec(t, e, `INSERT INTO groups (group_token, organization, name, description, avatar, created_by, created, replay_history, is_public, deleted)
			VALUES (?, 'ward', 'Ward', '', '', ?, 0, 0, 0, 0)`, g.ID, ann)
		for i, member := range []model.AccountID{ann, bob} {
			mustExec(t, e, `INSERT INTO group_members (group_token, account, organization, joined) VALUES (?, ?, 'ward', ?)`, g.ID, member, 90+i)
		}
		conversation := `INSERT INTO conversations (account, organization, entity, is_group, last_message, unread, unread_priority, cleared, listed)
			VALUES (?, 'ward', ?, ?, ?, ?, ?, ?, ?)`
		mustExec(t, e, conversation, ann, g.ID, 1, 3000, 0, 0, 0, 1)
		mustExec(t, e, conversation, bob, g.ID, 1, 3000, 5, 2, 77, 1)
		mustExec(t, e, conversation, model.AccountID{3}, g.ID, 1, 0, 0, 0, 88, 0) // has left the group
		mustExec(t, e, conversation, bob, ann, 0, 2000, 1, 1, 0, 1)
		mustClose(t, e)
		p := d.mustOpenPlatform(t)
		ofGroup := store.Conversation{Organization: "ward", Entity: g.Entity(), Group: true, LastMessage: time.UnixMilli(3000).UTC(), Cleared: 90, Listed: true}
		wantEqual(t, "ann's roster", p.mustRoster(t, ann), []store.Conversation{ofGroup})
		ofGroup.Unread, ofGroup.UnreadPriority, ofGroup.Cleared = 5, 2, 91
		wantEqual(t, "bob's roster", p.mustRoster(t, bob), []store.Conversation{ofGroup, {Organization: "ward", Entity: model.EntityID(ann),
			LastMessage: time.UnixMilli(2000).UTC(), Unread: 1, UnreadPriority: 1, Listed: true}})
		p.wantUnread(t, bob, 6, 3)
		wantEqual(t, "roster of who has left", len(p.mustRoster(t, model.AccountID{3})), 0)
	})

	t.Run("of_a_server_that_kept_no_status_with_events_tells_it_all_the_same", func(t *testing.T) {
		d := newDatabase(t, h)
		e := d.mustOpen(t)
		if err := store.MigrateTo(t.Context(), e, 5); err != nil {
			t.Fatal(err)
		}
		const organization = model.OrganizationID("aaaaaaaaaaaaaaaaaaaaaaaa")
		sender, reader, message := model.AccountID{1}, model.AccountID{2}, model.MessageID{3}
		mustExec(t, e, `INSERT INTO messages (organization, message, sender, recipient, is_group, content, blob, created, expires, ends,
			ttl, dor, priority, sort, recalled, replay, original_sender, original_created)
			VALUES (?, ?, ?, ?, 0, ?, ?, 1000, ?, ?, -1, 0, 0, 7, 0, 0, ?, 0)`,
			organization, message, sender, reader, []byte("sealed"), model.BlobID{}, int64(1)<<53, int64(1)<<53, model.AccountID{})
		mustExec(t, e, `INSERT INTO deliveries (organization, message, account, position, replayed, status, status_time, status_event)
			VALUES (?, ?, ?, 7, 0, 1, 1000, 0)`, organization, message, reader)
		mustExec(t, e, `INSERT INTO events (account, position, organization, kind, message, payload) VALUES (?, 7, ?, 'message', ?, '')`,
			reader, organization, message)
		mustClose(t, e)
		queue := d.mustOpenPlatform(t).mustQueue(t, reader)
		if len(queue) != 1 || queue[0].Status != model.Delivered || string(queue[0].Message.Sealed) != "sealed" {
			t.Errorf("the queue holds %+v", queue)
		}
	})

	t.Run("of_an_older_server_gets_numbers_for_organizations_and_kinds", func(t *testing.T) {
		d := newDatabase(t, h)
		e := d.mustOpen(t)
		if err := store.MigrateTo(t.Context(), e, 7); err != nil {
			t.Fatal(err)
		}
		const upper, lower, gone = model.OrganizationID("BBBBBBBBBBBBBBBBBBBBBBBB"), model.OrganizationID("aaaaaaaaaaaaaaaaaaaaaaaa"), model.OrganizationID("0000000000000000deleted0")
		ann, bob := model.AccountID{1}, model.AccountID{2}
		var want []store.EventRow
		for i, organization := range []model.OrganizationID{lower, upper, gone} {
			if organization != gone {
				mustExec(t, e, `INSERT INTO organizations (organization, name, settings, created) VALUES (?, 'Hospital', '{}', 0)`, organization)
			}
			message, position := model.MessageID{byte(3 + i)}, int64(70+i)
			mustExec(t, e, `INSERT INTO messages (organization, message, sender, recipient, is_group, content, blob, created, expires, ends,
				ttl, dor, priority, sort, recalled, replay, original_sender, original_created)
				VALUES (?, ?, ?, ?, 0, ?, ?, 1000, ?, ?, 5, 0, 1, ?, 0, 0, ?, 0)`,
				organization, message, ann, bob, []byte("sealed"), []byte{}, int64(1)<<53, int64(1)<<53, position, []byte{})
			mustExec(t, e, `INSERT INTO deliveries (organization, message, account, position, replayed, status, status_time, status_event)
				VALUES (?, ?, ?, ?, 0, 1, 1000, 80)`, organization, message, bob, position)
			mustExec(t, e, `INSERT INTO events (account, position, organization, kind, message, payload, status) VALUES (?, ?, ?, 'message', ?, '', ?)`,
				bob, position, organization, message, []int{-1, 1, 1}[i])
			want = append(want, store.EventRow{Position: position, Kind: model.EventMessage, Organization: organization, MessageID: message, Payload: []byte{},
				Status: model.Delivered, Message: &store.MessageRow{Message: model.Message{ID: message, Organization: organization, Sender: ann, Recipient: model.EntityID(bob),
					Created: time.UnixMilli(1000).UTC(), TTL: 5, Priority: 1, Sort: position}, Sealed: []byte("sealed")}})
		}
		for i, kind := range []model.EventKind{model.EventStatus, model.EventGroupStatus, model.EventFriends, model.EventBang, model.EventUpdate,
			model.EventSettings, model.EventPresence, model.EventAdminRequest, model.EventConversationMute, model.EventTyping, model.EventAdvisory} {
			organization := []model.OrganizationID{"", lower, gone}[i%3]
			mustExec(t, e, `INSERT INTO events (account, position, organization, kind, message, payload, status) VALUES (?, ?, ?, ?, ?, ?, 0)`,
				bob, 100+i, organization, string(kind), model.MessageID{}, "{}")
			want = append(want, store.EventRow{Position: int64(100 + i), Kind: kind, Organization: organization, Payload: []byte("{}")})
		}
		mustClose(t, e)
		p := d.mustOpenPlatform(t)
		for i, e := range p.mustQueue(t, bob) {
			wantEqual(t, "event "+strconv.Itoa(i), e, want[i])
		}
		wantEqual(t, "length of the queue", len(p.mustQueue(t, bob)), len(want))
		copies := mustRead(t, p, func(tx *store.Tx) ([]store.Delivery, error) { return tx.Deliveries(upper, model.MessageID{4}) })
		wantEqual(t, "copies", copies, []store.Delivery{{Account: bob, Position: 71, Status: model.Delivered, StatusTime: time.UnixMilli(1000).UTC(), StatusEvent: 80}})
		p.made.Store(1 << 40)
		next := p.letter(p.mustOrganization(t, ann, bob), ann, bob)
		p.mustSend(t, next)
		wantEqual(t, "messages of an organization that comes after", mustRead(t, p, func(tx *store.Tx) ([]store.MessageRow, error) { return tx.MessagesOf(next.Organization, 10) }),
			[]store.MessageRow{*next})
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
