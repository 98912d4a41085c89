package service

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"signet/internal/access"
	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/store"
	"signet/internal/testenv"
)

// again returns an actor as the first node finds it now, which its next calls rely on.
func (c *cluster) again(a *model.Actor) *model.Actor {
	c.t.Helper()
	fresh, err := c.owner(a.Key.Key)
	c.must(err)
	return fresh
}

// A node relies on what it has just read of sender and recipient. Whatever another node takes
// away of it counts all the same, from the answer on.
func TestWhatIsRememberedEndsAsAnotherNodeEndsIt(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	ctx, here, there := t.Context(), c.nodes[0], c.nodes[1]
	deleted := func(o model.OrganizationID) error {
		return directory(there).DeleteOrganization(ctx, c.admin, people.DeleteCommand{Organization: o, Name: "Hospital"})
	}
	erased := func(a *model.Actor, name string) error {
		return directory(there).EraseUser(ctx, c.admin, people.EraseCommand{Address: a.Account.String(), Username: name})
	}
	for i, change := range []struct {
		what      string
		end       func(o model.OrganizationID, ann, bob *model.Actor, name string) error
		calls     bool // the sender does, still
		recipient bool // it is about the recipient alone
	}{
		{"the key revoked", func(_ model.OrganizationID, ann, _ *model.Actor, _ string) error {
			return there.access.RevokeKey(ctx, c.admin, ann.Account.String(), ann.Key.Key)
		}, false, false},
		{"the secret replaced", func(_ model.OrganizationID, ann, _ *model.Actor, _ string) error {
			return second(there.access.RotateKey(ctx, c.admin, ann.Account.String(), ann.Key.Key, 0, ""))
		}, false, false},
		{"the sender disabled", func(_ model.OrganizationID, ann, _ *model.Actor, _ string) error {
			return there.access.SetDisabled(ctx, c.admin, ann.Account.String(), true)
		}, false, false},
		{"the sender erased", func(_ model.OrganizationID, ann, _ *model.Actor, name string) error {
			return erased(ann, "ann"+name)
		}, false, false},
		{"the sender erased, with all that it left", func(_ model.OrganizationID, ann, _ *model.Actor, name string) error {
			return errors.Join(erased(ann, "ann"+name), sweepAll(ctx, there))
		}, false, false},
		{"the sender taken out", func(o model.OrganizationID, ann, _ *model.Actor, _ string) error {
			return directory(there).RemoveMember(ctx, c.admin, ann.Account.String(), o)
		}, true, false},
		{"the recipient taken out", func(o model.OrganizationID, _, bob *model.Actor, _ string) error {
			return directory(there).RemoveMember(ctx, c.admin, bob.Account.String(), o)
		}, true, true},
		{"the recipient erased", func(_ model.OrganizationID, _, bob *model.Actor, name string) error {
			return erased(bob, "bob"+name)
		}, true, true},
		{"the recipient erased, with all that it left", func(_ model.OrganizationID, _, bob *model.Actor, name string) error {
			return errors.Join(erased(bob, "bob"+name), sweepAll(ctx, there))
		}, true, true},
		{"the organization deleted", func(o model.OrganizationID, _, _ *model.Actor, _ string) error {
			return deleted(o)
		}, true, false},
		{"the organization deleted, with all that it had", func(o model.OrganizationID, _, _ *model.Actor, _ string) error {
			return errors.Join(deleted(o), sweepAll(ctx, there))
		}, true, false},
	} {
		o, name := c.organization(), fmt.Sprint(i)
		ann, bob := c.member(o, "ann"+name), c.member(o, "bob"+name)
		to := bob.Account.String()
		group, err := here.CreateGroup(ctx, ann, GroupCommand{CallOrganization: o, Members: []string{to}})
		c.must(err)
		ann, bob = c.again(ann), c.again(bob)
		got := c.mustSend(bob, ann.Account.String())
		var sent model.MessageID
		for range 2 { // the second one relies on what the first one has read
			sent = c.mustSend(ann, to)
			c.mustSend(ann, group.ID.String())
		}
		c.must(change.end(o, ann, bob, name))

		acts := map[string]error{"send": second(c.send(here, ann, to))}
		if !change.recipient {
			acts["send to a group"] = second(c.send(here, ann, group.ID.String()))
		}
		if !change.calls {
			acts["mark as read"] = here.MarkStatus(ctx, ann, Marks{Read: []model.MessageID{got}})
			acts["recall"] = here.Recall(ctx, ann, sent)
		}
		for act, err := range acts {
			gone := change.calls || act == "send to a group" // which ends with who made it, and is looked for first
			if refused := model.IsNotFound(err) && gone || model.IsUnauthenticated(err) && !change.calls; !refused {
				t.Errorf("%s elsewhere, %s: got %v, want that it is refused", change.what, act, err)
			}
		}
	}
}

// A key that is limited to an organization ends with that one, for what it does elsewhere too.
func TestAKeyOfAnOrganizationThatAnotherNodeDeletedCallsNoMore(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	ctx, here, there := t.Context(), c.nodes[0], c.nodes[1]
	for what, erase := range map[string]bool{"deleted": false, "erased": true} {
		o := c.organization()
		ann, bob := c.member(o, "ann-"+what), c.member(o, "bob-"+what)
		issued, err := here.access.IssueKey(ctx, c.admin,
			access.IssueKeyCommand{Account: ann.Account.String(), Organization: o})
		c.must(err)
		limited := c.fresh(issued.Key.Key)
		if limited.Key.Scope != o {
			t.Fatalf("the key has the scope %q, want %q", limited.Key.Scope, o)
		}
		sent, got := c.mustSend(limited, bob.Account.String()), c.mustSend(c.again(bob), ann.Account.String())
		c.must(directory(there).DeleteOrganization(ctx, c.admin, people.DeleteCommand{Organization: o, Name: "Hospital"}))
		if erase {
			c.must(sweepAll(ctx, there))
		}
		for act, err := range map[string]error{
			"send":         second(c.send(here, limited, bob.Account.String())),
			"mark as read": here.MarkStatus(ctx, limited, Marks{Read: []model.MessageID{got}}),
			"recall":       here.Recall(ctx, limited, sent),
		} {
			if !model.IsUnauthenticated(err) && !model.IsNotFound(err) {
				t.Errorf("with a key of an organization that was %s elsewhere: %s: got %v, want that it is refused", what, act, err)
			}
		}
	}
}

// What a node has just read is asked for again only once something about it has changed, and then
// until it has read that.
func TestSendsAskAgainOnlyAfterAChange(t *testing.T) {
	t.Parallel()
	const ofTheKey, ofThePlaces = 2, 1 // so many questions
	c := newCluster(t, Limits{})
	ctx, here, there := t.Context(), c.nodes[0], c.nodes[1]
	o := c.organization()
	ann, bob, carl := c.member(o, "ann"), c.member(o, "bob"), c.member(o, "carl")
	group, err := here.CreateGroup(ctx, ann, GroupCommand{CallOrganization: o, Members: []string{bob.Account.String()}})
	c.must(err)
	asked := func(to string) int64 {
		before := here.store.Meters().Statements.Load()
		c.mustSend(ann, to)
		return here.store.Meters().Statements.Load() - before
	}
	person, all := bob.Account.String(), group.ID.String()
	learn := func() {
		c.clock.Advance(time.Second)
		ann = c.again(ann)
		c.mustSend(ann, person)
		c.mustSend(ann, all)
	}
	learn()
	alone, together := asked(person), asked(all)
	want := func(when string, more, moreTogether int64) {
		t.Helper()
		if got := asked(person); got != alone+more {
			t.Errorf("%s: a message to a person takes %d statements, want %d and %d", when, got, alone, more)
		}
		if got := asked(all); got != together+moreTogether {
			t.Errorf("%s: a message to a group takes %d statements, want %d and %d", when, got, together, moreTogether)
		}
	}
	limit := func(a *model.Actor) error {
		return there.access.ChangeKey(ctx, c.admin, a.Account.String(), a.Key.Key,
			access.KeyChange{Limits: access.KeyLimits{MessagesPerDay: model.LimitChange{Set: true}}})
	}
	want("nothing has changed", 0, 0)
	c.must(there.access.SetDisabled(ctx, c.admin, carl.Account.String(), true))
	want("somebody else was disabled", 0, 0)
	c.must(limit(bob))
	want("something about the recipient has changed", ofTheKey+ofThePlaces, 0)
	learn()
	want("that was read", 0, 0)
	c.must(limit(ann))
	want("something about the sender has changed", ofTheKey+ofThePlaces, ofTheKey)
	learn()
	want("that was read too", 0, 0)
	c.clock.Advance(time.Second)
	if got := asked(person); got <= alone {
		t.Errorf("a second later a message takes %d statements, want more than %d", got, alone)
	}
}

// A row that somebody deletes by hand replaces no number. What was read is relied on for less than a
// second all the same.
func TestWhatIsDeletedByHandIsRememberedForAMomentOnly(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	for table, query := range map[string]string{
		"keys":        `DELETE FROM keys WHERE account = ?`,
		"memberships": `DELETE FROM memberships WHERE account = ?`,
	} {
		ann, bob := c.member(o, "ann-"+table), c.member(o, "bob-"+table)
		ann = c.again(ann)
		to := bob.Account.String()
		c.mustSend(ann, to)
		c.mustSend(ann, to)
		c.must(c.store.Update(t.Context(), func(tx *store.Tx) error { return tx.Post(query, ann.Account) }))
		c.clock.Advance(time.Second)
		_, err := c.send(c.nodes[0], ann, to)
		if refused := new(model.Error); !errors.As(err, &refused) {
			t.Errorf("a second after the rows in %s were deleted by hand: got %v, want that it is refused", table, err)
		}
	}
}

// A node brings nothing that another one has recalled, though it remembers what that says, and not all readers
// have been told yet.
func TestNoNodeBringsWhatAnotherOneRecalled(t *testing.T) {
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann, readers := c.member(o, "ann"), []*model.Actor{c.member(o, "bob"), c.member(o, "eve")}
	here, there := c.nodes[0], c.nodes[1]
	var to []string
	for _, reader := range readers {
		to = append(to, reader.Account.String())
	}
	group, err := there.CreateGroup(t.Context(), ann, GroupCommand{CallOrganization: o, Members: to})
	c.must(err)
	sent, err := c.send(there, ann, group.ID.String())
	c.must(err)

	ctx, giveUp := context.WithCancel(t.Context())
	here.fanout = fanout.New(fanout.Options{Store: here.store, Hub: here.hub, Clock: here.clock, Rows: 4})
	here.eraseSoon = giveUp // once the message is recalled
	if err := here.Recall(ctx, ann, sent.Message); !errors.Is(err, context.Canceled) {
		t.Fatalf("the recall ended with %v", err)
	}
	for _, reader := range readers {
		events, err := there.Poll(t.Context(), reader, PollOptions{Limit: MaxEvents})
		c.must(err)
		for _, e := range events {
			if e.Message != nil {
				t.Errorf("a reader gets %q", e.Message.Body)
			}
		}
	}
}
