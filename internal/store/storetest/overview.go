package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/legalhold"
	"signet/internal/store/overview"
	"signet/internal/store/presence"
)

// overviews are what consoles ask of many at a time.
func overviews(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	first, second := p.mustOrganization(t, ann, bob, eve), p.mustOrganization(t, ann)
	accounts := []model.AccountID{ann, bob, eve}
	slices.SortFunc(accounts, func(a, b model.AccountID) int { return slices.Compare(a[:], b[:]) })

	t.Run("organizations_with_their_counts", func(t *testing.T) {
		names := mustRead(t, p, overview.OrganizationNames)
		if len(names) != 2 {
			t.Fatalf("got %v, want two", names)
		}
		for _, id := range []model.OrganizationID{first, second} {
			want := mustFind(t, p, "it", organization(id))
			got := mustRead(t, p, func(tx *store.Tx) ([]model.Organization, error) {
				return overview.OrganizationsAmong(tx, []model.OrganizationID{id, p.organizationID()})
			})
			wantEqual(t, "among", got, []model.Organization{want})
			if !slices.Contains(names, overview.OrganizationName{ID: id, Name: want.Name}) {
				t.Errorf("%v lack %s", names, id)
			}
		}
		deleted := p.mustGroup(t, first, ann)
		deleted.Deleted = true
		p.mustGroup(t, first, ann)
		p.mustUpdate(t, func(tx *store.Tx) error {
			return errors.Join(tx.UpdateGroup(&deleted), tx.AskForRole(first, bob, model.RoleAdmin, p.now()),
				tx.PutRole(first, ann, model.RoleAdmin), legalhold.Set(tx, second, p.now()))
		})
		got := mustRead(t, p, func(tx *store.Tx) (map[model.OrganizationID]*overview.Counts, error) {
			return overview.CountsOf(tx, []model.OrganizationID{first, second})
		})
		wantEqual(t, "first", *got[first], overview.Counts{Members: 3, Groups: 1, Requests: 1})
		wantEqual(t, "second", *got[second], overview.Counts{Members: 1, Holds: 1})
	})
	t.Run("members_and_requests_in_order", func(t *testing.T) {
		members := func(after model.AccountID, limit int) []model.AccountID {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) ([]model.AccountID,
				error) {
				return tx.MembersAfter(first, after, limit)
			})
		}
		wantEqual(t, "all", members(model.AccountID{}, 10), accounts)
		wantEqual(t, "the first", members(model.AccountID{}, 2), accounts[:2])
		wantEqual(t, "the rest", members(accounts[1], 2), accounts[2:])
		p.mustUpdate(t, func(tx *store.Tx) error {
			return errors.Join(tx.AskForRole(first, eve, model.RoleAdmin, p.now()), tx.AskForRole(first, eve, "help", p.now()),
				tx.AskForRole(second, ann, model.RoleAdmin, p.now()))
		})
		asking := func(after model.AccountID, limit int) []model.AccountID {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) {
				return overview.RequestsAfter(tx, first, model.RoleAdmin, after, limit)
			})
		}
		want := slices.DeleteFunc(slices.Clone(accounts), func(id model.AccountID) bool { return id == ann })
		wantEqual(t, "who asks", asking(model.AccountID{}, 10), want)
		wantEqual(t, "the first who asks", asking(model.AccountID{}, 1), want[:1])
		wantEqual(t, "the next", asking(want[0], 1), want[1:])
		pending := mustRead(t, p, func(tx *store.Tx) (map[model.AccountID][]overview.PendingRole, error) {
			return overview.PendingRoles(tx, first, []model.AccountID{ann, eve})
		})
		wantEqual(t, "what for", pending, map[model.AccountID][]overview.PendingRole{
			eve: {{Role: "admin", Since: p.now()}, {Role: "help", Since: p.now()}}})
	})
	t.Run("keys_of_several_accounts", func(t *testing.T) {
		for i, owner := range []model.AccountID{bob, ann, bob} {
			k := model.Key{Key: "key " + string(rune('a'+i)), Account: owner, SecretHash: []byte{1}, PreviousHash: []byte{},
				Created: p.now()}
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertKey(&k) })
		}
		got := mustRead(t, p, func(tx *store.Tx) (map[model.AccountID][]model.Key, error) { return tx.KeysOfEach(accounts) })
		if len(got[bob]) != 2 || len(got[ann]) != 1 || len(got[eve]) != 0 || got[bob][0].Key != "key a" {
			t.Errorf("got %v", got)
		}
		owners := func(after model.AccountID, limit int) []model.AccountID {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) ([]model.AccountID,
				error) {
				return overview.KeyOwnersAfter(tx, after, limit)
			})
		}
		want := slices.DeleteFunc(slices.Clone(accounts), func(id model.AccountID) bool { return id == eve })
		wantEqual(t, "owners", owners(model.AccountID{}, 10), want)
		wantEqual(t, "the first", owners(model.AccountID{}, 1), want[:1])
		wantEqual(t, "the next", owners(want[0], 10), want[1:])
	})
	t.Run("requests_for_memberships", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error {
			for _, id := range accounts {
				if _, err := tx.PutJoinRequest(store.JoinRequest{Organization: second, Account: id, Created: p.now()}); err != nil {
					return err
				}
			}
			return nil
		})
		made := p.mustAccount(t, "made", func(a *model.Account) { a.CreatedBy = first })
		p.mustUpdate(t, func(tx *store.Tx) error {
			_, err := tx.PutJoinRequest(store.JoinRequest{Organization: p.organizationID(), Account: made.ID, Created: p.now()})
			return err
		})
		joins := func(organization model.OrganizationID, after model.AccountID, limit int) []model.AccountID {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) {
				return overview.JoinsAfter(tx, organization, after, limit)
			})
		}
		wantEqual(t, "that it wants", joins(second, model.AccountID{}, 10), accounts)
		wantEqual(t, "the first", joins(second, model.AccountID{}, 1), accounts[:1])
		wantEqual(t, "the rest", joins(second, accounts[0], 10), accounts[1:])
		wantEqual(t, "of those that it created", joins(first, model.AccountID{}, 10), []model.AccountID{made.ID})
		of := mustRead(t, p, func(tx *store.Tx) (map[model.AccountID][]store.JoinRequest, error) {
			return tx.JoinRequestsOf([]model.AccountID{ann, made.ID, p.id()})
		})
		if len(of) != 2 || of[ann][0].Organization != second || of[ann][0].Account != ann {
			t.Errorf("got %v", of)
		}
		counts := mustRead(t, p, func(tx *store.Tx) (map[model.OrganizationID]*overview.Counts, error) {
			return overview.CountsOf(tx, []model.OrganizationID{first, second})
		})
		wantEqual(t, "requests of the first", counts[first].Requests, 3) // two for a role
		wantEqual(t, "requests of the second", counts[second].Requests, 4)
		for id, want := range map[model.OrganizationID]int{first: 3, second: 4, p.organizationID(): 0} {
			n := mustRead(t, p, func(tx *store.Tx) (int, error) { return overview.RequestsIn(tx, id) })
			wantEqual(t, "requests of one", n, want)
		}
	})
	t.Run("what_waits_in_queues", func(t *testing.T) { queueOverviews(t, h) })
	t.Run("messages_by_time", func(t *testing.T) { messageOverviews(t, h) })
	t.Run("figures_of_groups", func(t *testing.T) {
		silent, busy := p.mustGroup(t, first, ann), p.mustGroup(t, first, ann, bob, eve)
		p.mustSend(t, p.groupLetter(&busy, ann))
		got := mustRead(t, p, func(tx *store.Tx) (map[model.GroupID]overview.GroupFigures, error) {
			return overview.FiguresOfGroups(tx, []model.GroupID{silent.ID, busy.ID, p.id()})
		})
		if f := got[busy.ID]; len(got) != 2 || got[silent.ID] != (overview.GroupFigures{Members: 1}) || f.Members != 3 ||
			f.LastMessage.Sub(p.now()).Abs() > time.Minute {
			t.Errorf("got %v", got)
		}
	})
}

func queueOverviews(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	organization, other := p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann, bob)
	g := p.mustGroup(t, organization, ann, bob)
	begun := p.now()
	letter, elsewhere, toGroup := p.letter(organization, ann, bob), p.letter(other, ann, bob), p.groupLetter(&g, ann)
	for _, m := range []*store.MessageRow{letter, elsewhere, toGroup} {
		p.mustSend(t, m)
	}
	both := []model.AccountID{ann, bob}
	lengths := mustRead(t, p, func(tx *store.Tx) ([]overview.QueueLength, error) {
		return overview.QueuesIn(tx, organization, both)
	})
	if len(lengths) != 1 || lengths[0].Account != bob || lengths[0].Events != 2 ||
		store.TimeOf(lengths[0].First).Sub(begun).Abs() > time.Minute {
		t.Errorf("got %v", lengths)
	}
	with := func(upTo int64) []model.AccountID {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) {
			return overview.WithUndelivered(tx, organization, both, upTo)
		})
	}
	wantEqual(t, "with something", with(store.EndOfQueue), []model.AccountID{bob})
	wantEqual(t, "before", len(with(lengths[0].First-1)), 0)
	waiting := func(after, upTo int64, limit int) (out []model.MessageID) {
		t.Helper()
		for _, m := range mustRead(t, p, func(tx *store.Tx) ([]overview.QueuedMessage, error) {
			return overview.Undelivered(tx, bob, organization, after, upTo, limit)
		}) {
			out = append(out, m.Message)
		}
		return out
	}
	wantEqual(t, "all", waiting(0, store.EndOfQueue, 10), []model.MessageID{letter.ID, toGroup.ID})
	wantEqual(t, "one", waiting(0, store.EndOfQueue, 1), []model.MessageID{letter.ID})
	wantEqual(t, "the next", waiting(lengths[0].First, store.EndOfQueue, 10), []model.MessageID{toGroup.ID})
	counts := func(account model.AccountID) map[model.MessageID]overview.NewCopies {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) (map[model.MessageID]overview.NewCopies, error) {
			return overview.CountNew(tx, organization, account, []model.MessageID{letter.ID, toGroup.ID})
		})
	}
	wantEqual(t, "with bob", counts(bob), map[model.MessageID]overview.NewCopies{letter.ID: {All: 1},
		toGroup.ID: {All: 1}})
	wantEqual(t, "behind bob", counts(model.AccountID{0xff})[letter.ID], overview.NewCopies{All: 1, Before: 1})
	p.mustMarkRead(t, letter, bob)
	if n, there := counts(bob)[letter.ID]; there {
		t.Errorf("a message that was read is New %v", n)
	}
	streams := mustRead(t, p, func(tx *store.Tx) ([]presence.Stream, error) {
		return presence.StreamsOfEach(tx, both, p.now())
	})
	wantEqual(t, "streams", len(streams), 0)
}
