package service

import (
	"errors"
	"math"
	"testing"

	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/testenv"
)

// A node knows for up to a second who administered what. What changes access or the
// organization asks once more in its transaction: whoever was demoted or removed by
// another node in that second has done nothing with it.
func TestAnAdministratorThatAnotherNodeDemotedAdministersNothing(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{})
	ctx, name := t.Context(), "Renamed"
	for what, end := range map[string]func(o model.OrganizationID, a *model.Actor) error{
		"demoted": func(o model.OrganizationID, a *model.Actor) error {
			return directory(c.nodes[1]).RevokeRole(ctx, c.admin, a.Account.String(), o, model.RoleAdmin)
		},
		"removed": func(o model.OrganizationID, a *model.Actor) error {
			return directory(c.nodes[1]).RemoveMember(ctx, c.admin, a.Account.String(), o)
		},
	} {
		o := c.organization()
		stays, ann := c.administrator(o, what+"-stays"), c.administrator(o, what+"-ann") // as the first node knows it
		bob, carl := c.member(o, what+"-bob").Account.String(), c.member(c.organization(), what+"-carl").Account.String()
		node := c.nodes[0]
		group, err := node.CreateGroup(ctx, stays, GroupCommand{CallOrganization: o, Members: []string{bob}})
		c.must(err)
		c.must(end(o, ann))
		_, creating := create(ctx, node, ann, o, what+"-new")
		_, granting := directory(node).GrantRole(ctx, ann, bob, o, model.RoleAdmin)
		for act, err := range map[string]error{
			"make an account": creating, "grant a role": granting,
			"take a role away":        directory(node).RevokeRole(ctx, ann, stays.Account.String(), o, model.RoleAdmin),
			"add a member":            second(directory(node).AddMember(ctx, ann, carl, o, nil, nil)),
			"remove a member":         directory(node).RemoveMember(ctx, ann, bob, o),
			"change the organization": directory(node).UpdateOrganization(ctx, ann, o, people.OrganizationCommand{Name: &name}),
			"change a group":          second(node.UpdateGroup(ctx, ann, group.ID, GroupCommand{Name: &name})),
			"add to a group":          node.AddGroupMembers(ctx, ann, group.ID, []string{bob}),
			"take out of a group":     node.RemoveGroupMembers(ctx, ann, group.ID, []string{bob}),
			"delete a group":          node.DeleteGroup(ctx, ann, group.ID),
			"delete the organization": directory(node).DeleteOrganization(ctx, ann,
				people.DeleteCommand{Organization: o, Name: "Hospital"}),
		} {
			if refused := new(model.Error); !errors.As(err, &refused) || refused.Kind != model.Forbidden &&
				refused.Kind != model.NotFound {
				t.Errorf("who was %s elsewhere may %s: %v", what, act, err)
			}
		}
		if got, err := directory(node).Organization(ctx, c.admin, o); err != nil || got.Name != "Hospital" {
			t.Errorf("the organization is %+v, %v", got, err)
		}
		if !c.fresh(stays.Key.Key).Administers(o) {
			t.Error("another administrator lost its role")
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Whoever another node kept from calling in that second has changed nothing either: each call
// asks in its transaction whether what it came with opens still.
func TestWhatAnotherNodeEndedCallsNoMore(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, Limits{MetadataKeys: 11})
	ctx, node, o := t.Context(), c.nodes[0], c.organization()
	for what, end := range map[string]func(a *model.Actor) error{
		"revoked": func(a *model.Actor) error {
			return c.nodes[1].access.RevokeKey(ctx, c.admin, a.Account.String(), a.Key.Key)
		},
		"disabled": func(a *model.Actor) error {
			return c.nodes[1].access.SetDisabled(ctx, c.admin, a.Account.String(), true)
		},
	} {
		ann, bob := c.member(o, what+"-ann"), c.member(o, what+"-bob")
		to, text := bob.Account.String(), "a word"
		group, err := node.CreateGroup(ctx, ann, GroupCommand{CallOrganization: o, Members: []string{to}})
		c.must(err)
		send := SendCommand{Recipient: to, CallOrganization: o, Body: "hello"}
		toGroup := SendCommand{Recipient: group.ID.String(), CallOrganization: o, Body: "hello"}
		sent, err := node.Send(ctx, ann, send)
		c.must(err)
		got, err := node.Send(ctx, bob, SendCommand{Recipient: ann.Account.String(), CallOrganization: o, Body: "answer"})
		c.must(err)
		c.must(end(ann))
		for act, err := range map[string]error{
			"send":             second(node.Send(ctx, ann, send)),
			"send to a group":  second(node.Send(ctx, ann, toGroup)),
			"forward":          second(node.Forward(ctx, ann, ForwardCommand{Message: sent.Message, Recipient: to})),
			"mark as read":     node.MarkStatus(ctx, ann, Marks{Read: []model.MessageID{got.Message}}),
			"read all":         second(node.ReadConversation(ctx, ann, to, o, math.MaxInt64)),
			"recall":           node.Recall(ctx, ann, sent.Message),
			"change a profile": directory(node).UpdateProfile(ctx, ann, "me", people.ProfileCommand{Status: &text}),
			"describe":         node.SetMetadata(ctx, ann, "me", o, map[string]string{"a": "b"}),
			"undescribe":       node.SetMetadata(ctx, ann, "me", o, nil),
			"list":             node.AddToRoster(ctx, ann, to, o),
			"unlist":           node.RemoveFromRoster(ctx, ann, to, o),
			"unmute":           node.UnmuteAll(ctx, ann),
			"change a group":   second(node.UpdateGroup(ctx, ann, group.ID, GroupCommand{Name: &text})),
		} {
			if !model.IsUnauthenticated(err) {
				t.Errorf("whose access %s elsewhere may %s: %v", what, act, err)
			}
		}
	}
}
