package storetest

import (
	"context"
	"encoding/binary"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/testclock"
)

// rowKey is that of the codes of rows.
var rowKey = []byte("of tests")

// platform is an open store, and what makes the nouns that most cases need. Its
// clock stands still until the case sets it.
type platform struct {
	*store.Store
	clock  *testclock.Clock
	made   atomic.Uint64 // how many identifiers
	memory memory        // of messages that were read
}

func newPlatform(t testing.TB, h conformance.Harness) *platform {
	t.Helper()
	d := conformance.NewDatabase(t, h)
	return mustOpenPlatform(t, d)
}

// newPair returns a store with two accounts, newTrio one with three.
func newPair(t testing.TB, h conformance.Harness) (p *platform, ann, bob model.AccountID) {
	t.Helper()
	p = newPlatform(t, h)
	return p, p.mustAccount(t, "ann").ID, p.mustAccount(t, "bob").ID
}

func newTrio(t testing.TB, h conformance.Harness) (p *platform, ann, bob, eve model.AccountID) {
	t.Helper()
	p, ann, bob = newPair(t, h)
	return p, ann, bob, p.mustAccount(t, "eve").ID
}

// mustOpenPlatform opens a store, which is closed when the test ends, if not before.
func mustOpenPlatform(t testing.TB, d *conformance.Database) *platform {
	t.Helper()
	opened, err := store.Open(t.Context(), d.MustOpen(t), func() string { return "first" })
	if err != nil {
		t.Fatalf("open a store: %v", err)
	}
	opened.Authenticate(rowKey, func(f store.Forgery) { t.Errorf("the code is wrong of %s", f) })
	return &platform{Store: opened, clock: d.Clock, memory: memory{}}
}

func (p *platform) mustUpdate(t testing.TB, fn func(*store.Tx) error) {
	t.Helper()
	if err := p.Update(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

func (p *platform) mustView(t testing.TB, fn func(*store.Tx) error) {
	t.Helper()
	if err := p.View(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// mustRead returns what one read of the store answers.
func mustRead[T any](t testing.TB, p *platform, read func(*store.Tx) (T, error)) (out T) {
	t.Helper()
	p.mustView(t, func(tx *store.Tx) (err error) {
		out, err = read(tx)
		return err
	})
	return out
}

// mustFind returns what a lookup finds.
func mustFind[T any](t testing.TB, p *platform, what string, lookup func(*store.Tx) (T, bool, error)) (out T) {
	t.Helper()
	found := false
	p.mustView(t, func(tx *store.Tx) (err error) {
		out, found, err = lookup(tx)
		return err
	})
	if !found {
		t.Fatalf("%s was not found", what)
	}
	return out
}

// wantMissing reports a lookup that finds something.
func wantMissing[T any](t testing.TB, p *platform, what string, lookup func(*store.Tx) (T, bool, error)) {
	t.Helper()
	p.mustView(t, func(tx *store.Tx) error {
		got, found, err := lookup(tx)
		if found {
			t.Errorf("%s was found: %+v", what, got)
		}
		return err
	})
}

// id makes the bytes of an identifier; what is made later sorts later.
func (p *platform) id() (id [16]byte) {
	id[0], id[6] = 0x01, 0x70
	binary.BigEndian.PutUint64(id[8:], p.made.Add(1))
	return id
}

// now is the platform's time, as it comes back from the store.
func (p *platform) now() time.Time { return p.clock.Now().UTC() }

// mustAccount inserts an account of this username, with what change makes of it.
func (p *platform) mustAccount(t testing.TB, username string, change ...func(*model.Account)) model.Account {
	t.Helper()
	a := model.Account{ID: p.id(), Username: username, DisplayName: username, Created: p.now()}
	for _, fn := range change {
		fn(&a)
	}
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertAccount(&a, "") })
	return a
}

// mustOrganization inserts an organization with these members.
func (p *platform) mustOrganization(t testing.TB, members ...model.AccountID) model.OrganizationID {
	t.Helper()
	o := model.Organization{ID: p.organizationID(), Name: "General Hospital", Created: p.now()}
	p.mustUpdate(t, func(tx *store.Tx) error {
		if err := tx.InsertOrganization(&o); err != nil {
			return err
		}
		for _, account := range members {
			if err := join(tx, o.ID, account, p.now()); err != nil {
				return err
			}
		}
		return nil
	})
	return o.ID
}

func (p *platform) organizationID() model.OrganizationID {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	token := []byte("organization000000000000")
	for i, n := len(token)-1, p.made.Add(1); n > 0; i, n = i-1, n/uint64(len(letters)) {
		token[i] = letters[n%uint64(len(letters))]
	}
	return model.OrganizationID(token)
}

func join(tx *store.Tx, organization model.OrganizationID, account model.AccountID, now time.Time) error {
	position, err := tx.Position(1, account)
	if err != nil {
		return err
	}
	_, err = tx.PutMembership(model.Membership{Organization: organization, Account: account, Joined: now, Since: position})
	return err
}

// mustGroup inserts a group with these members, who have it in their rosters.
func (p *platform) mustGroup(t testing.TB, organization model.OrganizationID, members ...model.AccountID) model.Group {
	t.Helper()
	g := model.Group{ID: p.id(), Organization: organization, Name: "Ward", CreatedBy: members[0], Created: p.now(),
		ReplayHistory: true}
	p.mustUpdate(t, func(tx *store.Tx) error {
		if err := tx.InsertGroup(&g); err != nil {
			return err
		}
		position, err := tx.Position(len(members), members...)
		if err != nil {
			return err
		}
		return tx.AddGroupMembers(&g, members, position, 0, store.Stay{})
	})
	return g
}

// letter makes a message of one account to another, which is not stored yet.
func (p *platform) letter(organization model.OrganizationID, sender, recipient model.AccountID) *store.MessageRow {
	return &store.MessageRow{
		Message: model.Message{
			ID: p.id(), Organization: organization, Sender: sender, Recipient: model.EntityID(recipient), Created: p.now(),
			TTL: 60, Expires: p.now().Add(time.Hour),
		},
		Sealed: []byte("content"), Ends: p.now().Add(time.Hour),
	}
}

// groupLetter makes a message to a group.
func (p *platform) groupLetter(g *model.Group, sender model.AccountID) *store.MessageRow {
	m := p.letter(g.Organization, sender, model.AccountID{})
	m.Recipient, m.Group, m.Replay = g.Entity(), true, g.ReplayHistory
	return m
}

// mustSend stores a message with all that goes with it, in one transaction, and
// sets its position.
func (p *platform) mustSend(t testing.TB, m *store.MessageRow) {
	t.Helper()
	p.mustUpdate(t, func(tx *store.Tx) error { return send(tx, m) })
}

// takeBack takes a message out of the queues and the counts of all who have it.
func takeBack(tx *store.Tx, m *store.MessageRow) error {
	holders, err := tx.DeliveredTo(m.Organization, m.ID)
	return errors.Join(err, tx.WithdrawMessage(m.Organization, m.ID, holders), tx.NoteEnded(m, holders))
}

func send(tx *store.Tx, m *store.MessageRow) error {
	readers := []model.AccountID{model.AccountID(m.Recipient)}
	if m.Group {
		var err error
		if readers, err = tx.GroupMembers(model.GroupID(m.Recipient)); err != nil {
			return err
		}
	}
	position, err := tx.Position(1, append(readers, m.Sender)...)
	if err != nil {
		return err
	}
	m.Sort = position
	steps := []func() error{
		func() error { return tx.InsertMessage(m) },
		func() error { return tx.ReferToBlob(m.Blob, 1) },
	}
	if m.Group {
		steps = append(steps,
			func() error { return tx.InsertGroupDeliveries(m) },
			func() error { return tx.InsertGroupEvents(m) },
			func() error { return tx.NoteSentToGroup(m) })
	} else {
		steps = append(steps,
			func() error { return tx.NoteSent(m) },
			func() error { return tx.InsertDelivery(m, readers[0], m.Sort, false) },
			func() error { return tx.InsertEvent(readers[0], m.Sort, m.Organization, model.EventMessage, m.ID, nil) },
			func() error { return tx.NoteReceived(m, readers[0]) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// mustMarkRead marks an account's copy of a message as read, with its counters.
func (p *platform) mustMarkRead(t testing.TB, m *store.MessageRow, account model.AccountID) {
	t.Helper()
	p.mustUpdate(t, func(tx *store.Tx) error {
		d, _, err := tx.Delivery(m.Organization, m.ID, account)
		if err != nil {
			return err
		}
		moved := false
		err = errors.Join(tx.AskAdvance(m.Organization, m.ID, account, model.Read, p.now(), &moved), tx.Await())
		if err != nil || !moved {
			return err
		}
		return errors.Join(tx.NoteQueuedStatus(&d, model.Read), tx.NoteRead(m, &d))
	})
}

// queue is all of an account's queue, as it looks now.
func (p *platform) queue(account model.AccountID) store.Queue {
	return store.Queue{Account: account, UpTo: store.EndOfQueue, Now: p.now()}
}

// mustQueue reads it, up to a thousand events. It looks the same whether all messages that
// were ever read are remembered or none.
func (p *platform) mustQueue(t testing.TB, account model.AccountID) []store.EventRow {
	t.Helper()
	read := func(known store.Messages) []store.EventRow {
		return mustRead(t, p,
			func(tx *store.Tx) ([]store.EventRow, error) { return tx.Events(p.queue(account), 1000, known) })
	}
	out := read(nil)
	wantEqual(t, "queue to who remembers some", read(p.memory), out)
	for i := range out {
		if m := out[i].Message; m != nil && !m.DOR {
			p.memory[m.ID] = m
		}
	}
	wantEqual(t, "queue to who remembers", read(p.memory), out)
	return out
}

// memory remembers messages.
type memory map[model.MessageID]*store.MessageRow

func (m memory) Known(id model.MessageID) *store.MessageRow { return m[id] }

// wantQueued compares which messages are queued for an account, in order.
func (p *platform) wantQueued(t testing.TB, account model.AccountID, want ...*store.MessageRow) {
	t.Helper()
	got, wanted := []string{}, []string{}
	for _, e := range p.mustQueue(t, account) {
		if e.Message == nil {
			t.Errorf("a %s event without a message is queued", e.Kind)
			continue
		}
		got = append(got, e.Message.ID.String())
	}
	for _, m := range want {
		wanted = append(wanted, m.ID.String())
	}
	wantEqual(t, "queued messages", got, wanted)
	n := mustRead(t, p, func(tx *store.Tx) (int, error) { return tx.CountEvents(p.queue(account)) })
	wantEqual(t, "count of the queue", n, len(want))
}

// wantUnread compares what an account has unread over all organizations.
func (p *platform) wantUnread(t testing.TB, account model.AccountID, messages, priority int) {
	t.Helper()
	p.wantUnreadIn(t, account, "", messages, priority)
}

func (p *platform) wantUnreadIn(t testing.TB, account model.AccountID, organization model.OrganizationID, messages,
	priority int) {
	t.Helper()
	got := [2]int{}
	p.mustView(t, func(tx *store.Tx) (err error) {
		got[0], got[1], err = tx.Unread(account, organization, p.now())
		return err
	})
	wantEqual(t, "unread of "+account.String()+" in "+string(organization), got, [2]int{messages, priority})
}
