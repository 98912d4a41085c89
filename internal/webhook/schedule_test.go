package webhook

import (
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"

	"signet/internal/model"
)

func TestTriesGrowFurtherApartAndEndAfterFiveDays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		since := time.Date(2026, 11, 21, 8, 15, 30, 0, time.UTC)
		now, failures := since, 1
		for ; ; failures++ {
			wait := time.Duration(rapid.IntRange(0, 7200).Draw(t, "wait")) * time.Second
			at, again := nextTry(now, since, failures, wait, rapid.Float64Range(0, 1).Draw(t, "chance"))
			end := since.Add(model.WebhookPatience)
			if !again {
				if !now.Equal(end) {
					t.Fatalf("it is given up after %s", now.Sub(since))
				}
				return
			}
			pause := pauses[min(failures, len(pauses))-1]
			low, high := now.Add(max(pause*9/10, wait)), now.Add(max(pause*11/10+1, wait))
			if at.After(end) || !at.Equal(end) && (at.Before(low) || at.After(high)) {
				t.Fatalf("after failure %d comes the next try %s later, want between %s and %s", failures, at.Sub(now),
					low.Sub(now), high.Sub(now))
			}
			now = at
		}
	})
}

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 8, 15, 30, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-5": 0, "0": 0, " 120 ": 2 * time.Minute, "Sat, 21 Nov 2026 08:16:30 GMT": time.Minute,
		"Sat, 21 Nov 2026 08:14:30 GMT": 0, "99999999999999999999": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {text}}, now); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}
