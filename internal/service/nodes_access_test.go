package service

import (
	"errors"
	"testing"

	"signet/internal/model"
)

// A node knows for up to a second who administered what. What changes access or the
// organization asks once more in its transaction: whoever was demoted or removed by
// another node in that second has done nothing with it.
func TestAnAdministratorThatAnotherNodeDemotedAdministersNothing(t *testing.T) {
	t.Parallel()
	c := newCluster(t, Limits{})
	ctx, name := t.Context(), "Renamed"
	for what, end := range map[string]func(o model.OrganizationID, a *model.Actor) error{
		"demoted": func(o model.OrganizationID, a *model.Actor) error {
			return c.nodes[1].RevokeRole(ctx, c.admin, a.Account.String(), o, model.RoleAdmin)
		},
		"removed": func(o model.OrganizationID, a *model.Actor) error {
			return c.nodes[1].RemoveMember(ctx, c.admin, a.Account.String(), o)
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
		_, granting := node.GrantRole(ctx, ann, bob, o, model.RoleAdmin)
		for act, err := range map[string]error{
			"make an account": creating, "grant a role": granting,
			"take a role away":        node.RevokeRole(ctx, ann, stays.Account.String(), o, model.RoleAdmin),
			"add a member":            second(node.AddMember(ctx, ann, carl, o, nil, nil)),
			"remove a member":         node.RemoveMember(ctx, ann, bob, o),
			"change the organization": node.UpdateOrganization(ctx, ann, o, OrganizationCommand{Name: &name}),
			"change a group":          second(node.UpdateGroup(ctx, ann, group.ID, GroupCommand{Name: &name})),
			"add to a group":          node.AddGroupMembers(ctx, ann, group.ID, []string{bob}),
			"take out of a group":     node.RemoveGroupMembers(ctx, ann, group.ID, []string{bob}),
			"delete a group":          node.DeleteGroup(ctx, ann, group.ID),
			"delete the organization": node.DeleteOrganization(ctx, ann, o, "Hospital"),
		} {
			if refused := new(model.Error); !errors.As(err, &refused) || refused.Kind != model.Forbidden &&
				refused.Kind != model.NotFound {
				t.Errorf("who was %s elsewhere may %s: %v", what, act, err)
			}
		}
		if got, err := node.Organization(ctx, c.admin, o); err != nil || got.Name != "Hospital" {
			t.Errorf("the organization is %+v, %v", got, err)
		}
		if !c.fresh(stays.Key.Key).Administers(o) {
			t.Error("another administrator lost its role")
		}
	}
}

func second[T any](_ T, err error) error { return err }
