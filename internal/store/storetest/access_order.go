package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/erasure"
)

// pair are two people of an organization, of whom one sends to the other.
type pair struct {
	sender, recipient model.AccountID
	organization      model.OrganizationID
	key               string
	known             map[model.AccountID]int64 // the numbers with which this was read
}

func (p *platform) mustPair(t testing.TB, name string) *pair {
	t.Helper()
	c := &pair{sender: p.mustAccount(t, "sender-"+name).ID, recipient: p.mustAccount(t, "recipient-"+name).ID,
		key: "key-" + name}
	c.organization = p.mustOrganization(t, c.sender, c.recipient)
	p.mustUpdate(t, func(tx *store.Tx) error {
		return tx.InsertKey(&model.Key{Key: c.key, Account: c.sender, SecretHash: []byte{1}, PreviousHash: []byte{},
			Counter: c.key, Created: p.now(), Expires: p.now().Add(-time.Hour)}) // so that a sweep may end it, too
	})
	c.known = p.accessNumbers(t, c.sender, c.recipient)
	return c
}

// trial is what a transaction finds that sends.
type trial struct {
	unchanged bool // by the numbers, and by the organizations that have ended
	holds     bool // by the rows
}

// try takes the position of a send. The rows are read before it is asked for what has ended: what ends
// in between holds by the rows alone.
func (c *pair) try(tx *store.Tx) (out trial, err error) {
	var position int64
	sender, recipient := store.AccessVersion{Account: c.sender}, store.AccessVersion{Account: c.recipient}
	keys := map[string]model.Key{}
	var disabled []model.AccountID
	err = errors.Join(
		tx.AskPositionAndAccess(&position, []model.AccountID{c.sender, c.recipient}, &sender, &recipient),
		tx.AskKeysNamed([]string{c.key}, keys), tx.AskDisabledAmong([]model.AccountID{c.sender}, &disabled))
	if err != nil {
		return out, err
	}
	members, err := tx.AskMembers(c.organization, c.sender, c.recipient)
	if err != nil {
		return out, err
	}
	ended, err := tx.AskEnded([]model.OrganizationID{c.organization})
	if err == nil {
		err = tx.Await()
	}
	k, found := keys[c.key]
	out.unchanged = !ended.Found && sender.Number == c.known[c.sender] && recipient.Number == c.known[c.recipient]
	out.holds = found && k.SecretHash[0] == 1 && len(disabled) == 0 && members.Both()
	return out, err
}

// takingAway are what takes something away of which a send relies on the memory.
var takingAway = map[string]func(tx *store.Tx, c *pair) error{
	"another_secret": func(tx *store.Tx, c *pair) error {
		return tx.RotateKey(c.key, []byte{2}, time.UnixMilli(1))
	},
	"the_end_of_a_key": func(tx *store.Tx, c *pair) error {
		return tx.DeleteKeys([]string{c.key})
	},
	"an_end_by_itself": func(tx *store.Tx, _ *pair) error {
		return tx.DeleteExpiredKeys(conformance.Start, store.IdleSince{})
	},
	"a_disabled_sender": func(tx *store.Tx, c *pair) error {
		return tx.SetDisabled(c.sender, true)
	},
	"a_sender_taken_out": func(tx *store.Tx, c *pair) error {
		return tx.DeleteMembership(c.organization, c.sender)
	},
	"a_recipient_taken_out": func(tx *store.Tx, c *pair) error {
		return tx.DeleteMembership(c.organization, c.recipient)
	},
	"an_erased_sender": func(tx *store.Tx, c *pair) error {
		return errors.Join(erasure.CloseAccount(tx, c.sender), erasure.FinishAccount(tx, c.sender))
	},
	"an_erased_recipient": func(tx *store.Tx, c *pair) error {
		return errors.Join(erasure.CloseAccount(tx, c.recipient), erasure.FinishAccount(tx, c.recipient))
	},
	"an_organization_with_its_members": func(tx *store.Tx, c *pair) error {
		if err := erasure.EndOrganization(tx, c.organization); err != nil {
			return err
		}
		_, _, _, err := erasure.EraseMembers(tx, c.organization, 1000)
		return err
	},
	"an_organization_without_a_trace": func(tx *store.Tx, c *pair) error {
		if err := erasure.EndOrganization(tx, c.organization); err != nil {
			return err
		}
		_, _, _, err := erasure.EraseMembers(tx, c.organization, 1000)
		return errors.Join(err, erasure.FinishOrganization(tx, c.organization))
	},
}

// accessOrder: a send that relies on what was read before comes before each change that takes some of it
// away, or finds that it has changed, whichever waits for the other.
func accessOrder(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	for name, change := range takingAway {
		t.Run(name, func(t *testing.T) {
			p.wantSendAfter(t, p.mustPair(t, name+"-first"), change)
			p.wantSendBefore(t, p.mustPair(t, name+"-last"), change)
		})
	}
	t.Run("the_end_of_an_organization_alone", func(t *testing.T) {
		c := p.mustPair(t, "alone") // whose numbers may stay
		p.mustUpdate(t, func(tx *store.Tx) error { return erasure.EndOrganization(tx, c.organization) })
		wantEqual(t, "what a send finds", p.mustTry(t, c), trial{})
	})
}

func (p *platform) mustTry(t testing.TB, c *pair) (got trial) {
	t.Helper()
	p.mustUpdate(t, func(tx *store.Tx) (err error) {
		got, err = c.try(tx)
		return err
	})
	return got
}

// meanwhile begins a transaction, once, and returns what waits for its end.
func (p *platform) meanwhile(fn func(tx *store.Tx) error, traits ...store.Trait) (begin func(), wait func() error) {
	ended := make(chan error, 1)
	begin = sync.OnceFunc(func() {
		go func() { ended <- p.Update(context.Background(), fn, traits...) }()
	})
	return begin, func() error { return <-ended }
}

// wantSendAfter has a send begin while a change holds what it has changed.
func (p *platform) wantSendAfter(t testing.TB, c *pair, change func(*store.Tx, *pair) error) {
	t.Helper()
	wantEqual(t, "what a send finds at first", p.mustTry(t, c), trial{true, true})
	var got trial
	begin, wait := p.meanwhile(func(tx *store.Tx) (err error) {
		got, err = c.try(tx)
		return err
	}, store.Short)
	p.mustUpdate(t, func(tx *store.Tx) error {
		if err := tx.LockQueues(c.sender, c.recipient); err != nil { // as calls do
			return err
		}
		if err := change(tx, c); err != nil {
			return err
		}
		var one int64
		_, err := tx.One(`SELECT CAST(1 AS BIGINT)`, nil, &one) // with all that was posted before
		begin()
		return err
	})
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "what a send finds that waited for the change", got, trial{})
	wantEqual(t, "what the next one finds", p.mustTry(t, c), trial{})
}

// wantSendBefore has a change begin while a send holds its position.
func (p *platform) wantSendBefore(t testing.TB, c *pair, change func(*store.Tx, *pair) error) {
	t.Helper()
	begin, wait := p.meanwhile(func(tx *store.Tx) error { return change(tx, c) })
	var got, again trial
	p.mustUpdate(t, func(tx *store.Tx) (err error) {
		if got, err = c.try(tx); err != nil {
			return err
		}
		begin()
		again, err = c.try(tx)
		return err
	})
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "what a send finds that comes before the change", got, trial{true, true})
	wantEqual(t, "what it finds while the change waits", again, trial{true, true})
	wantEqual(t, "what the next one finds", p.mustTry(t, c), trial{})
}
