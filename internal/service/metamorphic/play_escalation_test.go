package metamorphic

import (
	"slices"

	"pgregory.net/rapid"

	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
	stored "signet/internal/store/escalation"
)

// escalate sends a letter that is sent on while nobody comes.
func (p *play) escalate(t *rapid.T) {
	l := &letter{from: p.anybody(t, "from"), to: p.anybody(t, "to")}
	in := p.world.shared(l.from, l.to)
	l.named = p.anOrganization(t, in)
	p.draw(t, l)
	l.until = rapid.SampledFrom([]model.Status{model.Read, model.Confirmed}).Draw(t, "until")
	all, likely := p.targets(), []target{}
	for _, to := range all {
		if slices.ContainsFunc(in, func(o *organization) bool { return p.world.reaches(l.from, to, o) }) {
			likely = append(likely, to)
		}
	}
	after := 0
	for range rapid.IntRange(1, 3).Draw(t, "steps") {
		after += rapid.IntRange(1, 6).Draw(t, "after")
		s := step{after: after}
		for range rapid.IntRange(1, 2).Draw(t, "asked") {
			if to := mostly(t, likely, all, "asked"); !slices.Contains(s.to, to) {
				s.to = append(s.to, to)
			}
		}
		slices.SortFunc(s.to, func(a, b target) int { return compareIDs(a.entity(), b.entity()) })
		l.steps = append(l.steps, s)
	}
	p.post(t, l)
}

// targets are all who could be asked.
func (p *play) targets() (out []target) {
	for _, a := range p.world.accounts {
		out = append(out, target{account: a})
	}
	for _, g := range p.world.groups {
		out = append(out, target{group: g})
	}
	return out
}

// escalate is what a letter asks of the service.
func (l *letter) escalate() *service.EscalateCommand {
	if l.steps == nil {
		return nil
	}
	c := &service.EscalateCommand{Until: model.UntilName(l.until)}
	for _, s := range l.steps {
		asked := model.AskedStep{After: s.after}
		for _, to := range s.to {
			asked.To = append(asked.To, to.entity().String())
		}
		c.Steps = append(c.Steps, asked)
	}
	return c
}

// cancelEscalation ends one, or one that there is not.
func (p *play) cancelEscalation(t *rapid.T) {
	if len(p.world.escalations) == 0 {
		t.Skip("there is none")
	}
	e := recent(t, p.world.escalations, "escalation")
	m := recent(t, e.letters, "message")
	a := m.sender
	if rapid.IntRange(0, 3).Draw(t, "by another") == 0 {
		a = p.anybody(t, "who")
	}
	p.tick()
	err := p.service.CancelEscalation(t.Context(), p.actor(t, a), m.id)
	agree(t, "cancel", err, p.world.cancelEscalation(a, m))
}

// doSteps has both sides do what is due of escalations, and compares how far these have come.
func (p *play) doSteps(t *rapid.T) {
	// What a step leaves to be done to a group comes before the next step, as where a server runs.
	if err := p.kept.work.Settle(t.Context(), store.Escalate, store.FanOut); err != nil {
		t.Fatal(err)
	}
	for e := p.world.nextEscalation(); e != nil; e = p.world.nextEscalation() {
		got := p.storedEscalation(t, e)
		p.world.take(e, func(step int, to model.EntityID) model.MessageID {
			if step >= len(got.Steps) {
				t.Fatalf("step %d of %#v was not done", step+1, e.message)
			}
			for _, target := range got.Steps[step].To {
				if target.Entity == to {
					return target.Sent
				}
			}
			t.Fatalf("step %d of %#v does not ask %s", step+1, e.message, to)
			return model.MessageID{}
		})
	}
	for _, e := range p.world.escalations {
		if !p.world.asSender(e.message.sender, e.message) {
			continue
		}
		got := p.mustEscalation(t, e)
		wantSame(t, "state of an escalation", got.State, e.state)
		for i := range got.Steps {
			wantSame(t, "a step was done", !got.Steps[i].Done.IsZero(), i < e.done)
		}
	}
}

// storedEscalation reads one whoever may see it: its sender may have removed the conversation.
func (p *play) storedEscalation(t *rapid.T, e *escalation) (got model.Escalation) {
	t.Helper()
	err := p.kept.View(t.Context(), func(tx *store.Tx) (err error) {
		got, _, err = stored.Of(tx, e.message.organization.id, e.message.id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (p *play) mustEscalation(t *rapid.T, e *escalation) model.Escalation {
	t.Helper()
	got, err := p.service.Escalation(t.Context(), p.actor(t, e.message.sender), e.message.id)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
