package metamorphic

import (
	"net/netip"
	"testing"
	"time"

	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/service"
)

// The faults that the sequences found, each as the shortest one that shows it.

// stage is a service with the people of the template, on a clock that a test sets.
type stage struct {
	*cases
	kept     *keptStore
	template *template
	now      time.Time
}

func newStage(t *testing.T) *stage {
	t.Helper()
	return newStageOf(t, fanout.Rows)
}

// newStageOf is newStage where a transaction writes about so many rows.
func newStageOf(t *testing.T, rows int) *stage {
	t.Helper()
	s := &stage{template: newTemplate(t), now: start.Add(time.Second)}
	var err error
	s.cases, s.kept, err = openService(t, s.template.dir, func() time.Time { return s.now }, rows)
	must(t, err)
	t.Cleanup(func() { must(t, s.kept.Close()) })
	return s
}

// actor is one of the people: 0 is the operator.
func (s *stage) actor(t *testing.T, i int) *model.Actor {
	t.Helper()
	who := s.template.people[i]
	actor, err := s.Authenticate(t.Context(), who.key, who.secret, netip.Addr{})
	must(t, err)
	return actor
}

// A message whose event was past its retention became Delivered when that was
// acknowledged before the housekeeping removed it, and did not afterwards.
func TestAcknowledgingAnEventPastItsRetentionChangesNothing(t *testing.T) {
	s := newStage(t)
	never := model.NoTTL
	sent, err := s.Send(t.Context(), s.actor(t, 1),
		service.SendCommand{Recipient: s.template.people[2].id.String(), Body: "x", TTL: &never})
	must(t, err)
	queue, err := s.Poll(t.Context(), s.actor(t, 2), service.PollOptions{Limit: 1})
	must(t, err)
	s.now = s.now.Add(retention + time.Second)
	must(t, s.Acknowledge(t.Context(), s.actor(t, 2), []string{queue[0].ID}))
	m, err := s.Message(t.Context(), s.actor(t, 2), sent.Message)
	must(t, err)
	if m.Status != model.New {
		t.Errorf("the message is %s, want New", m.Status)
	}
}

// Deleting a group of a deleted organization was answered as a success until the
// sweep had erased it, and as not found from then on.
func TestAGroupOfADeletedOrganizationIsNotFound(t *testing.T) {
	s := newStage(t)
	name := "ward"
	g, err := s.CreateGroup(t.Context(), s.actor(t, 1),
		service.GroupCommand{Name: &name, Members: []string{s.template.people[2].id.String()}})
	must(t, err)
	must(t, s.DeleteOrganization(t.Context(), s.actor(t, 0),
		people.DeleteCommand{Organization: s.template.organization, Name: nameOfFirst}))
	for _, moment := range []string{"before", "after"} {
		for i := range 3 {
			if err := s.DeleteGroup(t.Context(), s.actor(t, i), g.ID); !model.IsNotFound(err) {
				t.Errorf("%s the sweep, for person %d: error %v, want not found", moment, i, err)
			}
		}
		must(t, s.kept.sweep(t.Context()))
	}
}

// Whoever left an organization, and with it so many groups that not all were left in one transaction,
// saw the notes of the others again once it was back.
func TestNotesEndWithTheMembershipInTheOrganization(t *testing.T) {
	for _, rows := range []int{fanout.Rows, 1} {
		s := newStageOf(t, rows)
		name, public, o := "ward", true, s.template.organization
		leaver := s.template.people[1].id.String()
		g, err := s.CreateGroup(t.Context(), s.actor(t, 1),
			service.GroupCommand{Name: &name, Public: &public, Members: []string{s.template.people[2].id.String()}})
		must(t, err)
		must(t, s.kept.settle(t.Context()))
		notes := func() int {
			t.Helper()
			page, err := s.History(t.Context(), s.actor(t, 1),
				service.HistoryCommand{Entity: g.ID.String(), Organization: o, Limit: 50, Notes: true})
			must(t, err)
			return len(page.Notes)
		}
		if n := notes(); n != 1 {
			t.Fatalf("%d rows at once: a member sees %d notes, want the one of the creation", rows, n)
		}
		must(t, s.RemoveMember(t.Context(), s.actor(t, 0), leaver, o))
		must(t, s.kept.settle(t.Context()))
		_, err = s.AddMember(t.Context(), s.actor(t, 0), leaver, o, nil, nil)
		must(t, err)
		if n := notes(); n != 0 {
			t.Errorf("%d rows at once: who left the organization and came back sees %d notes of before", rows, n)
		}
	}
}
