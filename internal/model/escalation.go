package model

import (
	"slices"
	"time"
	"unicode"
)

// Limits of an escalation (contract, section 8).
const (
	MaxEscalationSteps = 10
	MaxEscalationAfter = 1440 // minutes from sending
	MaxEscalationTo    = 10   // addresses of a step
	MaxPolicyName      = 64   // characters
	MaxPolicies        = 100  // of an organization
)

// EscalationState says whether steps of an escalation may still come, and if not, why not. Its number
// is stored.
type EscalationState int

// The states.
const (
	EscalationOpen      EscalationState = iota
	EscalationRead                      // somebody has read the message, or what a step sent on
	EscalationConfirmed                 // somebody has confirmed one of these
	EscalationRecalled                  // its message was recalled
	EscalationCancelled                 // the sender ended it, or may not write in the organization any more
	EscalationExhausted                 // all steps were done, and nobody came in time
)

// String returns the wire name.
func (s EscalationState) String() string {
	switch s {
	case EscalationRead:
		return "read"
	case EscalationConfirmed:
		return "confirmed"
	case EscalationRecalled:
		return "recalled"
	case EscalationCancelled:
		return "cancelled"
	case EscalationExhausted:
		return "exhausted"
	default:
		return "open"
	}
}

// EscalationPart says what a message has to do with an escalation; the zero value: nothing.
type EscalationPart struct {
	Message MessageID // the message that is escalated
	Step    int       // which sent this one on; 0: it is the message itself
}

// Begins reports whether the message is one that is escalated.
func (p EscalationPart) Begins() bool { return !p.Message.IsZero() && p.Step == 0 }

// EscalationTarget is an account or a group to which a step sends a message on.
type EscalationTarget struct {
	Entity EntityID
	Group  bool
	Sent   MessageID // what it got; zero: nothing yet, or nothing ever
}

// EscalationStep sends a message on, unless somebody has come before.
type EscalationStep struct {
	Number int // from 1 on
	After  int // minutes from the sending of the message
	To     []EscalationTarget
	Done   time.Time // zero: not yet
}

// Escalation is how a message that nobody hears is sent on.
type Escalation struct {
	Message      MessageID
	Organization OrganizationID
	Sender       AccountID
	Sent         time.Time // the message was
	Until        Status    // Read or Confirmed: the status that ends it
	State        EscalationState
	Ended        time.Time // zero: it is open
	Done         int       // the number of the last step that was done
	Steps        []EscalationStep
}

// Due returns when a step is to be done.
func (e *Escalation) Due(step *EscalationStep) time.Time {
	return e.Sent.Add(time.Duration(step.After) * time.Minute)
}

// Next returns the next step, and when it is due; nil and the time of exhaustion, where none is left.
// A step of which nobody is left is passed over.
func (e *Escalation) Next() (step *EscalationStep, due time.Time) {
	for i := range e.Steps {
		if s := &e.Steps[i]; s.Number > e.Done && len(s.To) > 0 {
			return s, e.Due(s)
		}
	}
	return nil, e.exhausted()
}

// exhausted is when an escalation ends to which nobody has come: those of the last step have as long as
// those had who were asked before them.
func (e *Escalation) exhausted() time.Time {
	if len(e.Steps) == 0 {
		return e.Sent
	}
	last, before := e.Steps[len(e.Steps)-1].After, 0
	if len(e.Steps) > 1 {
		before = e.Steps[len(e.Steps)-2].After
	}
	return e.Sent.Add(time.Duration(2*last-before) * time.Minute)
}

// Messages lists the message and all that its steps sent on.
func (e *Escalation) Messages() []MessageID {
	out := []MessageID{e.Message}
	for i := range e.Steps {
		for _, to := range e.Steps[i].To {
			if !to.Sent.IsZero() {
				out = append(out, to.Sent)
			}
		}
	}
	return out
}

// EndsWith reports whether a copy that reached a status ends an open escalation.
func (e *Escalation) EndsWith(status Status) bool { return status >= e.Until }

// EscalationEnd is the state of an escalation that a status ended.
func EscalationEnd(status Status) EscalationState {
	if status >= Confirmed {
		return EscalationConfirmed
	}
	return EscalationRead
}

// Policy is an escalation that an organization keeps under a name, for its members to choose.
type Policy struct {
	Organization OrganizationID
	Name         string
	Until        Status
	Steps        []EscalationStep // without times
}

// AskedStep is a step as it is asked for.
type AskedStep struct {
	After int      `json:"after"`
	To    []string `json:"to"` // addresses
}

// ParseUntil reads which status ends an escalation; empty is read.
func ParseUntil(text string) (until Status, ok bool) {
	switch text {
	case "", "read":
		return Read, true
	case "confirmed":
		return Confirmed, true
	}
	return 0, false
}

// UntilName is what ParseUntil reads.
func UntilName(until Status) string {
	if until == Confirmed {
		return "confirmed"
	}
	return "read"
}

// ValidSteps refuses steps that are none of an escalation. The error names a field.
func ValidSteps(field string, steps []AskedStep) error {
	if len(steps) == 0 || len(steps) > MaxEscalationSteps {
		return Invalidf("escalation_invalid", field, "An escalation has 1 to %d steps.", MaxEscalationSteps)
	}
	for i, step := range steps {
		switch {
		case step.After < 1 || step.After > MaxEscalationAfter:
			return Invalidf("escalation_invalid", field, "Step %d is due after 1 to %d minutes.", i+1, MaxEscalationAfter)
		case i > 0 && step.After <= steps[i-1].After:
			return Invalidf("escalation_invalid", field, "Step %d is due later than the one before it.", i+1)
		case len(step.To) == 0 || len(step.To) > MaxEscalationTo:
			return Invalidf("escalation_invalid", field, "Step %d has 1 to %d addresses.", i+1, MaxEscalationTo)
		case slices.Contains(step.To, ""):
			return Invalidf("escalation_invalid", field, "Step %d has an empty address.", i+1)
		}
	}
	return nil
}

// ValidPolicyName reports whether a policy may have a name: letters, digits, blanks, dots, underscores
// and hyphens, the first and the last a letter or a digit.
func ValidPolicyName(name string) bool {
	runes := []rune(name)
	if len(runes) == 0 || len(runes) > MaxPolicyName {
		return false
	}
	for i, r := range runes {
		word := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && i > 0
		if !word && (i == 0 || i == len(runes)-1 || r != ' ' && r != '.' && r != '_' && r != '-') {
			return false
		}
	}
	return true
}

// EscalatedChange tells the sender of a message that a step sent it on, or that nobody came.
type EscalatedChange struct {
	Message MessageID
	Step    int        // 0: all were done, and nobody came in time
	To      []EntityID // who got it
	Time    time.Time
}
