package storetest

import (
	"errors"
	"slices"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/authorship"
	"signet/internal/store/conformance"
	"signet/internal/store/erasure"
	"signet/internal/store/metadata"
	"signet/internal/store/piecework"
	"signet/internal/store/searchindex"
)

// accountErasure: everything that names an account that has ended is found, and nothing else.
func accountErasure(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	e := &ended{platform: p, ann: ann, bob: bob, o: p.mustOrganization(t, ann, bob)}
	e.g = p.mustGroup(t, e.o, ann, bob)
	t.Run("finds_what_was_sent_and_queued", e.wantTraces)
	t.Run("finds_conversations_of_others", e.wantConversations)
	t.Run("finds_what_is_kept_for_it_and_of_it", e.wantKept)
	t.Run("finds_what_it_made_for_others", e.wantWorks)
	t.Run("knows_what_is_left_in_pieces", e.wantPieces)
}

// ended is an account that has ended, ann, beside one that goes on.
type ended struct {
	*platform
	ann, bob model.AccountID
	o        model.OrganizationID
	g        model.Group
}

// traces are what names an account that has ended, as it is to be found.
type traces struct {
	messages, copies map[model.MessageID]bool
	events           int
}

// mustLeaveTraces sends and queues what names the account, and what does not.
func (e *ended) mustLeaveTraces(t *testing.T, other model.OrganizationID) traces {
	t.Helper()
	p, ann, bob, o := e.platform, e.ann, e.bob, e.o
	want := traces{messages: map[model.MessageID]bool{}, copies: map[model.MessageID]bool{}}
	for _, organization := range []model.OrganizationID{o, other} {
		for range 3 {
			for _, m := range []*store.MessageRow{p.letter(organization, ann, bob), p.letter(organization, bob, ann)} {
				p.mustSend(t, m)
				want.messages[m.ID] = true
			}
			p.mustSend(t, p.letter(organization, bob, bob))
		}
		forward := p.letter(organization, bob, bob)
		forward.Forwarded = &model.Original{Sender: ann, Created: p.now()}
		p.mustSend(t, forward)
		want.messages[forward.ID] = true
	}
	toAll := p.groupLetter(&e.g, bob)
	p.mustSend(t, toAll)
	want.copies[toAll.ID] = true
	for _, payload := range []store.Payload{
		{Account: ann, Status: model.Read, Time: 1}, {Caller: ann}, {Account: bob}, {},
	} {
		p.mustUpdate(t, func(tx *store.Tx) error {
			position, err := tx.Position(1, bob)
			if err != nil {
				return err
			}
			return tx.InsertEvent(bob, position, o, model.EventBang, model.MessageID{}, payload.Encode())
		})
		if payload.Account == ann || payload.Caller == ann {
			want.events++
		}
	}
	return want
}

// wantTraces looks for all of it, of however few rows at a time; the place is remembered.
func (e *ended) wantTraces(t *testing.T) {
	p, ann, bob, o := e.platform, e.ann, e.bob, e.o
	other := p.mustOrganization(t, ann, bob)
	want := e.mustLeaveTraces(t, other)
	begun := func(tx *store.Tx) (erasure.AccountErasure, bool, error) { return erasure.Of(tx, ann) }
	wantMissing(t, p, "an erasure", begun)
	for range 2 {
		p.mustUpdate(t, func(tx *store.Tx) error { return erasure.NoteAccount(tx, ann, p.now()) })
	}
	for id, want := range map[model.AccountID]bool{ann: true, bob: false} {
		wantEqual(t, "is being erased", mustRead(t, p, func(tx *store.Tx) (bool, error) {
			return erasure.Erases(tx, id)
		}), want)
	}
	stages := map[erasure.Stage]int{}
	for {
		found := mustFind(t, p, "the erasure", begun)
		if found.Account != ann || !found.Noted.Equal(p.now()) {
			t.Fatalf("the erasure is %+v", found)
		}
		if found.Stage == erasure.StageOver {
			break
		}
		stages[found.Stage]++
		traces := mustRead(t, p, func(tx *store.Tx) (erasure.Traces, error) { return erasure.TracesOf(tx, found, 4) })
		for _, k := range traces.Messages {
			if !want.messages[k.ID] || k.Organization != o && k.Organization != other {
				t.Errorf("found the message %v twice, or it is another's", k)
			}
			if found.Stage == erasure.StageForwards {
				delete(want.messages, k.ID)
			}
		}
		for _, k := range traces.Copies {
			if !want.copies[k.ID] || k.Organization != o {
				t.Errorf("found the copy of %v twice, or it is another's", k)
			}
			if found.Stage == erasure.StageForwards {
				delete(want.copies, k.ID)
			}
		}
		want.events -= len(traces.Events)
		p.mustUpdate(t, func(tx *store.Tx) error {
			return errors.Join(erasure.EraseEvents(tx, traces.Events), erasure.Keep(tx, &traces.Next))
		})
	}
	if len(want.messages)+len(want.copies)+want.events != 0 {
		t.Errorf("not found: the messages %v, the copies %v, %d events", want.messages, want.copies, want.events)
	}
	if stages[erasure.StageMessages] != stages[erasure.StageForwards] || stages[erasure.StageMessages] < 5 ||
		stages[erasure.StageEvents] < 2 {
		t.Errorf("there were so many looks: %v", stages)
	}
}

// wantConversations looks for others' conversations with it.
func (e *ended) wantConversations(t *testing.T) {
	p, ann := e.platform, e.ann
	naming := func() []erasure.ConversationKey {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]erasure.ConversationKey, error) {
			return erasure.ConversationsNaming(tx, ann, erasure.ConversationKey{}, 10)
		})
	}
	keys := naming()
	wantEqual(t, "conversations", len(keys), 2)
	p.mustUpdate(t, func(tx *store.Tx) error { return erasure.EraseConversations(tx, keys) })
	wantEqual(t, "conversations", len(naming()), 0)
}

// wantKept looks for what is kept for it, its words, others' mutes, and what it kept for itself:
// some at a time.
func (e *ended) wantKept(t *testing.T) {
	p, ann, bob, o := e.platform, e.ann, e.bob, e.o
	p.mustUpdate(t, func(tx *store.Tx) error {
		mute := func(of, muted model.AccountID) error {
			return tx.PutMute(of, model.Mute{Organization: o, Entity: model.EntityID(muted), Start: p.now()})
		}
		return errors.Join(putMetadata(tx, o, model.EntityID(ann), []byte("{}")),
			searchindex.Put(tx, searchable(o, model.EntityID(ann), "Ann")),
			searchindex.Put(tx, searchable(o, model.EntityID(bob), "Bob")), mute(bob, ann), mute(ann, bob))
	})
	mutes := func() []erasure.ConversationKey {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]erasure.ConversationKey, error) {
			return erasure.MutesNaming(tx, ann, erasure.ConversationKey{}, 10)
		})
	}
	muting := mutes()
	wantEqual(t, "mutes", muting, []erasure.ConversationKey{{Account: bob, Organization: o, Entity: model.EntityID(ann)}})
	in := func() []model.OrganizationID {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]model.OrganizationID, error) {
			return metadata.OrganizationsOf(tx, model.EntityID(ann), 10)
		})
	}
	described := in()
	wantEqual(t, "where something is kept for it", described, []model.OrganizationID{o})
	words := func() []searchindex.Left {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]searchindex.Left, error) {
			return searchindex.LeftOf(tx, model.EntityID(ann), 10)
		})
	}
	left := words()
	wantEqual(t, "a row of a word, and its own", len(left), 2)
	p.mustUpdate(t, func(tx *store.Tx) error {
		return errors.Join(erasure.EraseMutes(tx, muting), metadata.Erase(tx, model.EntityID(ann), described),
			searchindex.EraseLeft(tx, model.EntityID(ann), left))
	})
	wantEqual(t, "what is left", len(mutes())+len(in())+len(words()), 0)
	wantEqual(t, "found by search", len(p.mustSearch(t, o, bob)), 1)
	steps := 0
	for more := true; more; steps++ {
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			more, err = erasure.EraseOwn(tx, ann, 1)
			return err
		})
	}
	wantEqual(t, "steps of a row each, and the last", steps, 11)
	wantEqual(t, "queue", len(p.mustQueue(t, ann)), 0)
}

// wantWorks looks for what it made for others, and who made it.
func (e *ended) wantWorks(t *testing.T) {
	p, ann, bob, o := e.platform, e.ann, e.bob, e.o
	for _, key := range []string{"a", "b", "c"} {
		issued := model.Key{Key: key, Account: bob, SecretHash: []byte{}, PreviousHash: []byte{}, Counter: key,
			IssuedBy: ann, Created: p.now()}
		if key == "c" {
			issued.IssuedBy = bob
		}
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertKey(&issued) })
	}
	authored := func(limit int) authorship.Works {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) (authorship.Works, error) { return authorship.WorksOf(tx, ann, limit) })
	}
	wantEqual(t, "some of what it made", len(authored(1).Keys), 1)
	all := authored(10)
	slices.Sort(all.Keys)
	wantEqual(t, "what it made", all, authorship.Works{Keys: []string{"a", "b"}, Groups: []model.GroupID{e.g.ID}})
	p.mustUpdate(t, func(tx *store.Tx) error { return authorship.ForgetAuthor(tx, all) })
	wantEqual(t, "what it made", authored(10), authorship.Works{})
	issued := mustRead(t, p, func(tx *store.Tx) ([]model.Key, error) { return tx.Keys(bob) })
	for _, key := range issued {
		wantEqual(t, "who issued "+key.Key, key.IssuedBy == bob, key.Key == "c")
		wantEqual(t, "someone issued "+key.Key, key.IssuedBy.IsZero(), key.Key != "c")
	}

	made := store.Request{Account: bob, ID: "r 0", Fingerprint: []byte{}, Organization: o, Message: model.MessageID(ann),
		Created: p.now()}
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.PutRequest(&made, p.now().Add(-1)) })
	for _, want := range []bool{true, false} {
		by, id, found := model.AccountID{}, "", false
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			by, id, found, err = authorship.RequestThatMade(tx, ann)
			return errors.Join(err, authorship.ForgetMade(tx, by, id))
		})
		wantEqual(t, "a request that made it", found, want)
	}
}

// wantPieces asks whether something that names it may be left in pieces.
func (e *ended) wantPieces(t *testing.T) {
	p := e.platform
	waits := func() bool {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) (bool, error) { return piecework.HasPiecesBefore(tx, p.now()) })
	}
	wantEqual(t, "something is left in pieces", waits(), false)
	p.mustUpdate(t, func(tx *store.Tx) error {
		return piecework.NotePiece(tx, &piecework.Piece{Organization: e.o, Group: e.g.ID, Noted: p.now(),
			Deed: piecework.Tell, Kind: model.EventUpdate, Accounts: []model.AccountID{e.bob}})
	})
	wantEqual(t, "something is left in pieces", waits(), true)
}
