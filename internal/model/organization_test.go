package model

import (
	"errors"
	"testing"
)

func minutes(n int) *int { return &n }

func TestLifetimeIsTheFirstThatIsSet(t *testing.T) {
	for _, test := range []struct {
		name     string
		settings Settings
		asked    *int
		want     int // 0: refused
	}{
		{"nothing is set", Settings{}, nil, DefaultTTL},
		{"the organization's", Settings{TTL: minutes(60)}, nil, 60},
		{"the message's", Settings{TTL: minutes(60)}, minutes(5), 5},
		{"never", Settings{}, minutes(NoTTL), NoTTL},
		{"never is lowered to the longest", Settings{MaxTTL: minutes(90)}, minutes(NoTTL), 90},
		{"the default is lowered to the longest", Settings{MaxTTL: minutes(90)}, nil, 90},
		{"the organization's is lowered to the longest", Settings{TTL: minutes(100), MaxTTL: minutes(90)}, nil, 90},
		{"the longest itself", Settings{MaxTTL: minutes(90)}, minutes(90), 90},
		{"longer than the longest", Settings{MaxTTL: minutes(90)}, minutes(91), 0},
		{"a longest of never", Settings{MaxTTL: minutes(NoTTL)}, minutes(NoTTL), NoTTL},
		{"none", Settings{}, minutes(0), 0},
		{"the longest there is", Settings{}, minutes(MaxTTL), MaxTTL},
		{"longer than that", Settings{}, minutes(MaxTTL + 1), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.settings.Lifetime(test.asked)
			var told *Error
			if refused := errors.As(err, &told); refused != (test.want == 0) || got != test.want {
				t.Errorf("got %d, %v; want %d", got, err, test.want)
			}
		})
	}
}
