package service

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/escalation"
)

// What a random course of events makes of escalations is compared with a model, which is written from the
// contract alone: it counts anew, from all that happened, which steps have to have been done.

// alarm is an escalated message as the model has it.
type alarm struct {
	id      model.MessageID
	sent    time.Time
	expires time.Time
	until   model.Status
	steps   []alarmStep
	job     time.Time // when it is looked at next
	state   model.EscalationState
	letters []*letter // the message, and what steps sent on
}

type alarmStep struct {
	number int
	after  int
	to     []model.EntityID
	done   bool
	asked  []model.EntityID // of to, those who were there
}

// letter is a message, and who has a copy of it.
type letter struct {
	id       model.MessageID
	statuses map[model.AccountID]model.Status
	expires  time.Time
}

// course is a random course of events.
type course struct {
	*ward
	people []model.AccountID // beside the sender
	here   map[model.AccountID]bool
	groups []model.Group // Ann is in all of them
	alarms []*alarm
	told   []string // what the sender is to have been told, in order
}

func TestEscalationsAgreeWithAModel(t *testing.T) {
	f := newFixture(t)
	rapid.Check(t, func(t *rapid.T) {
		c := newCourse(f)
		t.Repeat(map[string]func(*rapid.T){
			"send":       c.sendOne,
			"send again": c.sendOne,
			"mark":       c.markOne,
			"mark more":  c.markOne,
			"recall":     c.recallOne,
			"cancel":     c.cancelOne,
			"leave":      c.leave,
			"erase":      c.erase,
			"wait":       c.wait,
			"wait on":    c.wait,
			"":           c.compare,
		})
	})
}

func newCourse(f *fixture) *course {
	c := &course{ward: &ward{fixture: f, organization: f.organization()}, here: map[model.AccountID]bool{}}
	c.ann = f.named("Ann", c.organization)
	for i := range 4 {
		account := f.named(fmt.Sprint("Person ", i), c.organization)
		c.people, c.here[account] = append(c.people, account), true
	}
	c.groups = []model.Group{f.group(c.organization, "Two", false, c.ann, c.people[0], c.people[1]),
		f.group(c.organization, "Alone", false, c.ann)}
	return c
}

// entities are those to whom Ann can write.
func (c *course) entities() (out []model.EntityID) {
	for _, account := range c.people {
		if c.here[account] {
			out = append(out, model.EntityID(account))
		}
	}
	for i := range c.groups {
		out = append(out, c.groups[i].Entity())
	}
	return append(out, model.EntityID(c.ann))
}

// readers are who gets what is sent to an entity now.
func (c *course) readers(entity model.EntityID) (out []model.AccountID) {
	for i := range c.groups {
		if c.groups[i].Entity() != entity {
			continue
		}
		for _, account := range c.groups[i].Members {
			if account != c.ann && c.here[account] {
				out = append(out, account)
			}
		}
		return out
	}
	return []model.AccountID{model.AccountID(entity)}
}

func (c *course) reachable(entity model.EntityID) bool {
	return !slices.Contains(c.people, model.AccountID(entity)) || c.here[model.AccountID(entity)]
}

func (c *course) letter(id model.MessageID, to model.EntityID, expires time.Time) *letter {
	l := &letter{id: id, statuses: map[model.AccountID]model.Status{}, expires: expires}
	for _, account := range c.readers(to) {
		l.statuses[account] = model.New
	}
	return l
}

func (c *course) sendOne(t *rapid.T) {
	c.now = c.now.Add(time.Millisecond)
	entities := c.entities()
	a := &alarm{sent: c.now, until: rapid.SampledFrom([]model.Status{model.Read, model.Confirmed}).Draw(t, "until")}
	var asked []model.AskedStep
	for n := range rapid.IntRange(1, 4).Draw(t, "steps") {
		after := rapid.IntRange(1, 6).Draw(t, "after")
		if n := len(a.steps); n > 0 {
			after += a.steps[n-1].after
		}
		to := rapid.SliceOfNDistinct(rapid.SampledFrom(entities), 1, 3, rapid.ID).Draw(t, "to")
		step := model.AskedStep{After: after}
		for _, entity := range to {
			step.To = append(step.To, entity.String())
		}
		slices.SortFunc(to, func(a, b model.EntityID) int { return slices.Compare(a[:], b[:]) })
		asked, a.steps = append(asked, step), append(a.steps, alarmStep{number: n + 1, after: after, to: to})
	}
	ttl := rapid.IntRange(1, 30).Draw(t, "ttl")
	a.expires = c.now.Add(time.Duration(ttl) * time.Minute)
	to := rapid.SampledFrom(entities).Draw(t, "recipient")
	sent, err := c.service.Send(t.Context(), c.actor(c.ann), SendCommand{Recipient: to.String(), Body: "help", TTL: &ttl,
		Escalate: &EscalateCommand{Steps: asked, Until: model.UntilName(a.until)}})
	if err != nil {
		t.Fatal(err)
	}
	a.id = sent.Message
	_, a.job = a.due()
	a.letters = []*letter{c.letter(a.id, to, a.expires)}
	c.alarms = append(c.alarms, a)
}

func (c *course) one(t *rapid.T) *alarm {
	if len(c.alarms) == 0 {
		t.Skip("nothing was sent")
	}
	return rapid.SampledFrom(c.alarms).Draw(t, "alarm")
}

func (c *course) markOne(t *rapid.T) {
	a := c.one(t)
	l := rapid.SampledFrom(a.letters).Draw(t, "letter")
	account := rapid.SampledFrom(append(c.people[:len(c.people):len(c.people)], c.ann)).Draw(t, "reader")
	status := rapid.SampledFrom([]model.Status{model.Delivered, model.Read, model.Confirmed}).Draw(t, "status")
	m := map[model.Status]Marks{model.Delivered: {Delivered: []model.MessageID{l.id}},
		model.Read: {Read: []model.MessageID{l.id}}, model.Confirmed: {Confirmed: []model.MessageID{l.id}}}[status]
	c.now = c.now.Add(time.Millisecond)
	if err := c.service.MarkStatus(t.Context(), c.actor(account), m); err != nil {
		t.Fatal(err)
	}
	was, has := l.statuses[account]
	if !has || was >= status || account != c.ann && !c.here[account] || !c.now.Before(l.expires) ||
		l == a.letters[0] && a.state == model.EscalationRecalled {
		return
	}
	l.statuses[account] = status
	if a.state == model.EscalationOpen && status >= a.until {
		a.state = model.EscalationEnd(status)
	}
}

func (c *course) recallOne(t *rapid.T) {
	a := c.one(t)
	c.now = c.now.Add(time.Millisecond)
	err := c.service.Recall(t.Context(), c.actor(c.ann), a.id)
	if gone := !c.now.Before(a.expires); gone != model.IsNotFound(err) || err != nil && !gone {
		t.Fatal(err)
	}
	if err == nil && a.state == model.EscalationOpen {
		a.state = model.EscalationRecalled
	}
	if err == nil {
		a.letters[0].statuses = nil // nobody marks it any more
	}
}

func (c *course) cancelOne(t *rapid.T) {
	a := c.one(t)
	c.now = c.now.Add(time.Millisecond)
	err := c.service.CancelEscalation(t.Context(), c.actor(c.ann), a.id)
	if gone := !c.now.Before(a.expires); gone != model.IsNotFound(err) || err != nil && !gone {
		t.Fatal(err)
	}
	if err == nil && a.state == model.EscalationOpen {
		a.state = model.EscalationCancelled
	}
}

// leave takes somebody out of the organization, and of its groups.
func (c *course) leave(t *rapid.T) {
	c.takeOut(c.someone(t))
}

// someone is one of those who are there.
func (c *course) someone(t *rapid.T) model.AccountID {
	account := rapid.SampledFrom(c.people).Draw(t, "who")
	if !c.here[account] {
		t.Skip("is not there")
	}
	return account
}

func (c *course) takeOut(account model.AccountID) {
	c.mustUpdate(func(tx *store.Tx) error {
		for i := range c.groups {
			if err := tx.RemoveGroupMembers(c.groups[i].ID, []model.AccountID{account}, 1); err != nil {
				return err
			}
		}
		return tx.DeleteMembership(c.organization, account)
	})
	c.here[account] = false
}

// erase erases somebody, whom no step names any more.
func (c *course) erase(t *rapid.T) {
	account := c.someone(t)
	c.takeOut(account)
	c.mustUpdate(func(tx *store.Tx) error {
		found, err := escalation.Naming(tx, account, 1000)
		if err != nil {
			return err
		}
		return escalation.Forget(tx, account, found)
	})
	for _, a := range c.alarms {
		a.forget(model.EntityID(account))
	}
}

// forget takes somebody out of the steps. One of which nobody is left goes.
func (a *alarm) forget(entity model.EntityID) {
	is := func(other model.EntityID) bool { return other == entity }
	for i := range a.steps {
		step := &a.steps[i]
		step.to, step.asked = slices.DeleteFunc(step.to, is), slices.DeleteFunc(step.asked, is)
	}
	a.steps = slices.DeleteFunc(a.steps, func(step alarmStep) bool { return len(step.to) == 0 })
}

func (c *course) wait(t *rapid.T) {
	c.now = c.now.Add(time.Duration(rapid.IntRange(1, 400).Draw(t, "seconds")) * time.Second)
	if err := c.work.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for c.next(t) {
	}
}

// due is what an alarm has to do next, and when.
func (a *alarm) due() (step int, at time.Time) {
	last, before := 0, 0
	for i := range a.steps {
		if !a.steps[i].done {
			return i, a.sent.Add(time.Duration(a.steps[i].after) * time.Minute)
		}
		last, before = a.steps[i].after, last
	}
	return -1, a.sent.Add(time.Duration(last+last-before) * time.Minute)
}

// looks is when it is looked at next. What is due earlier since somebody was erased waits until then; what is
// due later is done later.
func (a *alarm) looks() time.Time {
	if _, due := a.due(); due.After(a.job) {
		return due
	}
	return a.job
}

// next does the earliest thing that is due.
func (c *course) next(t *rapid.T) bool {
	var first *alarm
	for _, a := range c.alarms {
		if a.state != model.EscalationOpen || !c.now.Before(a.expires) {
			continue
		}
		if at := a.looks(); at.After(c.now) || first != nil && !at.Before(first.looks()) {
			continue
		}
		first = a
	}
	if first == nil {
		return false
	}
	n, _ := first.due()
	if n < 0 {
		first.state = model.EscalationExhausted
		c.told = append(c.told, telling(first.id, 0, nil))
		return true
	}
	step := &first.steps[n]
	step.done = true
	_, first.job = first.due()
	e, err := c.service.Escalation(t.Context(), c.actor(c.ann), first.id)
	if err != nil {
		t.Fatal(err)
	}
	for _, entity := range step.to {
		if !c.reachable(entity) {
			continue
		}
		step.asked = append(step.asked, entity)
		i := slices.IndexFunc(e.Steps[n].To, func(to model.EscalationTarget) bool { return to.Entity == entity })
		ttl := first.expires.Sub(first.sent)
		first.letters = append(first.letters, c.letter(e.Steps[n].To[i].Sent, entity, c.now.Add(ttl)))
	}
	c.told = append(c.told, telling(first.id, step.number, step.asked))
	return true
}

// telling is what the sender is told, as it is compared.
func telling(id model.MessageID, step int, to []model.EntityID) string {
	return fmt.Sprintf("%s: step %d to %q", id, step, to)
}

// compare compares all that can be seen.
func (c *course) compare(t *rapid.T) {
	for _, a := range c.alarms {
		e, err := c.service.Escalation(t.Context(), c.actor(c.ann), a.id)
		if gone := !c.now.Before(a.expires); gone {
			if !model.IsNotFound(err) {
				t.Fatalf("the escalation of a message that is gone: %v, %v", e, err)
			}
			continue
		}
		if err != nil || e.State != a.state || e.Until != a.until {
			t.Fatalf("it is %v until %v, %v; want %v until %v", e.State, e.Until, err, a.state, a.until)
		}
		for n, step := range e.Steps {
			var sent []model.EntityID
			for _, to := range step.To {
				if !to.Sent.IsZero() {
					sent = append(sent, to.Entity)
				}
			}
			if step.Done.IsZero() == a.steps[n].done || !slices.Equal(sent, a.steps[n].asked) {
				t.Fatalf("step %d was done at %v and sent to %v; want %t, %v", n+1, step.Done, sent, a.steps[n].done,
					a.steps[n].asked)
			}
		}
	}
	var told []string
	for _, e := range c.queued(c.ann, model.EventEscalated) {
		told = append(told, telling(e.Escalated.Message, e.Escalated.Step, e.Escalated.To))
	}
	if !slices.Equal(told, c.told) {
		t.Fatalf("the sender was told\n%v, want\n%v", told, c.told)
	}
}
