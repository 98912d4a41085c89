package wire

import "signet/internal/model"

// EscalationPart says of a message which one it sends on, and by which step.
type EscalationPart struct {
	MessageID model.MessageID `json:"message_id"`
	Step      int             `json:"step"`
}

// Escalation is how a message is sent on while nobody has heard it.
type Escalation struct {
	Until     string           `json:"until"`
	State     string           `json:"state"`
	EndedTime Time             `json:"ended_time,omitzero"`
	Steps     []EscalationStep `json:"steps"`
}

// EscalationStep is a step of it.
type EscalationStep struct {
	Step     int              `json:"step"`
	After    int              `json:"after"`
	To       []model.EntityID `json:"to"`
	DueTime  Time             `json:"due_time"`
	DoneTime Time             `json:"done_time,omitzero"`
	Sent     []EscalationSent `json:"sent"`
}

// EscalationSent is what a step sent to whom.
type EscalationSent struct {
	Token     model.EntityID  `json:"token"`
	MessageID model.MessageID `json:"message_id"`
}

// ShownEscalation shows an escalation to the sender of its message.
func ShownEscalation(e *model.Escalation) Escalation {
	out := Escalation{Until: model.UntilName(e.Until), State: e.State.String(), EndedTime: Time(e.Ended),
		Steps: make([]EscalationStep, len(e.Steps))}
	for i := range e.Steps {
		step := &e.Steps[i]
		shown := EscalationStep{Step: step.Number, After: step.After, To: tokens(step.To), DueTime: Time(e.Due(step)),
			DoneTime: Time(step.Done), Sent: []EscalationSent{}}
		for _, to := range step.To {
			if !to.Sent.IsZero() {
				shown.Sent = append(shown.Sent, EscalationSent{to.Entity, to.Sent})
			}
		}
		out.Steps[i] = shown
	}
	return out
}

// Policy is an escalation policy of an organization.
type Policy struct {
	Name  string       `json:"name"`
	Until string       `json:"until"`
	Steps []PolicyStep `json:"steps"`
}

// PolicyStep is a step of it.
type PolicyStep struct {
	After int              `json:"after"`
	To    []model.EntityID `json:"to"`
}

// ShownPolicy shows a policy.
func ShownPolicy(p *model.Policy) Policy {
	out := Policy{Name: p.Name, Until: model.UntilName(p.Until), Steps: make([]PolicyStep, len(p.Steps))}
	for i := range p.Steps {
		out.Steps[i] = PolicyStep{p.Steps[i].After, tokens(p.Steps[i].To)}
	}
	return out
}

func tokens(targets []model.EscalationTarget) []model.EntityID {
	out := make([]model.EntityID, len(targets))
	for i, to := range targets {
		out[i] = to.Entity
	}
	return out
}

// escalatedEvent shows what a step did to the sender.
func escalatedEvent(e *model.EscalatedChange) EscalatedEvent {
	out := EscalatedEvent{ClientID: e.Message, Step: e.Step, To: e.To, Timestamp: Time(e.Time)}
	if e.Step == 0 {
		out.Step = "exhausted"
	}
	return out
}
