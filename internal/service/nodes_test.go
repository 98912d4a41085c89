package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/store"
	"signet/internal/testenv"
)

func TestNodesCountAMessageOnceHoweverItEnds(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann, bob := c.member(o, "ann"), c.member(o, "bob")
	to := bob.Account.String()
	for round := range 8 {
		minute := 1
		kept := c.mustSend(ann, to)
		recalled, read := c.mustSend(ann, to), c.mustSend(ann, to)
		c.mustSend(ann, to, func(s *SendCommand) { s.TTL = &minute })
		c.atOnce(6, func(i int, node *Service) error {
			switch i {
			case 0, 1:
				return node.Recall(context.Background(), ann, recalled)
			case 2, 3:
				return node.MarkStatus(context.Background(), bob, Marks{Read: []model.MessageID{recalled, read}})
			case 4:
				return node.MarkStatus(context.Background(), bob,
					Marks{Delivered: []model.MessageID{read}, Read: []model.MessageID{recalled}})
			default:
				_, err := c.send(node, bob, ann.Account.String())
				return err
			}
		})
		c.clock.Advance(2 * time.Minute)
		c.atOnce(4, func(i int, node *Service) error { return sweepAll(context.Background(), node) })
		c.must(c.nodes[0].MarkStatus(t.Context(), bob, Marks{Read: []model.MessageID{kept}}))
		c.wantUnread(bob, 0)
		c.wantUnread(ann, round+1)
	}
}

func TestNodesLetGoOfAnAttachmentOnce(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann, bob, eve := c.member(o, "ann"), c.member(o, "bob"), c.member(o, "eve")
	for range 6 {
		file, err := c.nodes[0].Upload(t.Context(), "x", "text/plain", false, strings.NewReader("attached"))
		c.must(err)
		first := c.mustSend(ann, bob.Account.String(), func(s *SendCommand) { s.Upload = file })
		forwarded := make([]Sent, 4)
		c.atOnce(5, func(i int, node *Service) (err error) {
			if i == 4 {
				return node.Recall(context.Background(), ann, first)
			}
			forwarded[i], err = node.Forward(context.Background(), bob,
				ForwardCommand{Message: first, Recipient: eve.Account.String()})
			return err
		})
		c.clock.Advance(2 * time.Minute)
		c.atOnce(4, func(i int, node *Service) error { return sweepAll(context.Background(), node) })
		held := view(c, func(tx *store.Tx) (bool, error) { return tx.BlobInUse(file.Blob) })
		alive := 0
		for _, f := range forwarded {
			if f.Message.IsZero() {
				continue
			}
			alive++
			_, content, err := c.nodes[1].Attachment(t.Context(), eve, f.Message)
			if err != nil {
				t.Fatalf("a forwarded attachment: %v", err)
			}
			content.Close()
		}
		if held != (alive > 0) {
			t.Errorf("%d messages have the attachment, held %t", alive, held)
		}
	}
}

func TestNodesKeepAnAdministrator(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	for range 5 {
		o := c.organization()
		a, b := c.administrator(o, "a"+strings.ToLower(string(o))), c.administrator(o, "b"+strings.ToLower(string(o)))
		c.must(directory(c.nodes[0]).RevokeRole(t.Context(), a, c.admin.Account.String(), o, model.RoleAdmin))
		refused := c.atOnce(2, func(i int, node *Service) error {
			if i == 0 {
				return directory(node).RevokeRole(context.Background(), a, b.Account.String(), o, model.RoleAdmin)
			}
			return directory(node).RemoveMember(context.Background(), b, a.Account.String(), o)
		})
		left := view(c, func(tx *store.Tx) ([]model.AccountID, error) { return tx.Holders(o, model.RoleAdmin) })
		if len(left) != 1 || refused != 1 {
			t.Errorf("%d administrators are left, %d calls were refused", len(left), refused)
		}
	}
}

func TestNodesKeepToTheSizeOfAGroup(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	const limit = 5
	c := newCluster(t, Limits{GroupMembers: limit})
	o := c.organization()
	ann := c.member(o, "ann")
	name := "Ward"
	g, err := c.nodes[0].CreateGroup(t.Context(), ann, GroupCommand{Name: &name})
	c.must(err)
	var others []*model.Actor
	for i := range 8 {
		others = append(others, c.member(o, fmt.Sprint("other", i)))
	}
	c.atOnce(len(others), func(i int, node *Service) error {
		return node.AddGroupMembers(context.Background(), ann, g.ID, []string{others[i].Account.String()})
	})
	members := view(c, func(tx *store.Tx) ([]model.AccountID, error) { return tx.GroupMembers(g.ID) })
	if len(members) != limit {
		t.Errorf("the group has %d members, want %d", len(members), limit)
	}
}

func TestNodesLeaveNothingWithOneWhoLeft(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann := c.member(o, "ann")
	name, on := "Ward", true
	for round := range 5 {
		bob := c.member(o, fmt.Sprint("bob", round))
		g, err := c.nodes[0].CreateGroup(t.Context(), ann, GroupCommand{Name: &name, ReplayHistory: &on})
		c.must(err)
		c.mustSend(ann, g.ID.String())
		c.atOnce(8, func(i int, node *Service) (err error) {
			switch i {
			case 0:
				return directory(node).RemoveMember(context.Background(), c.admin, bob.Account.String(), o)
			case 1, 2:
				return node.AddGroupMembers(context.Background(), ann, g.ID, []string{bob.Account.String()})
			case 3:
				_, err = node.CreateGroup(context.Background(), ann,
					GroupCommand{Name: &name, Members: []string{bob.Account.String()}})
			case 4, 5:
				_, err = c.send(node, ann, g.ID.String())
			default:
				_, err = c.send(node, ann, bob.Account.String())
			}
			return err
		})
		left := view(c, func(tx *store.Tx) ([]store.EventRow, error) {
			return tx.Events(store.Queue{Account: bob.Account, UpTo: store.EndOfQueue, Now: time.Now()}, 1000, nil)
		})
		left = slices.DeleteFunc(left, func(e store.EventRow) bool { return e.Organization != o })
		groups := view(c, func(tx *store.Tx) ([]model.Group, error) { return tx.GroupsOf(bob.Account, o) })
		if len(left) != 0 || len(groups) != 0 {
			t.Errorf("%d events and %d groups of the organization are left with one who left it", len(left), len(groups))
		}
	}
}

// Who leaves while its message is acknowledged hears nothing of that any more.
func TestNodesTellNobodyWhoLeftOfAnAcknowledgement(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann, bob := c.member(o, "ann"), c.member(o, "bob")
	c.mustSend(ann, bob.Account.String())
	events, _, err := c.nodes[0].Events(t.Context(), bob, 0, store.EndOfQueue, 10)
	c.must(err)
	c.wantNobodyInTheWay(
		func(tx *store.Tx) error { return tx.LockQueues(ann.Account) },
		func(node *Service) error { return node.AcknowledgeEvents(context.Background(), bob, events) },
		func(tx *store.Tx) error { return tx.DeleteMembership(o, ann.Account) })
	if n := view(c, func(tx *store.Tx) (int, error) { return tx.CountEvents(store.Queue{Account: ann.Account}) }); n != 0 {
		t.Errorf("who has left has %d events", n)
	}
}

func TestNodesSendOnceUnderARequestID(t *testing.T) {
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann, bob := c.member(o, "ann"), c.member(o, "bob")
	for round := range 10 {
		sent := make([]Sent, 4)
		c.atOnce(len(sent), func(i int, node *Service) (err error) {
			sent[i], err = c.send(node, ann, bob.Account.String(),
				func(s *SendCommand) { s.RequestID = fmt.Sprint("request", round) })
			return err
		})
		first := 0
		for _, s := range sent {
			if s.Message != sent[0].Message {
				t.Errorf("two messages under one Request-ID: %s and %s", s.Message, sent[0].Message)
			}
			if !s.Repeated {
				first++
			}
		}
		if first != 1 {
			t.Errorf("%d calls sent the message", first)
		}
	}
	c.wantUnread(bob, 10)
}

func TestNodesGiveAnAddressToOne(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	for round := range 5 {
		refused := c.atOnce(4, func(i int, node *Service) error {
			_, err := create(context.Background(), node, c.admin, o, fmt.Sprint("same", round))
			return err
		})
		if refused != 3 {
			t.Errorf("%d of 4 were refused the name", refused)
		}
	}
}

func TestNodesEndAMessageThatAllHaveRead(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann, on, name := c.member(o, "ann"), true, "Ward"
	var readers []*model.Actor
	var tokens []string
	for i := range 5 {
		readers = append(readers, c.member(o, fmt.Sprint("reader", i)))
		tokens = append(tokens, readers[i].Account.String())
	}
	g, err := c.nodes[0].CreateGroup(t.Context(), ann, GroupCommand{Name: &name, Members: tokens})
	c.must(err)
	for range 4 {
		m := c.mustSend(ann, g.ID.String(), func(s *SendCommand) { s.DOR = &on })
		c.atOnce(len(readers), func(i int, node *Service) error {
			return node.MarkStatus(context.Background(), readers[i], Marks{Read: []model.MessageID{m}})
		})
		c.clock.Advance(model.ReadGrace)
		if _, err := c.nodes[0].Message(t.Context(), ann, m); !model.IsNotFound(err) {
			t.Errorf("a message that all have read and that is deleted on read: error %v", err)
		}
	}
	for _, reader := range readers {
		c.wantUnread(reader, 0)
	}
}

// Calls of an account that come at once to one server, as a repeat does, may share no transaction: a copy that is
// acknowledged and read is Read, is counted once, and its sender is told of that alone.
func TestAStatusNeverGoesBack(t *testing.T) {
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ann, bob, eve := c.member(o, "ann"), c.member(o, "bob"), c.member(o, "eve")
	node, scoped := c.nodes[0], *bob
	scoped.Key.Scope = o
	queue := func(of *model.Actor) (events []model.Event, ids []string) {
		events, _, err := node.Events(t.Context(), of, 0, store.EndOfQueue, 100)
		c.must(err)
		for i := range events {
			ids = append(ids, events[i].ID)
		}
		return events, ids
	}
	for range 20 {
		m := c.mustSend(ann, bob.Account.String())
		_, ids := queue(bob)
		c.atOnce(9, func(i int, _ *Service) error {
			switch i % 3 {
			case 0: // behind which the others wait together
				_, err := c.send(node, eve, eve.Account.String())
				return err
			case 1:
				return node.MarkStatus(context.Background(), bob, Marks{Read: []model.MessageID{m}})
			}
			return node.Acknowledge(context.Background(), &scoped, ids)
		})
		c.must(node.MarkStatus(t.Context(), bob, Marks{Read: []model.MessageID{m}}))
		status, err := node.MessageStatus(t.Context(), ann, m)
		c.must(err)
		if len(status.Rows) != 1 || status.Rows[0].Status != model.Read {
			t.Errorf("the message is %+v, want Read", status.Rows)
		}
		c.wantUnread(bob, 0)
		told, ids := queue(ann)
		if len(told) != 1 || told[0].Status == nil || told[0].Status.Status != model.Read {
			t.Errorf("its sender has %d events, want one: %+v", len(told), told)
		}
		c.must(node.Acknowledge(t.Context(), ann, ids))
	}
}

func TestNodesGiveADeviceOneKey(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	ann := c.member(c.organization(), "ann")
	c.atOnce(6, func(i int, node *Service) error {
		_, err := node.access.LoginWithKey(context.Background(), ann, access.Device{Name: "phone"})
		return err
	})
	keys := view(c, func(tx *store.Tx) ([]model.Key, error) { return tx.Keys(ann.Account) })
	if len(keys) != 2 {
		t.Errorf("the account has %d keys, want its own and the device's", len(keys))
	}
}

// A node knows of a key that another one ended within a second. What the key asks
// for in that second gives no access that outlives it.
func TestAKeyThatAnotherNodeEndedGivesNobodyAccess(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	for name, end := range map[string]func(node *Service, a *model.Actor) error{
		"revoked": func(node *Service, a *model.Actor) error {
			return node.access.RevokeKey(t.Context(), c.admin, a.Account.String(), a.Key.Key)
		},
		"rotated": func(node *Service, a *model.Actor) error {
			_, err := node.access.RotateKey(t.Context(), c.admin, a.Account.String(), a.Key.Key, 0, "")
			return err
		},
	} {
		ann := c.administrator(o, "ann-"+name)
		bob := c.member(o, "bob-"+name).Account.String()
		g, err := c.nodes[0].CreateGroup(t.Context(), ann, GroupCommand{CallOrganization: o, Name: new("Members only")})
		c.must(err)
		c.must(end(c.nodes[1], ann))
		_, describing := c.nodes[0].UpdateGroup(t.Context(), ann, g.ID, GroupCommand{Members: []string{bob}})
		_, issuing := c.nodes[0].access.IssueKey(t.Context(), ann, access.IssueKeyCommand{Account: "me"})
		other, err := c.nodes[0].access.IssueKey(t.Context(), c.admin, access.IssueKeyCommand{Account: ann.Account.String()})
		c.must(err)
		_, rotating := c.nodes[0].access.RotateKey(t.Context(), ann, "me", other.Key.Key, 0, "")
		_, creating := create(t.Context(), c.nodes[0], ann, o, "new")
		_, signingIn := c.nodes[0].access.LoginWithKey(t.Context(), ann, access.Device{Name: "phone"})
		_, granting := directory(c.nodes[0]).GrantRole(t.Context(), ann, bob, o, model.RoleAdmin)
		_, founding := directory(c.nodes[0]).CreateOrganization(t.Context(), ann,
			people.OrganizationCommand{Name: new("Mine")})
		_, lookingUp := directory(c.nodes[0]).LookupUser(t.Context(), ann, "operator", "")
		for what, err := range map[string]error{
			"add to a group":         c.nodes[0].AddGroupMembers(t.Context(), ann, g.ID, []string{bob}),
			"name a group's members": describing,
			"make an organization":   founding, "look somebody up": lookingUp,
			"issue a key": issuing, "rotate a key": rotating, "make an account": creating, "sign in": signingIn,
			"grant a role":   granting,
			"set a password": c.nodes[0].access.SetPassword(t.Context(), ann, bob, "", "a new password", ""),
		} {
			if !errors.Is(err, access.WrongCredentials()) {
				t.Errorf("with a key that was %s: %s: got %v, want that the credentials are wrong", name, what, err)
			}
		}
	}
}

// Who was demoted on another node a moment ago has no way back, such as an organization
// of its own.
func TestARoleThatAnotherNodeEndedGivesNobodyAccess(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	o := c.organization()
	ends := map[string]func(node *Service, a *model.Actor) error{
		"demoted": func(node *Service, a *model.Actor) error {
			return directory(node).RevokeRole(t.Context(), c.admin, a.Account.String(), o, model.RoleAdmin)
		},
		"removed": func(node *Service, a *model.Actor) error {
			return directory(node).RemoveMember(t.Context(), c.admin, a.Account.String(), o)
		},
	}
	for name, end := range ends {
		ann := c.administrator(o, "ann-"+name)
		_, err := directory(c.nodes[0]).CreateOrganization(t.Context(), ann, people.OrganizationCommand{Name: new("Before")})
		if err != nil {
			t.Fatal(err)
		}
		bob := c.administrator(o, "bob-"+name)
		g, err := c.nodes[0].CreateGroup(t.Context(), ann,
			GroupCommand{CallOrganization: o, Name: new("Private"), ExcludeCreator: true,
				Members: []string{c.member(o, "carl-"+name).Account.String()}})
		c.must(err)
		c.must(end(c.nodes[1], bob))
		for what, try := range map[string]func() error{
			"make an organization": func() error {
				_, err := directory(c.nodes[0]).CreateOrganization(t.Context(), bob, people.OrganizationCommand{Name: new("Mine")})
				return err
			},
			"look somebody up": func() error {
				_, err := directory(c.nodes[0]).LookupUser(t.Context(), bob, "operator", "")
				return err
			},
			"join a group": func() error {
				return c.nodes[0].AddGroupMembers(t.Context(), bob, g.ID, []string{ann.Account.String(), "me"})
			},
			"put somebody into a group": func() error {
				return c.nodes[0].AddGroupMembers(t.Context(), bob, g.ID, []string{ann.Account.String()})
			},
			"name a group's members": func() error {
				_, err := c.nodes[0].UpdateGroup(t.Context(), bob, g.ID, GroupCommand{Members: []string{ann.Account.String()}})
				return err
			},
			"make a group public": func() error {
				_, err := c.nodes[0].UpdateGroup(t.Context(), bob, g.ID, GroupCommand{Public: new(true)})
				return err
			},
		} {
			var told *model.Error
			if err := try(); !errors.As(err, &told) || told.Kind != model.Forbidden && told.Kind != model.NotFound {
				t.Errorf("an administrator who was %s: %s: got %v, want that it is refused", name, what, err)
			}
		}
	}
}
