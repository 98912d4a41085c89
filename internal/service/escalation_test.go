package service

import (
	"errors"
	"slices"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/escalation"
)

// ward is an organization in which messages are escalated, with a clock that tests set.
type ward struct {
	*fixture
	organization       model.OrganizationID
	ann, bob, eve, joe model.AccountID
}

func newWard(t testing.TB) *ward {
	f := newFixture(t)
	w := &ward{fixture: f, organization: f.organization()}
	w.ann, w.bob = f.named("Ann", w.organization), f.named("Bob", w.organization)
	w.eve, w.joe = f.named("Eve", w.organization), f.named("Joe", w.organization)
	return w
}

// ask is a step that asks accounts or groups.
func ask[K any](after int, to ...model.ID[K]) model.AskedStep {
	s := model.AskedStep{After: after}
	for _, id := range to {
		s.To = append(s.To, id.String())
	}
	return s
}

// send has Ann write to an account or a group, escalated by steps.
func (w *ward) send(to model.EntityID, until string, steps ...model.AskedStep) model.MessageID {
	w.t.Helper()
	sent, err := w.service.Send(w.t.Context(), w.actor(w.ann), SendCommand{Recipient: to.String(), Body: "help",
		Escalate: &EscalateCommand{Steps: steps, Until: until}})
	if err != nil {
		w.t.Fatal(err)
	}
	return sent.Message
}

// advance lets time pass, and does what is due.
func (w *ward) advance(d time.Duration) {
	w.t.Helper()
	w.now = w.now.Add(d)
	if err := w.work.Settle(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// queued are the events of a kind in an account's queue.
func (w *ward) queued(account model.AccountID, kind model.EventKind) (out []model.Event) {
	w.t.Helper()
	events, _, err := w.service.Events(w.t.Context(), w.actor(account), 0, store.EndOfQueue, MaxEvents)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range events {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

// escalatedTo are the messages that steps have sent to an account.
func (w *ward) escalatedTo(account model.AccountID) (out []*model.Message) {
	w.t.Helper()
	for _, kind := range []model.EventKind{model.EventMessage, model.EventGroupMessage} {
		for _, e := range w.queued(account, kind) {
			if e.Message.Escalation.Step > 0 {
				out = append(out, e.Message)
			}
		}
	}
	return out
}

// steps are what the sender was told: the steps that were done.
func (w *ward) steps() (out []int) {
	w.t.Helper()
	for _, e := range w.queued(w.ann, model.EventEscalated) {
		out = append(out, e.Escalated.Step)
	}
	return out
}

func (w *ward) wantSteps(want ...int) {
	w.t.Helper()
	if got := w.steps(); !slices.Equal(got, want) {
		w.t.Errorf("the sender was told of the steps %v, want %v", got, want)
	}
}

func (w *ward) wantState(id model.MessageID, want model.EscalationState) {
	w.t.Helper()
	e, err := w.service.Escalation(w.t.Context(), w.actor(w.ann), id)
	if err != nil || e.State != want || e.Ended.IsZero() != (want == model.EscalationOpen) {
		w.t.Errorf("state %v, ended %v, %v; want %v", e.State, e.Ended, err, want)
	}
}

func (w *ward) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *ward) mark(account model.AccountID, m Marks) {
	w.t.Helper()
	w.must(w.service.MarkStatus(w.t.Context(), w.actor(account), m))
}

func TestStepsSendAMessageOnUntilSomebodyComes(t *testing.T) {
	w := newWard(t)
	id := w.send(model.EntityID(w.bob), "", ask(5, w.eve), ask(15, w.joe))
	w.advance(5*time.Minute - time.Millisecond)
	w.wantSteps()
	w.advance(time.Millisecond)
	w.wantSteps(1)
	got := w.escalatedTo(w.eve)
	if len(got) != 1 {
		t.Fatalf("Eve got %d messages", len(got))
	}
	m := got[0]
	if m.Body != "help" || m.Priority != 1 || m.Sender != w.ann || m.Forwarded == nil || m.Forwarded.Sender != w.ann ||
		m.Escalation != (model.EscalationPart{Message: id, Step: 1}) {
		t.Errorf("she got %+v", m)
	}
	told := w.queued(w.ann, model.EventEscalated)[0].Escalated
	if told.Message != id || !slices.Equal(told.To, []model.EntityID{model.EntityID(w.eve)}) || !told.Time.Equal(w.now) {
		t.Errorf("the sender was told %+v", told)
	}
	w.wantState(id, model.EscalationOpen)
	w.mark(w.eve, Marks{Read: []model.MessageID{m.ID}})
	w.wantState(id, model.EscalationRead)
	w.advance(time.Hour)
	w.wantSteps(1)
	if n := len(w.escalatedTo(w.joe)); n != 0 {
		t.Errorf("Joe got %d messages", n)
	}
}

func TestNobodyCame(t *testing.T) {
	w := newWard(t)
	id := w.send(model.EntityID(w.bob), "", ask(5, w.eve), ask(15, w.joe))
	w.advance(15 * time.Minute)
	w.wantSteps(1, 2)
	w.wantState(id, model.EscalationOpen)
	w.advance(10 * time.Minute)
	w.wantSteps(1, 2, 0)
	w.wantState(id, model.EscalationExhausted)
	w.advance(24 * time.Hour)
	w.wantSteps(1, 2, 0)
}

func TestReadingIsNotEnoughWhereSomebodyHasToConfirm(t *testing.T) {
	w := newWard(t)
	id := w.send(model.EntityID(w.bob), "confirmed", ask(5, w.eve))
	w.mark(w.bob, Marks{Read: []model.MessageID{id}})
	w.wantState(id, model.EscalationOpen)
	w.advance(5 * time.Minute)
	w.wantSteps(1)
	w.mark(w.bob, Marks{Confirmed: []model.MessageID{id}})
	w.wantState(id, model.EscalationConfirmed)
	w.advance(time.Hour)
	w.wantSteps(1)
	m, err := w.service.Message(t.Context(), w.actor(w.ann), id)
	if err != nil || m.Status.OfMessage() != model.Read || !slices.Equal(m.ConfirmedBy, []model.AccountID{w.bob}) {
		t.Errorf("the sender sees %v, confirmed by %v, %v", m.Status, m.ConfirmedBy, err)
	}
	if m, err = w.service.Message(t.Context(), w.actor(w.bob), id); err != nil || m.ConfirmedBy != nil {
		t.Errorf("a recipient sees %v, %v", m.ConfirmedBy, err)
	}
}

func TestWhatEndsAnEscalation(t *testing.T) {
	for _, tt := range []struct {
		name  string
		state model.EscalationState
		do    func(w *ward, id model.MessageID) error
	}{
		{"a recall", model.EscalationRecalled, func(w *ward, id model.MessageID) error {
			return w.service.Recall(w.t.Context(), w.actor(w.ann), id)
		}},
		{"its sender", model.EscalationCancelled, func(w *ward, id model.MessageID) error {
			return w.service.CancelEscalation(w.t.Context(), w.actor(w.ann), id)
		}},
		{"that the conversation is read", model.EscalationRead, func(w *ward, id model.MessageID) error {
			_, err := w.service.ReadConversation(w.t.Context(), w.actor(w.bob), w.ann.String(), "", store.EndOfQueue)
			return err
		}},
		{"a confirmation", model.EscalationConfirmed, func(w *ward, id model.MessageID) error {
			return w.service.MarkStatus(w.t.Context(), w.actor(w.bob), Marks{Confirmed: []model.MessageID{id}})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWard(t)
			id := w.send(model.EntityID(w.bob), "", ask(5, w.eve))
			w.must(tt.do(w, id))
			w.wantState(id, tt.state)
			w.advance(time.Hour)
			w.wantSteps()
			w.must(w.service.CancelEscalation(t.Context(), w.actor(w.ann), id))
			w.wantState(id, tt.state)
		})
	}
}

// An erasure takes an account out of steps. The job that waited for its step does not do the next one in its place.
func TestAStepWithoutTheErasedIsNotDoneTooEarly(t *testing.T) {
	w := newWard(t)
	w.send(model.EntityID(w.bob), "", ask(5, w.eve), ask(15, w.joe))
	w.mustUpdate(func(tx *store.Tx) error {
		found, err := escalation.Naming(tx, w.eve, 10)
		if err != nil {
			return err
		}
		return escalation.Forget(tx, w.eve, found)
	})
	w.advance(15*time.Minute - time.Millisecond)
	w.wantSteps()
	w.advance(time.Millisecond)
	w.wantSteps(2)
	w.advance(15*time.Minute - time.Millisecond)
	w.wantSteps(2)
	w.advance(time.Millisecond)
	w.wantSteps(2, 0)
}

// What is done late because it failed first is late since its own time, not since it was tried again.
func TestTheDelayOfAStepThatFailedFirst(t *testing.T) {
	w := newWard(t)
	w.send(model.EntityID(w.bob), "", ask(5, w.eve))
	w.now = w.now.Add(5 * time.Minute)
	w.mustUpdate(func(tx *store.Tx) error {
		jobs, err := tx.DueJobs([]store.JobKind{store.Escalate}, w.now, nil, 1)
		if err != nil {
			return err
		}
		_, err = tx.PutOffJob(&jobs[0], w.now.Add(time.Minute))
		return err
	})
	w.advance(time.Minute)
	w.wantSteps(1)
	if late := w.service.counts.Escalated.Delay.Read(); late.Count != 1 || late.Sum != time.Minute.Nanoseconds() {
		t.Errorf("%d delays of %v together, want one of a minute", late.Count, time.Duration(late.Sum))
	}
}

func TestAnExpiredMessageIsNotSentOn(t *testing.T) {
	w := newWard(t)
	minutes := 5
	_, err := w.service.Send(t.Context(), w.actor(w.ann), SendCommand{Recipient: w.bob.String(), Body: "help",
		TTL: &minutes, Escalate: &EscalateCommand{Steps: []model.AskedStep{ask(5, w.eve)}}})
	w.must(err)
	w.advance(5 * time.Minute)
	w.wantSteps()
}

func TestAStepAsksWhoIsStillThere(t *testing.T) {
	w := newWard(t)
	g := w.group(w.organization, "Night", false, w.ann, w.joe)
	gone := w.group(w.organization, "Gone", false, w.ann, w.joe)
	left := w.group(w.organization, "Left", false, w.ann, w.joe)
	w.send(model.EntityID(w.bob), "", model.AskedStep{After: 5,
		To: []string{w.eve.String(), g.ID.String(), gone.ID.String(), left.ID.String()}})
	w.mustUpdate(func(tx *store.Tx) error {
		gone.Deleted = true
		return errors.Join(tx.UpdateGroup(&gone), tx.DeleteMembership(w.organization, w.eve),
			tx.RemoveGroupMembers(left.ID, []model.AccountID{w.ann}, 1))
	})
	w.advance(5 * time.Minute)
	told := w.queued(w.ann, model.EventEscalated)
	if len(told) != 1 || !slices.Equal(told[0].Escalated.To, []model.EntityID{g.Entity()}) {
		t.Fatalf("the sender was told %+v", told)
	}
	if got := w.escalatedTo(w.joe); len(got) != 1 || got[0].Recipient != g.Entity() {
		t.Errorf("Joe got %+v", got)
	}
}

func TestASenderWhoLeftSendsNothingOn(t *testing.T) {
	w := newWard(t)
	w.send(model.EntityID(w.bob), "", ask(5, w.eve))
	w.mustUpdate(func(tx *store.Tx) error { return tx.DeleteMembership(w.organization, w.ann) })
	w.advance(time.Hour)
	if n := len(w.escalatedTo(w.eve)); n != 0 {
		t.Errorf("Eve got %d messages", n)
	}
}

// Nothing opens a disabled account; all else goes on, as with every message.
func TestDisabledAccountsGoOnInEscalations(t *testing.T) {
	w := newWard(t)
	w.send(model.EntityID(w.bob), "", ask(5, w.eve))
	w.mustUpdate(func(tx *store.Tx) error {
		return errors.Join(tx.SetDisabled(w.ann, true), tx.SetDisabled(w.eve, true))
	})
	w.advance(5 * time.Minute)
	if n := len(w.escalatedTo(w.eve)); n != 1 {
		t.Errorf("Eve got %d messages", n)
	}
}

func TestAGroupHearsAndEnds(t *testing.T) {
	w := newWard(t)
	g := w.group(w.organization, "Night", false, w.ann, w.eve, w.joe)
	id := w.send(model.EntityID(w.bob), "", ask(5, g.ID), ask(10, w.bob))
	w.advance(5 * time.Minute)
	got := w.escalatedTo(w.eve)
	if len(got) != 1 || len(w.escalatedTo(w.joe)) != 1 {
		t.Fatalf("the group got %+v", got)
	}
	w.mark(w.joe, Marks{Read: []model.MessageID{got[0].ID}})
	w.wantState(id, model.EscalationRead)
	w.advance(time.Hour)
	w.wantSteps(1)
}

func TestWhoMayNotBeWrittenToIsRefusedAtOnce(t *testing.T) {
	w := newWard(t)
	stranger := w.named("Stranger", w.fixture.organization())
	foreign := w.group(w.organization, "Foreign", false, w.eve)
	for _, address := range []string{stranger.String(), foreign.ID.String(), "nobody", "nobody@example.com"} {
		_, err := w.service.Send(t.Context(), w.actor(w.ann), SendCommand{Recipient: w.bob.String(), Body: "help",
			Escalate: &EscalateCommand{Steps: []model.AskedStep{{After: 5, To: []string{w.eve.String(), address}}}}})
		var refused *model.Error
		if !errors.As(err, &refused) || refused.Kind != model.Invalid || refused.Field != "escalate" ||
			refused.Code != "escalation_to_unknown" {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// What is read once and gone has ended the escalation all the same.
func TestDeleteOnReadEndsAnEscalation(t *testing.T) {
	w := newWard(t)
	dor := true
	sent, err := w.service.Send(t.Context(), w.actor(w.ann), SendCommand{Recipient: w.bob.String(), Body: "help",
		DOR: &dor, Escalate: &EscalateCommand{Steps: []model.AskedStep{ask(5, w.eve), ask(10, w.joe)}}})
	w.must(err)
	w.advance(5 * time.Minute)
	got := w.escalatedTo(w.eve)
	w.mark(w.eve, Marks{Read: []model.MessageID{got[0].ID}})
	w.advance(2 * time.Minute)
	w.wantState(sent.Message, model.EscalationRead)
	w.advance(time.Hour)
	w.wantSteps(1)
}

// A confirmation after the reading keeps nothing that goes once it was read.
func TestAConfirmationKeepsNothing(t *testing.T) {
	w := newWard(t)
	dor := true
	sent, err := w.service.Send(t.Context(), w.actor(w.ann), SendCommand{Recipient: w.bob.String(), Body: "x", DOR: &dor})
	w.must(err)
	w.mark(w.bob, Marks{Read: []model.MessageID{sent.Message}})
	w.now = w.now.Add(50 * time.Second)
	w.mark(w.bob, Marks{Confirmed: []model.MessageID{sent.Message}})
	w.now = w.now.Add(10 * time.Second)
	if _, err := w.service.Message(t.Context(), w.actor(w.bob), sent.Message); !model.IsNotFound(err) {
		t.Errorf("got %v", err)
	}
	if _, err := w.service.Message(t.Context(), w.actor(w.ann), sent.Message); !model.IsNotFound(err) {
		t.Errorf("the sender got %v", err)
	}
}
