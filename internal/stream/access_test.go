package stream

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/store/erasure"
)

// beside says whether a command has written to the store.
func beside(written bool) func(context.Context) (bool, error) {
	return func(context.Context) (bool, error) { return written, nil }
}

// wantEnd waits until the stream has ended.
func (p *pen) wantEnd() {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(30 * time.Second):
		p.t.Fatal("the stream does not end")
	}
}

func (p *pen) wantOpen() {
	p.t.Helper()
	select {
	case err := <-p.ended:
		p.t.Errorf("the stream has ended: %v", err)
	default:
	}
}

func TestStreamsOfAReplacedSecretEndWithItsGrace(t *testing.T) {
	t.Parallel()
	c, _ := newHouse(t)
	one := c.member(c.organization(), "one")
	key, node, ctx := c.issue(one), c.servers[0], t.Context()
	before := c.follow(c.signIn(node, key.Key.Key, key.Secret))
	other := c.follow(one)

	rotated := c.rotate(one, key, time.Minute)
	during := c.follow(c.signIn(node, key.Key.Key, key.Secret))
	renewed := c.follow(c.signIn(node, key.Key.Key, rotated.Secret))
	c.must(node.registry.watch(ctx, node.Service, beside(false)))
	before.wantOpen()
	during.wantOpen()

	c.clock.Advance(time.Minute)
	c.must(node.registry.watch(ctx, node.Service, beside(false)))
	before.wantEnd()
	during.wantEnd()
	renewed.wantOpen()
	other.wantOpen()

	// A second rotation ends the first secret, however long its grace was to be.
	again := c.rotate(one, key, time.Hour)
	c.rotate(one, key, time.Hour)
	c.must(node.registry.watch(ctx, node.Service, beside(false)))
	renewed.wantEnd()

	last := c.follow(c.signIn(node, key.Key.Key, again.Secret))
	c.rotate(one, key, 0)
	last.wantEnd() // at once
	other.wantOpen()
}

func TestWhatACommandHasEndedEndsItsReaders(t *testing.T) {
	t.Parallel()
	c, read := newHouse(t)
	o := c.organization()
	one, two, stays := c.member(o, "one"), c.member(o, "two"), c.member(c.organization(), "stays")
	first, second, other := c.follow(one), c.follow(two), c.follow(stays)
	node, ctx := c.servers[0], t.Context()
	c.must(c.store.Update(ctx, func(tx *store.Tx) error { return tx.DeleteKeys([]string{one.Key.Key}) }))
	had := read.n.Load()
	for range 10 {
		c.must(node.registry.watch(ctx, node.Service, beside(false)))
	}
	if got := read.n.Load() - had; got != 0 {
		t.Errorf("nobody wrote, and the store was read %d times", got)
	}
	first.wantOpen()
	c.must(node.registry.watch(ctx, node.Service, beside(true)))
	first.wantEnd()
	second.wantOpen()
	if _, err := node.Authenticate(ctx, one.Key.Key, "x", netip.Addr{}); err == nil {
		t.Error("the key still opens")
	}
	c.must(c.store.Update(ctx, func(tx *store.Tx) error { return erasure.EndOrganization(tx, o) }))
	c.must(node.registry.watch(ctx, node.Service, beside(true)))
	second.wantEnd()
	other.wantOpen()
}

// The server does not know yet that a command has written, and queues something itself.
func TestWhatACommandHasQueuedIsWrittenBeforeWhatIsQueuedNext(t *testing.T) {
	t.Parallel()
	c, _ := newHouse(t)
	alice, bob := c.pair()
	to, p, command := bob.Account.String(), c.follow(bob), c.command()
	c.say(alice, to, "before")
	p.wantNext("before")
	_, err := command.Send(t.Context(), alice, service.SendCommand{Recipient: to, Body: "of a command"})
	c.must(err)
	c.say(alice, to, "after")
	p.wantNext("of a command", "after")
}

func TestWhatACommandHasChangedIsShownThoughNobodyReads(t *testing.T) {
	t.Parallel()
	c, _ := newHouse(t)
	one := c.member(c.organization(), "one")
	node, ctx := c.servers[0], t.Context()
	status := func() string {
		t.Helper()
		var everybody service.SearchCommand
		everybody.PageSize = 50
		found, err := node.Service.Search(ctx, one, everybody)
		c.must(err)
		for i := range found.Hits {
			if hit := &found.Hits[i]; hit.Token == model.EntityID(one.Account) {
				return hit.Entity.Account.Status
			}
		}
		t.Fatal("the account is not found")
		return ""
	}
	if got := status(); got != "" {
		t.Errorf("its status is %q, want none", got)
	}
	c.must(c.store.Update(ctx, func(tx *store.Tx) error { // of which nobody here is told
		return tx.Post(`UPDATE accounts SET status = ? WHERE account = ?`, "away", one.Account)
	}))
	c.must(node.registry.watch(ctx, node.Service, beside(true)))
	if got := status(); got != "away" {
		t.Errorf("its status is %q, want that of the command", got)
	}
}

func TestStreamsOfAReplacedSecretEndOnEachNode(t *testing.T) {
	t.Parallel()
	j := newPeople(t, 0)
	key := j.issue(j.one)
	leaked := j.stream(1, j.signIn(j.servers[1], key.Key.Key, key.Secret))
	other := j.stream(1, j.one)
	j.round(1)
	rotated := j.rotate(j.one, key, 0)
	j.round(1)
	leaked.wantEnd()

	before := j.stream(1, j.signIn(j.servers[1], key.Key.Key, rotated.Secret))
	renewed := j.rotate(j.one, key, time.Minute)
	during := j.stream(1, j.signIn(j.servers[1], key.Key.Key, rotated.Secret))
	stays := j.stream(1, j.signIn(j.servers[1], key.Key.Key, renewed.Secret))
	j.round(1)
	before.wantOpen()
	during.wantOpen()
	j.clock.Advance(time.Minute)
	j.round(1)
	before.wantEnd()
	during.wantEnd()
	stays.wantOpen()
	other.wantOpen()
}
