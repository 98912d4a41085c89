package model

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func step(number, after int, targets int) EscalationStep {
	return EscalationStep{Number: number, After: after, To: make([]EscalationTarget, targets)}
}

func TestStepsAreDueFromTheSendingOn(t *testing.T) {
	sent := time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return sent.Add(time.Duration(minutes) * time.Minute) }
	for _, tt := range []struct {
		name  string
		steps []EscalationStep
		done  int
		step  int // 0: none is left
		due   time.Time
	}{
		{"the first", []EscalationStep{step(1, 5, 1), step(2, 20, 1)}, 0, 1, at(5)},
		{"the second", []EscalationStep{step(1, 5, 1), step(2, 20, 1)}, 1, 2, at(20)},
		{"after two", []EscalationStep{step(1, 5, 1), step(2, 20, 1)}, 2, 0, at(35)},
		{"after one", []EscalationStep{step(1, 5, 1)}, 1, 0, at(10)},
		{"of which nobody is left", []EscalationStep{step(1, 5, 0), step(2, 20, 1)}, 0, 2, at(20)},
		{"none", nil, 0, 0, sent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := Escalation{Sent: sent, Steps: tt.steps, Done: tt.done}
			next, due := e.Next()
			number := 0
			if next != nil {
				number = next.Number
			}
			if number != tt.step || !due.Equal(tt.due) {
				t.Errorf("step %d at %v, want %d at %v", number, due, tt.step, tt.due)
			}
		})
	}
}

func TestStepsThatAreNoneAreRefused(t *testing.T) {
	to := []string{"bob"}
	many := make([]AskedStep, MaxEscalationSteps+1)
	for i := range many {
		many[i] = AskedStep{After: i + 1, To: to}
	}
	for _, tt := range []struct {
		name  string
		steps []AskedStep
		fine  bool
	}{
		{"one", many[:1], true},
		{"ten", many[:10], true},
		{"none", nil, false},
		{"eleven", many, false},
		{"at once", []AskedStep{{0, to}}, false},
		{"a day", []AskedStep{{1440, to}}, true},
		{"longer than a day", []AskedStep{{1441, to}}, false},
		{"to nobody", []AskedStep{{5, nil}}, false},
		{"to an empty address", []AskedStep{{5, []string{"bob", ""}}}, false},
		{"to eleven", []AskedStep{{5, strings.Split(strings.Repeat("bob ", 11)+"x", " ")}}, false},
		{"both at a time", []AskedStep{{5, to}, {5, to}}, false},
		{"backwards", []AskedStep{{5, to}, {4, to}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := ValidSteps("escalate", tt.steps)
			var refused *Error
			if (err == nil) != tt.fine || err != nil && (!errors.As(err, &refused) || refused.Field != "escalate") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestPolicyNames(t *testing.T) {
	for name, fine := range map[string]bool{"night": true, "Night duty 2": true, "Nachtdienst Süd": true, "a.b_c-d": true,
		"": false, " night": false, "night ": false, "[1]": false, "a/b": false, "a\nb": false,
		strings.Repeat("a", 64): true, strings.Repeat("a", 65): false} {
		if ValidPolicyName(name) != fine {
			t.Errorf("%q: want %t", name, fine)
		}
	}
}
