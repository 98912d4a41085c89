package storetest

import (
	"errors"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/overview"
	"signet/internal/store/piecework"
)

// histories: what was sent to a group before a member came is queued with it in pieces.
func histories(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	ann, bob, eve := p.mustAccount(t, "ann").ID, p.mustAccount(t, "bob").ID, p.mustAccount(t, "eve").ID
	organization := p.mustOrganization(t, ann, bob, eve)
	enter := func(g *model.Group, limit int, accounts ...model.AccountID) (messages int) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error {
			after, n, err := piecework.HistoryStart(tx, g.ID, p.now(), limit)
			if err != nil {
				return err
			}
			messages = n
			position, err := tx.Position(len(accounts), accounts...)
			return errors.Join(err, tx.AddGroupMembers(g, accounts, position, after, store.Stay{}))
		})
		return messages
	}
	replay := func(g *model.Group, pairs int) (members []model.AccountID, done int) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			members, done, err = piecework.Replay(tx, g, p.now(), pairs)
			return err
		})
		return members, done
	}
	finish := func(g *model.Group) {
		t.Helper()
		for {
			if members, _ := replay(g, 4); len(members) == 0 {
				return
			}
		}
	}

	t.Run("are_the_newest_in_order", func(t *testing.T) {
		g := p.mustGroup(t, organization, ann)
		var sent []*store.MessageRow
		for i := range 6 {
			m := p.groupLetter(&g, ann)
			m.Replay = i != 4
			p.mustSend(t, m)
			switch i {
			case 0: // as a sweep that is late would find it
				p.mustUpdate(t, func(tx *store.Tx) error { return tx.EndMessage(organization, m.ID, p.now()) })
			case 3:
				p.mustUpdate(t, func(tx *store.Tx) error { return tx.RecallMessage(m) })
			}
			sent = append(sent, m)
		}
		wantEqual(t, "messages for bob", enter(&g, 10, bob), 3)
		wantEqual(t, "messages for eve", enter(&g, 2, eve), 2)
		finish(&g)
		p.wantQueued(t, bob, sent[1], sent[2], sent[5])
		p.wantQueued(t, eve, sent[2], sent[5])
		p.wantUnread(t, bob, 3, 0)
		p.wantUnread(t, eve, 2, 0)
		quiet := p.mustGroup(t, organization, ann)
		wantEqual(t, "messages of a quiet group", enter(&quiet, 10, bob), 0)
		members, _ := replay(&quiet, 10)
		wantEqual(t, "members of the quiet group that wait", len(members), 0)
	})
	t.Run("come_before_what_is_sent_meanwhile", func(t *testing.T) {
		p := newPlatform(t, h)
		ann, bob, eve := p.mustAccount(t, "ann").ID, p.mustAccount(t, "bob").ID, p.mustAccount(t, "eve").ID
		organization := p.mustOrganization(t, ann, bob, eve)
		g := p.mustGroup(t, organization, ann, eve)
		var sent []*store.MessageRow
		send := func(replay, inTurn bool) {
			t.Helper()
			m := p.groupLetter(&g, ann)
			m.Priority, m.Replay, m.InTurn = 1, replay, inTurn
			p.mustSend(t, m)
			sent = append(sent, m)
		}
		for range 5 {
			send(true, false)
		}
		p.mustUpdate(t, func(tx *store.Tx) error {
			after, _, err := piecework.HistoryStart(tx, g.ID, p.now(), 10)
			if err != nil {
				return err
			}
			position, err := tx.Position(1, bob)
			return errors.Join(err, tx.AddGroupMembers(&g, []model.AccountID{bob}, position, after, store.Stay{}))
		})
		step := func() (done int) {
			t.Helper()
			p.mustUpdate(t, func(tx *store.Tx) (err error) {
				_, done, err = piecework.Replay(tx, &g, p.now(), 4)
				return err
			})
			return done
		}
		send(true, false)
		p.wantQueued(t, bob)
		p.wantQueued(t, eve, sent...)
		wantEqual(t, "first piece", step(), 2)
		send(false, true) // the history was turned off
		p.wantQueued(t, bob, sent[:2]...)
		for step() > 0 {
		}
		p.wantQueued(t, bob, sent...)
		p.wantUnread(t, bob, 7, 7)
		send(true, false)
		p.wantQueued(t, bob, sent...)
		p.wantUnread(t, bob, 8, 8)
	})
	t.Run("leave_out_what_a_member_had_before", func(t *testing.T) {
		p := newPlatform(t, h)
		ann, bob := p.mustAccount(t, "ann").ID, p.mustAccount(t, "bob").ID
		organization := p.mustOrganization(t, ann, bob)
		g := p.mustGroup(t, organization, ann, bob)
		had, own := p.groupLetter(&g, ann), p.groupLetter(&g, bob)
		p.mustSend(t, had)
		p.mustSend(t, own)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.RemoveGroupMembers(g.ID, []model.AccountID{bob}, 1) })
		missed := p.groupLetter(&g, ann)
		p.mustSend(t, missed)
		p.mustUpdate(t, func(tx *store.Tx) error {
			after, _, err := piecework.HistoryStart(tx, g.ID, p.now(), 10)
			if err != nil {
				return err
			}
			position, err := tx.Position(1, bob)
			err = errors.Join(err, tx.AddGroupMembers(&g, []model.AccountID{bob}, position, after, store.Stay{}))
			if err != nil {
				return err
			}
			_, _, err = piecework.Replay(tx, &g, p.now(), 100)
			return err
		})
		p.wantQueued(t, bob, had, missed)
		p.wantUnread(t, bob, 1, 0)
		p.wantUnread(t, ann, 1, 0)
	})
	t.Run("do_not_make_a_conversation_younger", func(t *testing.T) {
		g := p.mustGroup(t, organization, ann)
		p.mustSend(t, p.groupLetter(&g, ann))
		sent := p.now()
		p.clock.Advance(time.Minute)
		enter(&g, 10, bob)
		finish(&g)
		last := func() time.Time {
			t.Helper()
			return mustFind(t, p, "conversation", func(tx *store.Tx) (store.Conversation, bool, error) {
				return tx.GroupConversation(bob, g.ID)
			}).LastMessage
		}
		wantEqual(t, "last message", last(), sent)
		p.mustSend(t, p.groupLetter(&g, ann))
		wantEqual(t, "last message", last(), p.now())
	})
}

// pieces: what is noted comes back in its order, group by group.
func pieces(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	ann, bob := p.mustAccount(t, "ann").ID, p.mustAccount(t, "bob").ID
	organization := p.mustOrganization(t, ann, bob)
	g, other := p.mustGroup(t, organization, ann), p.mustGroup(t, organization, ann)
	m := p.groupLetter(&g, ann)
	want := []piecework.Piece{
		{Group: g.ID, Number: 1, Deed: piecework.Enter, Kind: model.EventFriends, Payload: []byte("in"),
			Accounts: []model.AccountID{bob, ann}},
		{Group: g.ID, Number: 2, Deed: piecework.Tell, Kind: model.EventGroupMessage, Message: m.ID, Payload: []byte{},
			Accounts: []model.AccountID{bob}},
		{Group: g.ID, Number: 3, Deed: piecework.Tell, Kind: model.EventUpdate, Payload: []byte("new"),
			Accounts: []model.AccountID{ann}},
		{Group: other.ID, Number: 1, Deed: piecework.Leave, Payload: []byte{}, Accounts: []model.AccountID{ann}},
		{Number: 1, Deed: piecework.Tell, Kind: model.EventSettings, Payload: []byte{},
			Accounts: []model.AccountID{ann, bob}},
	}
	for i := range want {
		want[i].Organization, want[i].Noted = organization, p.now()
		p.mustUpdate(t, func(tx *store.Tx) error { return piecework.NotePiece(tx, &want[i]) })
	}
	list := func(group model.GroupID, limit int) []piecework.Piece {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]piecework.Piece, error) {
			return piecework.Pieces(tx, organization, group, limit)
		})
	}
	wantEqual(t, "pieces of a group", list(g.ID, 10), want[:3])
	wantEqual(t, "the first two", list(g.ID, 2), want[:2])
	wantEqual(t, "pieces of another", list(other.ID, 10), want[3:4])
	wantEqual(t, "pieces of the organization", list(model.GroupID{}, 10), want[4:])
	for _, c := range []struct {
		group model.GroupID
		deeds []piecework.Deed
		want  bool
	}{
		{g.ID, nil, true}, {g.ID, []piecework.Deed{piecework.Enter, piecework.Leave}, true},
		{g.ID, []piecework.Deed{piecework.Leave}, false},
		{other.ID, []piecework.Deed{piecework.Enter, piecework.Leave}, true}, {p.id(), nil, false},
	} {
		has := mustRead(t, p, func(tx *store.Tx) (bool, error) {
			return piecework.HasPieces(tx, organization, c.group, c.deeds...)
		})
		wantEqual(t, "there are some", has, c.want)
	}

	work := mustRead(t, p, func(tx *store.Tx) (overview.Work, error) { return overview.WorkLeft(tx) })
	wantEqual(t, "work left", work, overview.Work{Pieces: 5, Oldest: p.now()})

	want[1].Accounts = []model.AccountID{ann}
	p.mustUpdate(t, func(tx *store.Tx) error {
		return errors.Join(piecework.ShortenPiece(tx, &want[1]), piecework.DeletePiece(tx, &want[0]),
			piecework.DeleteUpdatePieces(tx, organization, g.ID))
	})
	wantEqual(t, "pieces left", list(g.ID, 10), want[1:2])
}

// recallsInPieces: a message that ends while it is still being taken back stays until that
// is done.
func recallsInPieces(t *testing.T, h conformance.Harness) {
	p, ann, bob, _ := newTrio(t, h)
	organization := p.mustOrganization(t, ann, bob)
	g := p.mustGroup(t, organization, ann, bob)
	m, other := p.groupLetter(&g, ann), p.groupLetter(&g, ann)
	for _, m := range []*store.MessageRow{m, other} {
		m.Expires = p.now().Add(time.Minute)
		m.Ends = m.Expires
		p.mustSend(t, m)
	}
	p.mustUpdate(t, func(tx *store.Tx) error {
		return errors.Join(tx.RecallMessage(m), tx.RecallMessage(other), piecework.NotePiece(tx, &piecework.Piece{
			Organization: organization, Group: g.ID, Noted: p.now(), Deed: piecework.Recall, Kind: model.EventGroupStatus,
			Message: m.ID, Accounts: []model.AccountID{bob}}))
	})
	p.clock.Advance(2 * time.Minute)
	ended := func(want ...model.MessageID) {
		t.Helper()
		rows := mustRead(t, p, func(tx *store.Tx) ([]store.MessageRow, error) { return tx.EndedMessages(p.now(), 10) })
		var got []model.MessageID
		for i := range rows {
			got = append(got, rows[i].ID)
		}
		wantEqual(t, "ended", got, want)
	}
	ended(other.ID)
	takesBack := func(m *store.MessageRow, want bool) {
		t.Helper()
		wantEqual(t, "that it is taken back", mustRead(t, p, func(tx *store.Tx) (bool, error) {
			return piecework.TakesBack(tx, organization, g.ID, m.ID)
		}), want)
	}
	takesBack(m, true)
	takesBack(other, false)
	p.mustUpdate(t, func(tx *store.Tx) error {
		pieces, err := piecework.Pieces(tx, organization, g.ID, 1)
		if err != nil {
			return err
		}
		return piecework.DeletePiece(tx, &pieces[0])
	})
	takesBack(m, false)
	ended(m.ID, other.ID)
}
