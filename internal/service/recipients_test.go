package service

import (
	"errors"
	"testing"

	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/testenv"
)

// What a node remembers of a recipient neither lets through who was taken out on
// another node, nor refuses what that one has allowed since; and its own changes hold
// at once.
func TestRememberedRecipientsDecideNothing(t *testing.T) {
	testenv.Long(t)
	c := newCluster(t, Limits{})
	here, there := c.nodes[0], c.nodes[1]
	organization := c.organization()
	alice, bob := c.member(organization, "alice"), c.member(organization, "bob")
	send := func(priority int) error {
		_, err := here.Send(t.Context(), alice, SendCommand{Recipient: bob.Account.String(), Body: "x", Priority: &priority})
		return err
	}
	set := func(node *Service, allowed bool) {
		c.must(directory(node).UpdateOrganization(t.Context(), c.admin, organization,
			people.OrganizationCommand{Settings: model.Settings{PriorityMessaging: &allowed}}))
	}
	wantCode := func(what string, err error, code string) {
		t.Helper()
		var told *model.Error
		if !errors.As(err, &told) || told.Code != code {
			t.Errorf("%s: %v, want %s", what, err, code)
		}
	}
	c.must(send(1))
	set(here, false)
	wantCode("turned off here", send(1), "priority_messaging_off")
	c.must(send(0)) // remembers that it is off
	set(there, true)
	c.must(send(1)) // turned on there

	c.must(directory(there).RemoveMember(t.Context(), c.admin, bob.Account.String(), organization))
	wantCode("taken out there", send(0), "not_found")
	c.must(second(directory(there).AddMember(t.Context(), c.admin, bob.Account.String(), organization, nil, nil)))
	c.must(send(0))
}
