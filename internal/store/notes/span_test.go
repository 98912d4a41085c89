package notes

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"signet/internal/store"
)

// Spans show of each place what the stays say of it.
func TestSpansShowWhatTheStaysSay(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var stays []store.Stay
		end := int64(0)
		for range random.IntN(4) {
			from := end + 1 + random.Int64N(5)
			s := store.Stay{From: from, History: random.Int64N(from + 1), Until: from + 1 + random.Int64N(5),
				Removed: random.IntN(3) == 0}
			stays, end = append(stays, s), s.Until
		}
		if len(stays) > 0 && random.IntN(2) == 0 {
			last := &stays[len(stays)-1]
			last.Until, last.Removed = store.StayOpen, false
		}
		spans := united(stays)
		for i := 1; i < len(spans); i++ {
			if spans[i].From < spans[i-1].To {
				t.Fatalf("%+v overlap, of %+v", spans, stays)
			}
		}
		for sort := int64(1); sort < 50; sort++ {
			for _, replay := range []bool{false, true} {
				if got, want := shows(spans, sort, replay), seen(stays, sort, replay); got != want {
					t.Fatalf("a note at %d, with the history on: %v, is seen: %v, want %v; stays %+v, spans %+v", sort, replay, got,
						want, stays, spans)
				}
			}
		}
	}
}

// shows reports whether spans hold a note that was written while the history was on, or off.
func shows(spans []Span, sort int64, replay bool) bool {
	for _, s := range spans {
		if s.From <= sort && sort < s.To && (replay || !s.Replay) {
			return true
		}
	}
	return false
}

// seen is the same by the stays, in their order: each brings what it brings, unless an earlier one
// brought it and was removed.
func seen(stays []store.Stay, sort int64, replay bool) bool {
	var brought, during, removed bool
	for _, s := range stays {
		in := s.From <= sort && sort < s.Until
		during = during || in && !s.Removed
		brings := in || replay && s.History < sort && sort < s.From
		brought = brought || brings
		removed = removed || brings && s.Removed
	}
	return during || brought && !removed
}

func TestStaysAreReadAsTheyWereStored(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "[]",
		"[0,7,9]":                   "[{0 7 9 false}]",
		"[0,7,9](9,12,13][0,14,15]": "[{0 7 9 false} {9 12 13 true} {0 14 15 false}]",
		",9](9,12,13]":              "[{9 12 13 true}]", // the first is cut off
		"7":                         "[]",
	} {
		if got := fmt.Sprint(store.ParseStays(text)); got != want {
			t.Errorf("%q is read as %s, want %s", text, got, want)
		}
	}
	if n := len(store.ParseStays(strings.Repeat("[1,2,3]", 40))); n != 40 {
		t.Errorf("of 40 stays, %d are read", n)
	}
}
