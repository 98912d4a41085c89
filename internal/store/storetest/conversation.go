package storetest

import (
	"errors"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/erasure"
)

func conversation(account model.AccountID, organization model.OrganizationID,
	entity model.EntityID) func(*store.Tx) (store.Conversation, bool, error) {
	return func(tx *store.Tx) (store.Conversation, bool, error) {
		return tx.Conversation(account, organization, entity)
	}
}

func (p *platform) mustRoster(t testing.TB, account model.AccountID) []store.Conversation {
	t.Helper()
	return mustRead(t, p, func(tx *store.Tx) ([]store.Conversation, error) { return tx.Roster(account) })
}

func groupConversation(account model.AccountID, g *model.Group) func(*store.Tx) (store.Conversation, bool, error) {
	return func(tx *store.Tx) (store.Conversation, bool, error) { return tx.GroupConversation(account, g.ID) }
}

func conversations(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	first, second := p.mustOrganization(t, ann, bob, eve), p.mustOrganization(t, ann, bob)
	of := func(account model.AccountID, entity model.EntityID) store.Conversation {
		t.Helper()
		return mustFind(t, p, "conversation", conversation(account, first, entity))
	}
	ofGroup := func(account model.AccountID, g *model.Group) store.Conversation {
		t.Helper()
		return mustFind(t, p, "conversation", groupConversation(account, g))
	}

	t.Run("begin_with_a_message_for_both", func(t *testing.T) {
		wantMissing(t, p, "one before", conversation(ann, first, model.EntityID(bob)))
		m := p.letter(first, ann, bob)
		m.Priority = 1
		p.mustSend(t, m)
		wantEqual(t, "the sender's", of(ann, model.EntityID(bob)), store.Conversation{
			Organization: first, Entity: model.EntityID(bob), LastMessage: p.now(), Listed: true, LastSort: m.Sort,
		})
		wantEqual(t, "the recipient's", of(bob, model.EntityID(ann)), store.Conversation{
			Organization: first, Entity: model.EntityID(ann), LastMessage: p.now(), Unread: 1, UnreadPriority: 1, Listed: true,
			LastSort: m.Sort,
		})
		wantMissing(t, p, "one in another organization", conversation(bob, second, model.EntityID(ann)))
	})
	t.Run("go_on_with_the_next", func(t *testing.T) {
		p.clock.Advance(time.Second)
		p.mustSend(t, p.letter(first, bob, ann))
		m := p.letter(first, ann, bob)
		p.mustSend(t, m)
		wantEqual(t, "one side", of(ann, model.EntityID(bob)), store.Conversation{
			Organization: first, Entity: model.EntityID(bob), LastMessage: p.now(), Unread: 1, Listed: true,
			LastSort: m.Sort,
		})
		wantEqual(t, "the other", of(bob, model.EntityID(ann)), store.Conversation{
			Organization: first, Entity: model.EntityID(ann), LastMessage: p.now(), Unread: 2, UnreadPriority: 1, Listed: true,
			LastSort: m.Sort,
		})
	})
	t.Run("with_oneself_are_one", func(t *testing.T) {
		m := p.letter(first, eve, eve)
		p.mustSend(t, m)
		wantEqual(t, "it", of(eve, model.EntityID(eve)), store.Conversation{
			Organization: first, Entity: model.EntityID(eve), LastMessage: p.now(), Unread: 1, Listed: true,
			LastSort: m.Sort,
		})
	})
	t.Run("of_a_group_are_those_of_its_members", func(t *testing.T) {
		g := p.mustGroup(t, first, ann, bob)
		entered := ofGroup(bob, &g).Cleared
		if entered == 0 {
			t.Error("what a new member had of the group before would count")
		}
		empty := store.Conversation{Organization: first, Entity: g.Entity(), Group: true, Listed: true, Cleared: entered,
			Floor: entered}
		wantEqual(t, "a new member's", ofGroup(bob, &g), empty)
		p.clock.Advance(time.Second)
		m := p.groupLetter(&g, ann)
		p.mustSend(t, m)
		empty.LastMessage, empty.LastSort = p.now(), m.Sort
		empty.Cleared = ofGroup(ann, &g).Cleared
		empty.Floor = empty.Cleared
		wantEqual(t, "the sender's", ofGroup(ann, &g), empty)
		empty.Unread, empty.Cleared, empty.Floor = 1, entered, entered
		wantEqual(t, "a member's", ofGroup(bob, &g), empty)
		wantEqual(t, "those of its roster", p.mustRoster(t, bob)[0], empty)
		wantMissing(t, p, "one of somebody else", groupConversation(eve, &g))
	})
	t.Run("of_a_group_begin_anew_when_a_member_comes_back", func(t *testing.T) {
		g := p.mustGroup(t, first, ann, bob)
		before := p.groupLetter(&g, ann)
		p.mustSend(t, before)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.RemoveGroupMembers(g.ID, []model.AccountID{bob}, 1) })
		wantMissing(t, p, "one of who has left", groupConversation(bob, &g))
		p.mustMarkRead(t, before, bob)
		p.mustUpdate(t, func(tx *store.Tx) error {
			position, err := tx.Position(1, bob)
			return errors.Join(err, tx.AddGroupMembers(&g, []model.AccountID{bob}, position, 0, store.Stay{}))
		})
		p.mustSend(t, p.groupLetter(&g, ann))
		p.mustUpdate(t, func(tx *store.Tx) error { return takeBack(tx, before) })
		wantEqual(t, "unread", ofGroup(bob, &g).Unread, 1)
	})
	t.Run("of_a_group_end_with_the_membership_in_its_organization", func(t *testing.T) {
		for name, back := range map[string]bool{"gone": false, "back": true} { // before its turn to leave the group
			carl := p.mustAccount(t, name).ID
			organization := p.mustOrganization(t, ann, carl)
			g := p.mustGroup(t, organization, ann, carl)
			p.mustUpdate(t, func(tx *store.Tx) error {
				err := tx.DeleteMembership(organization, carl)
				if back {
					err = errors.Join(err, join(tx, organization, carl, p.now()))
				}
				return errors.Join(err, tx.RemoveGroupMembers(g.ID, []model.AccountID{ann, carl}, 1))
			})
			for account, want := range map[model.AccountID]bool{ann: true, carl: false} {
				p.mustUpdate(t, func(tx *store.Tx) error {
					_, past, err := tx.PastGroupName(account, g.ID)
					wantEqual(t, "was in it", past, want)
					return err
				})
			}
		}
	})
	t.Run("are_listed_the_newest_first", func(t *testing.T) {
		p := newPlatform(t, h)
		me := p.mustAccount(t, "me").ID
		organization := p.mustOrganization(t, me)
		other := p.mustOrganization(t, me)
		var peers []model.AccountID
		for range 3 {
			peers = append(peers, p.id())
		}
		for _, i := range []int{1, 0} {
			p.clock.Advance(time.Second)
			p.mustSend(t, p.letter(organization, me, peers[i]))
		}
		p.mustUpdate(t, func(tx *store.Tx) error {
			return errors.Join(tx.ListConversation(me, organization, model.EntityID(peers[2])),
				tx.ListConversation(me, other, model.EntityID(peers[1])))
		})
		listed := func() (out []model.EntityID) {
			t.Helper()
			for _, c := range p.mustRoster(t, me) {
				out = append(out, c.Entity)
			}
			return out
		}
		want := []model.EntityID{model.EntityID(peers[0]), model.EntityID(peers[1]), model.EntityID(peers[1]),
			model.EntityID(peers[2])}
		wantEqual(t, "roster", listed(), want)
		p.mustUpdate(t, func(tx *store.Tx) error {
			return tx.ClearConversation(me, organization, model.EntityID(peers[0]), 1)
		})
		wantEqual(t, "roster after a removal", listed(), want[1:])
		p.mustUpdate(t, func(tx *store.Tx) error {
			return tx.ListConversation(me, organization, model.EntityID(peers[0]))
		})
		wantEqual(t, "length of the roster when it is back", len(listed()), 4)
	})
	t.Run("tell_who_has_each_other", func(t *testing.T) {
		mutual := func(account model.AccountID) []model.AccountID {
			t.Helper()
			out := []model.AccountID{}
			for _, m := range mustRead(t, p, func(tx *store.Tx) ([]store.Mutual, error) { return tx.MutualRoster(account) }) {
				wantEqual(t, "where", m.Organization, first)
				out = append(out, m.Account)
			}
			return out
		}
		wantSame(t, "mutual", mutual(ann), bob)
		wantSame(t, "mutual with oneself only", mutual(eve))
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.ListConversation(ann, first, model.EntityID(eve)) })
		wantSame(t, "mutual, one-sided", mutual(ann), bob)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.ListConversation(eve, first, model.EntityID(ann)) })
		wantSame(t, "mutual, both", mutual(ann), bob, eve)
		p.mustUpdate(t, func(tx *store.Tx) error {
			return tx.ClearConversation(bob, first, model.EntityID(ann), 1<<60)
		})
		wantSame(t, "mutual after a removal on the other side", mutual(ann), eve)
	})
}

// laterMessages: messages that share a transaction are noted in any order, and the last is the one with the highest
// position.
func laterMessages(t *testing.T, h conformance.Harness) {
	p, ann, bob, _ := newTrio(t, h)
	organization := p.mustOrganization(t, ann, bob)
	g := p.mustGroup(t, organization, ann, bob)
	for _, m := range []*store.MessageRow{p.letter(organization, ann, bob), p.groupLetter(&g, ann)} {
		p.mustSend(t, m)
		p.mustUpdate(t, func(tx *store.Tx) error {
			early := *m
			early.Sort, early.Created = m.Sort-1, m.Created.Add(-time.Second)
			if m.Group {
				return tx.NoteSentToGroup(&early)
			}
			return errors.Join(tx.NoteSent(&early), tx.NoteReceived(&early, bob))
		})
		for _, account := range []model.AccountID{ann, bob} {
			for _, c := range p.mustRoster(t, account) {
				if c.Group == m.Group && (c.LastSort != m.Sort || !c.LastMessage.Equal(m.Created)) {
					t.Errorf("the last message is %d, of %v, want %d, of %v", c.LastSort, c.LastMessage, m.Sort, m.Created)
				}
			}
		}
	}
}

// unreadCounters: they say what a count of the rows would.
func unreadCounters(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	first, second := p.mustOrganization(t, ann, bob, eve), p.mustOrganization(t, ann, bob)
	g := p.mustGroup(t, first, ann, bob, eve)
	mustSend := func(m *store.MessageRow, priority int) *store.MessageRow {
		t.Helper()
		m.Priority = priority
		p.mustSend(t, m)
		return m
	}
	end := func(m *store.MessageRow) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error {
			return errors.Join(takeBack(tx, m), tx.DeleteMessages(*m))
		})
	}

	urgent := mustSend(p.letter(first, ann, bob), 1)
	mustSend(p.letter(second, ann, bob), 0)
	low := mustSend(p.groupLetter(&g, ann), -1)
	p.wantUnread(t, ann, 0, 0)
	p.wantUnread(t, bob, 3, 1)
	p.wantUnread(t, eve, 1, 0)

	t.Run("sum_by_organization", func(t *testing.T) {
		for organization, want := range map[model.OrganizationID][2]int{first: {2, 1}, second: {1, 0},
			p.organizationID(): {0, 0}} {
			p.wantUnreadIn(t, bob, organization, want[0], want[1])
		}
	})
	t.Run("go_down_when_one_is_read", func(t *testing.T) {
		p.mustMarkRead(t, urgent, bob)
		p.wantUnread(t, bob, 2, 0)
		p.mustMarkRead(t, low, bob)
		p.wantUnread(t, bob, 1, 0)
		p.wantUnread(t, eve, 1, 0)
	})
	t.Run("go_down_when_one_ends_with_those_who_have_not_read_it", func(t *testing.T) {
		end(low)
		p.wantUnread(t, bob, 1, 0)
		p.wantUnread(t, eve, 0, 0)
		end(urgent)
		p.wantUnread(t, bob, 1, 0)
	})
	t.Run("do_not_hold_what_has_ended_and_is_not_swept", func(t *testing.T) {
		short := p.groupLetter(&g, ann)
		short.Expires = p.now().Add(time.Minute)
		mustSend(short, 1)
		read := p.groupLetter(&g, ann)
		read.Expires = short.Expires
		mustSend(read, 1)
		p.mustMarkRead(t, read, bob)
		p.wantUnread(t, bob, 2, 1)
		p.wantUnread(t, eve, 2, 2)
		p.clock.Advance(time.Minute)
		p.wantUnread(t, bob, 1, 0)
		p.wantUnreadIn(t, bob, first, 0, 0)
		p.wantUnreadIn(t, bob, second, 1, 0)
		p.wantUnread(t, eve, 0, 0)
		p.wantUnreadIn(t, eve, first, 0, 0)
		unswept := mustRead(t, p, func(tx *store.Tx) ([]store.Conversation, error) { return tx.UnsweptUnread(eve, p.now()) })
		wantEqual(t, "unswept", unswept,
			[]store.Conversation{{Organization: first, Entity: g.Entity(), Group: true, Unread: 2, UnreadPriority: 2,
				Listed: true}})
		end(short)
		end(read)
		p.wantUnread(t, bob, 1, 0)
		p.wantUnread(t, eve, 0, 0)
	})
	t.Run("do_not_take_off_twice_what_was_recalled", func(t *testing.T) {
		m := mustSend(p.groupLetter(&g, ann), 1)
		p.mustUpdate(t, func(tx *store.Tx) error { return errors.Join(takeBack(tx, m), tx.RecallMessage(m)) })
		p.wantUnread(t, eve, 0, 0)
		p.clock.Advance(time.Hour)
		p.wantUnread(t, eve, 0, 0)
	})
	t.Run("start_again_when_the_conversation_was_removed", func(t *testing.T) {
		p.wantUnread(t, bob, 0, 0)
		before := mustSend(p.letter(first, ann, bob), 1)
		p.mustUpdate(t, func(tx *store.Tx) error {
			position, err := tx.Position(1, bob)
			return errors.Join(err, tx.ClearConversation(bob, first, model.EntityID(ann), position))
		})
		p.wantUnread(t, bob, 0, 0)
		after := mustSend(p.letter(first, ann, bob), 0)
		p.wantUnread(t, bob, 1, 0)
		p.mustMarkRead(t, before, bob)
		end(before)
		p.wantUnread(t, bob, 1, 0)
		p.mustMarkRead(t, after, bob)
		p.wantUnread(t, bob, 0, 0)
	})
	t.Run("start_again_when_the_group_was_left", func(t *testing.T) {
		before := mustSend(p.groupLetter(&g, ann), 1)
		p.mustUpdate(t, func(tx *store.Tx) error {
			position, err := tx.Position(2, bob, eve)
			return errors.Join(err, tx.RemoveGroupMembers(g.ID, []model.AccountID{bob, eve}, 1),
				tx.AddGroupMembers(&g, []model.AccountID{bob, eve}, position, 0, store.Stay{}))
		})
		p.wantUnread(t, eve, 0, 0)
		after := mustSend(p.groupLetter(&g, ann), 1)
		p.wantUnread(t, eve, 1, 1)
		p.mustMarkRead(t, before, eve)
		p.wantUnread(t, eve, 1, 1)
		end(before)
		p.wantUnread(t, eve, 1, 1)
		p.mustMarkRead(t, after, eve)
		p.wantUnread(t, eve, 0, 0)
		end(after)
		p.wantUnread(t, eve, 0, 0)
	})
	t.Run("do_not_hold_what_is_in_a_deleted_group", func(t *testing.T) {
		g := p.mustGroup(t, first, ann, eve)
		ended := p.groupLetter(&g, ann)
		ended.Expires = p.now().Add(time.Minute)
		mustSend(ended, 1)
		mustSend(p.groupLetter(&g, ann), 0)
		p.wantUnread(t, eve, 2, 1)
		p.clock.Advance(time.Minute)
		g.Deleted = true
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.UpdateGroup(&g) })
		p.wantUnread(t, eve, 0, 0)
		wantMissing(t, p, "the group in a roster", groupConversation(eve, &g))
	})
	t.Run("start_again_when_the_organization_was_left", func(t *testing.T) {
		p, ann, bob := newPair(t, h)
		first, second := p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann, bob)
		p.mustSend(t, p.letter(first, ann, bob))
		p.mustSend(t, p.letter(second, ann, bob))
		p.mustUpdate(t, func(tx *store.Tx) error {
			position, err := tx.Position(1, bob)
			return errors.Join(err, tx.ClearOrganization(bob, first, position))
		})
		p.wantUnread(t, bob, 1, 0)
		wantEqual(t, "length of the roster", len(p.mustRoster(t, bob)), 1)
		p.mustUpdate(t, func(tx *store.Tx) error { return erasure.EndOrganization(tx, second) })
		p.wantUnread(t, bob, 0, 0)
		wantEqual(t, "length of the roster", len(p.mustRoster(t, bob)), 0)
	})
	t.Run("stay_right_among_many_writers", func(t *testing.T) {
		p, ann, bob := newPair(t, h)
		organization := p.mustOrganization(t, ann, bob)
		const workers, rounds = 6, 10
		p.everywhere(t, workers, func(worker int) error {
			for round := range rounds {
				m := p.letter(organization, ann, bob)
				if err := p.Update(t.Context(), func(tx *store.Tx) error { return send(tx, m) }); err != nil {
					return err
				}
				if round%2 == 0 {
					p.mustMarkRead(t, m, bob)
				}
			}
			return nil
		})
		p.wantUnread(t, bob, workers*rounds/2, 0)
		wantEqual(t, "queue", len(p.mustQueue(t, bob)), workers*rounds)
	})
}
