package storetest

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/piecework"
	"signet/internal/store/threads"
)

// threads are conversations read message by message.
func threadReads(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	r := &reading{platform: p, ann: ann, bob: bob, eve: eve, o: p.mustOrganization(t, ann, bob, eve)}
	t.Run("of_two", r.threadsOfTwo)
	t.Run("are_read_up_to_so_many_bytes", r.threadsUpToBytes)
	t.Run("of_a_group_are_those_of_its_members", r.threadsOfGroup)
	t.Run("of_a_group_that_was_removed_are_what_came_later", r.threadsOfRemovedGroup)
}

// reading are three who read threads of an organization.
type reading struct {
	*platform
	ann, bob, eve model.AccountID
	o             model.OrganizationID
}

// with is the whole thread of two, as one of them reads it.
func (r *reading) with(reader, other model.AccountID) threads.Thread {
	return threads.Thread{Organization: r.o, Reader: reader, Entity: model.EntityID(other), Before: threads.Whole}
}

// send returns what it has sent.
func (r *reading) send(t *testing.T, m *store.MessageRow) *store.MessageRow {
	t.Helper()
	r.mustSend(t, m)
	return m
}

func (r *reading) mustThread(t *testing.T, thread threads.Thread, limit int) []threads.Entry {
	t.Helper()
	return mustRead(t, r.platform, func(tx *store.Tx) ([]threads.Entry, error) {
		entries, _, err := threads.Read(tx, &thread, limit, r.now(), nil)
		return entries, err
	})
}

func (r *reading) wantThread(t *testing.T, what string, thread threads.Thread, limit int, want ...*store.MessageRow) {
	t.Helper()
	var got, expected []model.MessageID
	for _, e := range r.mustThread(t, thread, limit) {
		if e.Message == nil {
			got = append(got, model.MessageID{})
		} else if got = append(got, e.Message.ID); e.Message.Sort != e.Sort {
			t.Errorf("%s: the entry of %d is of a message at %d", what, e.Sort, e.Message.Sort)
		}
	}
	for _, m := range want {
		expected = append(expected, m.ID)
	}
	if !slices.Equal(got, expected) {
		t.Errorf("%s: got %v, want %v", what, got, expected)
	}
}

// part returns a group's thread as far as an account sees it.
func (r *reading) part(t *testing.T, g *model.Group, account model.AccountID) threads.Thread {
	t.Helper()
	thread := threads.Thread{Organization: r.o, Reader: account, Entity: g.Entity(), Group: true}
	r.mustView(t, func(tx *store.Tx) error { return threads.FindPart(tx, &thread) })
	return thread
}

func (r *reading) threadsOfTwo(t *testing.T) {
	p, ann, bob, eve, first := r.platform, r.ann, r.bob, r.eve, r.o
	second := p.mustOrganization(t, ann, bob)
	one, two := r.send(t, p.letter(first, ann, bob)), r.send(t, p.letter(first, bob, ann))
	r.send(t, p.letter(second, ann, bob))
	r.send(t, p.letter(first, ann, eve))
	own := r.send(t, p.letter(first, ann, ann))
	three := r.send(t, p.letter(first, ann, bob))

	t.Run("are_the_same_on_both_sides", func(t *testing.T) {
		for _, thread := range []threads.Thread{r.with(ann, bob), r.with(bob, ann)} {
			r.wantThread(t, "all", thread, 10, three, two, one)
			r.wantThread(t, "the newest", thread, 2, three, two)
			thread.Before = three.Sort
			r.wantThread(t, "what came before", thread, 10, two, one)
			thread.Before, thread.After, thread.OldestFirst = threads.Whole, one.Sort, true
			r.wantThread(t, "what came after", thread, 1, two)
		}
		r.wantThread(t, "with oneself", r.with(ann, ann), 10, own)
		r.wantThread(t, "with nobody", r.with(bob, eve), 10)
	})
	t.Run("show_the_copy", func(t *testing.T) {
		p.mustMarkRead(t, one, bob)
		for _, reader := range []threads.Thread{r.with(ann, bob), r.with(bob, ann)} {
			e := r.mustThread(t, reader, 10)[2]
			if e.Copy == nil || e.Copy.Account != bob || e.Copy.Status != model.Read || e.Copy.Position != one.Sort {
				t.Errorf("the copy is %+v", e.Copy)
			}
		}
	})
	t.Run("tell_what_is_unread", func(t *testing.T) {
		thread := r.with(bob, ann)
		ids := mustRead(t, p, func(tx *store.Tx) ([]model.MessageID, error) {
			ids, sorts, err := threads.Unread(tx, &thread, 10)
			wantEqual(t, "sorts", len(sorts), len(ids))
			return ids, err
		})
		wantEqual(t, "unread", ids, []model.MessageID{three.ID})
	})
	t.Run("hide_what_has_ended_and_nothing_of_what_was_recalled", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.RecallMessage(two) })
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.EndMessage(first, one.ID, p.now()) })
		entries := r.mustThread(t, r.with(ann, bob), 10)
		if len(entries) != 3 || entries[2].Message != nil || entries[1].Message == nil || !entries[1].Message.Recalled {
			t.Errorf("got %+v", entries)
		}
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteMessages(*one) })
		wantEqual(t, "when one is deleted", len(r.mustThread(t, r.with(ann, bob), 10)), 2)
	})
}

func (r *reading) threadsUpToBytes(t *testing.T) {
	p, ann := r.platform, r.ann
	pal := p.mustAccount(t, "pal").ID
	organization := p.mustOrganization(t, ann, pal)
	var sent []model.MessageID
	for n := range 50 {
		m := p.letter(organization, ann, pal)
		if n%3 > 0 {
			m.Sealed = bytes.Repeat([]byte("x"), 1000)
		}
		sent = append(sent, r.send(t, m).ID)
	}
	for _, most := range []int{0, 1, 5_000, 20_000, 1 << 20} {
		var got []model.MessageID
		thread := threads.Thread{Organization: organization, Reader: ann, Entity: model.EntityID(pal), Before: threads.Whole,
			OldestFirst: true, MostBytes: most}
		for more := true; more; {
			var entries []threads.Entry
			p.mustView(t, func(tx *store.Tx) (err error) {
				entries, more, err = threads.Read(tx, &thread, 100, p.now(), nil)
				return err
			})
			size := 0
			for i := range entries {
				got, size = append(got, entries[i].Message.ID), size+len(entries[i].Message.Sealed)
			}
			if most > 0 && size > most+9*1000 { // a piece more, and one that was read before it was known
				t.Errorf("%d bytes were read, where at most %d were asked for", size, most)
			}
			thread.After = entries[len(entries)-1].Sort
		}
		if !slices.Equal(got, sent) {
			t.Errorf("up to %d bytes: got %d messages, want %d in their order", most, len(got), len(sent))
		}
	}
}

func (r *reading) threadsOfGroup(t *testing.T) {
	p, ann, bob, eve, first := r.platform, r.ann, r.bob, r.eve, r.o
	g := p.mustGroup(t, first, ann, bob)
	m := r.send(t, p.groupLetter(&g, ann))
	thread := threads.Thread{Organization: first, Reader: bob, Entity: g.Entity(), Group: true, Before: threads.Whole}
	r.wantThread(t, "it", thread, 10, m)
	if e := r.mustThread(t, thread, 1)[0]; e.Copy == nil || e.Copy.Account != bob {
		t.Errorf("the member's copy is %+v", e.Copy)
	}
	thread.Reader = ann
	if e := r.mustThread(t, thread, 1)[0]; e.Copy != nil {
		t.Errorf("the sender has the copy %+v", e.Copy)
	}
	all := mustRead(t, p, func(tx *store.Tx) (map[model.MessageID]store.Statuses, error) {
		return threads.Statuses(tx, first, []model.MessageID{m.ID})
	})
	wantEqual(t, "least status", all[m.ID].Least, model.New)
	if seen := r.part(t, &g, bob); seen.After >= m.Sort || seen.Before != threads.Whole {
		t.Errorf("a member sees from %d to %d", seen.After, seen.Before)
	}
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.RemoveGroupMembers(g.ID, []model.AccountID{bob}, 1) })
	r.send(t, p.groupLetter(&g, ann))
	if seen := r.part(t, &g, bob); seen.After >= m.Sort || seen.Before != m.Sort+1 {
		t.Errorf("who has left sees from %d to %d", seen.After, seen.Before)
	}
	if seen := r.part(t, &g, eve); seen.After < seen.Before {
		t.Errorf("who was never in it sees from %d to %d", seen.After, seen.Before)
	}
}

func (r *reading) threadsOfRemovedGroup(t *testing.T) {
	p, ann, bob, first := r.platform, r.ann, r.bob, r.o
	g := p.mustGroup(t, first, ann, bob)
	m := r.send(t, p.groupLetter(&g, ann))
	late := r.send(t, p.groupLetter(&g, ann))
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteEventsAt(bob, []int64{late.Sort}) })
	var removed int64
	p.mustUpdate(t, func(tx *store.Tx) error {
		if err := tx.RemoveGroupMembers(g.ID, []model.AccountID{bob}, 1); err != nil {
			return err
		}
		position, err := tx.Position(1, bob)
		removed = position
		return errors.Join(err, tx.ClearGroup(bob, first, g.ID, position))
	})
	if got := r.part(t, &g, bob); got.After+1 < got.Before || got.Cleared != removed {
		t.Errorf("there are %+v, removed at %d", got, removed)
	}
	// What had still to be queued is not any more.
	length := p.length(t, bob)
	p.mustUpdate(t, func(tx *store.Tx) error {
		position, err := tx.Position(1, bob)
		return errors.Join(err, piecework.QueueLate(tx, late, []model.AccountID{bob}, position))
	})
	wantEqual(t, "queued", p.length(t, bob), length)
	// Back, with a history that reaches further than what it had.
	p.mustUpdate(t, func(tx *store.Tx) error {
		position, err := tx.Position(1, bob)
		return errors.Join(err, tx.AddGroupMembers(&g, []model.AccountID{bob}, position, m.Sort-1, store.Stay{}))
	})
	if got := r.part(t, &g, bob); got.After != m.Sort-1 || got.Before != threads.Whole || got.Cleared != removed {
		t.Errorf("there are %+v from %d, removed at %d", got, m.Sort-1, removed)
	}
}

// conversationPages are the pages of all conversations.
func conversationPages(t *testing.T, h conformance.Harness) {
	p, me, other, _ := newTrio(t, h)
	organization, elsewhere := p.mustOrganization(t, me, other), p.mustOrganization(t, me, other)
	var want []model.EntityID
	enter := func(g *model.Group) {
		p.mustUpdate(t, func(tx *store.Tx) error {
			position, err := tx.Position(1, me)
			if err != nil {
				return err
			}
			return tx.AddGroupMembers(g, []model.AccountID{me}, position, 0, store.Stay{})
		})
	}
	for i := range 6 {
		p.clock.Advance(time.Second)
		switch g := p.mustGroup(t, organization, me, other); i {
		case 0, 3: // groups that stay
			p.mustSend(t, p.groupLetter(&g, other))
			want = append(want, g.Entity())
		case 1: // one that is left
			p.mustSend(t, p.groupLetter(&g, other))
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.RemoveGroupMembers(g.ID, []model.AccountID{me}, 1) })
			want = append(want, g.Entity())
		case 2: // one that is deleted
			p.mustSend(t, p.groupLetter(&g, other))
			g.Deleted = true
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.UpdateGroup(&g) })
			want = append(want, g.Entity())
		case 4: // one that is left, and entered again: it is where it was
			p.mustSend(t, p.groupLetter(&g, other))
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.RemoveGroupMembers(g.ID, []model.AccountID{me}, 1) })
			enter(&g)
			want = append(want, g.Entity())
		case 5: // one that is left before anything was sent
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.RemoveGroupMembers(g.ID, []model.AccountID{me}, 1) })
			peer := p.mustAccount(t, "peer").ID
			p.mustSend(t, p.letter(organization, me, peer))
			want = append(want, model.EntityID(peer))
		}
	}
	p.mustSend(t, p.letter(elsewhere, me, other))
	slices.Reverse(want)
	for _, size := range []int{1, 2, 7} {
		var got []model.EntityID
		after := store.ConversationCursor{LastSort: threads.Whole}
		for {
			page := mustRead(t, p, func(tx *store.Tx) ([]store.Conversation, error) {
				return tx.Conversations(me, []model.OrganizationID{organization}, after, size)
			})
			for _, c := range page {
				got = append(got, c.Entity)
				after = store.ConversationCursor{LastSort: c.LastSort, Organization: c.Organization, Entity: c.Entity}
			}
			if len(page) < size {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("pages of %d: got %v, want %v", size, got, want)
		}
	}
}
