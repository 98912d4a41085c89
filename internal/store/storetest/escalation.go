package storetest

import (
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/escalation"
)

func escalations(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	eve := p.mustAccount(t, "eve").ID
	o := p.mustOrganization(t, ann, bob, eve)
	group := model.EntityID(p.id())
	m := p.letter(o, ann, bob)
	m.Escalation.Message = m.ID
	p.mustSend(t, m)
	e := model.Escalation{Message: m.ID, Organization: o, Sent: m.Created, Until: model.Read}
	e.Steps = []model.EscalationStep{
		{Number: 1, After: 5, To: []model.EscalationTarget{{Entity: model.EntityID(eve)}}},
		{Number: 2, After: 15, To: []model.EscalationTarget{{Entity: model.EntityID(bob)}}},
		{Number: 3, After: 20, To: []model.EscalationTarget{{Entity: group, Group: true}}},
	}
	of := func() model.Escalation {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) (model.Escalation, error) {
			found, there, err := escalation.Of(tx, o, m.ID)
			wantEqual(t, "is there", there, true)
			return found, err
		})
	}
	stored := e
	stored.Sent = time.Time{} // which the message has

	t.Run("come_back_as_they_were", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error { return escalation.Insert(tx, &e) })
		wantEqual(t, "escalation", of(), stored)
		row := mustRead(t, p, func(tx *store.Tx) (store.MessageRow, error) {
			row, _, err := tx.Message([]model.OrganizationID{o}, m.ID, p.now())
			return row, err
		})
		wantEqual(t, "the message is escalated", row.Escalated(), true)
	})
	t.Run("have_a_job_that_names_them", func(t *testing.T) {
		due := m.Created.Add(5 * time.Minute)
		p.mustView(t, func(tx *store.Tx) error {
			jobs, err := tx.DueJobs([]store.JobKind{store.Escalate}, due, nil, 10)
			if err != nil || len(jobs) != 1 {
				t.Fatalf("jobs %+v, %v", jobs, err)
			}
			wantEqual(t, "due", jobs[0].Due, due)
			key, err := escalation.Subject(tx, jobs[0].Subject)
			wantEqual(t, "subject", key, store.MessageKey{Organization: o, ID: m.ID})
			if _, err := escalation.Subject(tx, []byte("other")); err == nil {
				t.Error("another subject is read")
			}
			return err
		})
	})
	t.Run("note_steps", func(t *testing.T) {
		step := e.Steps[0]
		step.Done = p.now().Truncate(time.Millisecond)
		step.To = []model.EscalationTarget{{Entity: model.EntityID(eve), Sent: p.id()}}
		p.mustUpdate(t, func(tx *store.Tx) error { return escalation.NoteStep(tx, &e, &step) })
		stored.Done, stored.Steps = 1, append([]model.EscalationStep{step}, e.Steps[1:]...)
		wantEqual(t, "escalation", of(), stored)
	})
	t.Run("end_once", func(t *testing.T) {
		other := p.letter(o, ann, bob)
		other.Escalation = model.EscalationPart{Message: m.ID, Step: 1}
		at := p.now().Truncate(time.Millisecond)
		p.mustUpdate(t, func(tx *store.Tx) error { return escalation.EndByStatus(tx, other, model.Delivered, at) })
		wantEqual(t, "state", of().State, model.EscalationOpen)
		p.mustUpdate(t, func(tx *store.Tx) error { return escalation.EndByStatus(tx, other, model.Confirmed, at) })
		p.mustUpdate(t, func(tx *store.Tx) error {
			return escalation.End(tx, o, m.ID, model.EscalationCancelled, at.Add(time.Second))
		})
		wantEqual(t, "state", of().State, model.EscalationConfirmed)
		wantEqual(t, "ended", of().Ended, at)
	})
	t.Run("forget_an_account", func(t *testing.T) {
		for _, account := range []model.AccountID{eve, eve} {
			p.mustUpdate(t, func(tx *store.Tx) error {
				found, err := escalation.Naming(tx, account, 10)
				if err != nil {
					return err
				}
				return escalation.Forget(tx, account, found)
			})
		}
		wantEqual(t, "steps", len(of().Steps), 2)
	})
	t.Run("go_with_their_message", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error { return escalation.Delete(tx, o, m.ID) })
		p.mustView(t, func(tx *store.Tx) error {
			_, there, err := escalation.Of(tx, o, m.ID)
			wantEqual(t, "is there", there, false)
			return err
		})
	})
}

func escalationPolicies(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	first, second := p.organizationID(), p.organizationID()
	step := func(n, after int, to ...model.AccountID) model.EscalationStep {
		s := model.EscalationStep{Number: n, After: after}
		for _, account := range to {
			s.To = append(s.To, model.EscalationTarget{Entity: model.EntityID(account)})
		}
		return s
	}
	night := model.Policy{Organization: first, Name: "night", Until: model.Confirmed,
		Steps: []model.EscalationStep{step(1, 5, ann, bob), step(2, 10, ann)}}
	day := model.Policy{Organization: first, Name: "day", Until: model.Read,
		Steps: []model.EscalationStep{step(1, 1, ann)}}
	other := model.Policy{Organization: second, Name: "night", Until: model.Read,
		Steps: []model.EscalationStep{step(1, 1, bob)}}
	of := func(id model.OrganizationID) []model.Policy {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]model.Policy, error) { return escalation.PoliciesOf(tx, id) })
	}
	t.Run("come_back_by_name", func(t *testing.T) {
		for _, policy := range []model.Policy{night, day, other, night} {
			p.mustUpdate(t, func(tx *store.Tx) error { return escalation.PutPolicy(tx, &policy) })
		}
		wantEqual(t, "policies", of(first), []model.Policy{day, night})
		p.mustView(t, func(tx *store.Tx) error {
			got, found, err := escalation.PolicyOf(tx, first, "night")
			wantEqual(t, "found", found, true)
			wantEqual(t, "policy", got, night)
			if err != nil {
				return err
			}
			n, err := escalation.CountPolicies(tx, first)
			wantEqual(t, "number", n, 2)
			return err
		})
	})
	t.Run("forget_an_account", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error {
			found, err := escalation.PoliciesNaming(tx, ann, 10)
			if err != nil {
				return err
			}
			wantEqual(t, "policies that name it", len(found), 2)
			return escalation.ForgetInPolicies(tx, ann, found)
		})
		night.Steps = []model.EscalationStep{step(1, 5, bob)}
		wantEqual(t, "policies", of(first), []model.Policy{night})
	})
	t.Run("are_removed", func(t *testing.T) {
		for _, want := range []bool{true, false} {
			p.mustUpdate(t, func(tx *store.Tx) error {
				found, err := escalation.DeletePolicy(tx, first, "night")
				wantEqual(t, "was there", found, want)
				return err
			})
		}
		wantEqual(t, "policies of another", of(second), []model.Policy{other})
	})
}
