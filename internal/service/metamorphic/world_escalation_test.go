package metamorphic

import (
	"fmt"
	"slices"
	"time"

	"signet/internal/model"
)

// escalation is how a message is sent on while nobody has come.
type escalation struct {
	message *message
	steps   []step
	until   model.Status
	state   model.EscalationState
	done    int        // steps
	letters []*message // the message, and what steps sent on
}

// step asks people and groups after so many minutes.
type step struct {
	after int
	to    []target // in the order of their tokens
}

type target struct {
	account *account
	group   *group
}

func (t target) entity() model.EntityID {
	if t.group != nil {
		return model.EntityID(t.group.id)
	}
	return t.account.entity()
}

// escalated is what a Request-ID stands for of the steps of a letter.
func (l *letter) escalated() (text string) {
	for _, s := range l.steps {
		text += fmt.Sprint(" after ", s.after)
		for _, to := range s.to {
			text += " " + to.entity().String()
		}
	}
	if l.steps != nil {
		text += " until " + l.until.String()
	}
	return text
}

// mayEscalate is the code of a refusal to escalate a letter in an organization.
func (w *world) mayEscalate(l *letter, o *organization) string {
	if l.steps == nil {
		return fine
	}
	if !o.forward {
		return forwardOff
	}
	for _, s := range l.steps {
		for _, to := range s.to {
			if !w.reaches(l.from, to, o) {
				return escalationUnknown
			}
		}
	}
	return fine
}

// reaches reports whether somebody may write to somebody in an organization.
func (w *world) reaches(from *account, to target, o *organization) bool {
	if g := to.group; g != nil {
		return !g.deleted && g.organization == o && g.has(from) && from.memberOf(o)
	}
	return to.account.memberOf(o)
}

func (e *escalation) end(state model.EscalationState) {
	if e.state == model.EscalationOpen {
		e.state = state
	}
}

// hear ends the escalation that a message belongs to, where a copy of it got so far.
func (w *world) hear(m *message, c *received) {
	for _, e := range w.escalations {
		if slices.Contains(e.letters, m) && !c.history && c.status >= e.until {
			e.end(model.EscalationEnd(c.status))
		}
	}
}

// due is when an escalation has something to do next.
func (e *escalation) due() time.Time {
	minutes := 0
	if e.done < len(e.steps) {
		minutes = e.steps[e.done].after
	} else {
		last, before := e.steps[e.done-1].after, 0
		if e.done > 1 {
			before = e.steps[e.done-2].after
		}
		minutes = last + last - before
	}
	return e.message.created.Add(time.Duration(minutes) * time.Minute)
}

// nextEscalation is the open one that has something to do now; of several the one that was due first.
func (w *world) nextEscalation() (next *escalation) {
	for _, e := range w.escalations {
		m := e.message
		switch {
		case e.state != model.EscalationOpen || e.due().After(w.now) || m.ended(w.now) || m.organization.deleted:
		case next == nil || e.due().Before(next.due()):
			next = e
		}
	}
	return next
}

// take does what an escalation has to do next. ids names what is sent to a target.
func (w *world) take(e *escalation, ids func(step int, to model.EntityID) model.MessageID) {
	m, o := e.message, e.message.organization
	if !m.sender.memberOf(o) || m.sent <= m.sender.joined[o] {
		e.end(model.EscalationCancelled)
		return
	}
	told := said{time: w.now, to: "[]"}
	if e.done == len(e.steps) {
		e.end(model.EscalationExhausted)
		w.tell(m.sender, event{kind: model.EventEscalated, organization: o, message: m, said: told})
		return
	}
	asked := []model.EntityID{}
	for _, to := range e.steps[e.done].to {
		if !o.forward || !w.reaches(m.sender, to, o) {
			continue
		}
		asked = append(asked, to.entity())
		e.letters = append(e.letters, w.sendOn(e, to, ids(e.done, to.entity())))
	}
	e.done++
	told.step, told.to = e.done, fmt.Sprint(asked)
	w.tell(m.sender, event{kind: model.EventEscalated, organization: o, message: m, said: told})
}

// sendOn sends the message of an escalation on to one of those whom a step asks.
func (w *world) sendOn(e *escalation, to target, id model.MessageID) *message {
	m := e.message
	l := &letter{from: m.sender, to: to.account, group: to.group, forward: m}
	within, _ := m.organization.lifetime(nil)
	ttl, dor := l.ends(m.organization, within)
	on := &message{
		id: id, organization: m.organization, sender: m.sender, recipient: to.account, group: to.group, body: m.body,
		created: w.now, ttl: ttl, dor: dor, priority: 1, original: m.original, copies: map[*account]*received{},
		sent: w.next(), escalation: e, step: e.done + 1,
	}
	if on.original == nil {
		on.original = &model.Original{Sender: m.sender.id, Created: m.created}
	}
	if ttl != model.NoTTL {
		on.expires = w.now.Add(time.Duration(ttl) * time.Minute)
	}
	w.put(on)
	return on
}

// part is what a message says of the escalation that sent it.
func (m *message) part() model.EscalationPart {
	if m.step == 0 {
		return model.EscalationPart{}
	}
	return model.EscalationPart{Message: m.escalation.message.id, Step: m.step}
}

// confirmedBy are those to whom a message was sent and who confirmed it.
func (m *message) confirmedBy() (out []model.AccountID) {
	for a, c := range m.copies {
		if !c.history && c.status == model.Confirmed {
			out = append(out, a.id)
		}
	}
	slices.SortFunc(out, compareIDs)
	return out
}

// cancelEscalation is DELETE /message/:message/escalation.
func (w *world) cancelEscalation(a *account, m *message) string {
	switch {
	case !w.sees(a, m):
		return notFound
	case !w.asSender(a, m):
		return notSender
	case m.escalation == nil || m.step > 0:
		return notFound
	}
	m.escalation.end(model.EscalationCancelled)
	return fine
}
