package wire

import (
	"encoding/json"
	"testing"
	"time"
)

func TestTimesHaveThreeDigitsOfMilliseconds(t *testing.T) {
	zone := time.FixedZone("east", 2*60*60)
	for want, at := range map[string]time.Time{
		`"2026-11-21T08:15:30.123Z"`: time.Date(2026, 11, 21, 10, 15, 30, 123_999_999, zone),
		`"2026-11-21T08:15:30.000Z"`: time.Date(2026, 11, 21, 8, 15, 30, 0, time.UTC),
		`"2026-11-21T08:15:30.100Z"`: time.Date(2026, 11, 21, 8, 15, 30, 100_000_000, time.UTC),
	} {
		got, err := json.Marshal(Time(at))
		if err != nil || string(got) != want {
			t.Errorf("got %s %v, want %s", got, err, want)
		}
	}
	got, err := json.Marshal(struct {
		At Time `json:"at,omitzero"`
	}{})
	if err != nil || string(got) != "{}" {
		t.Errorf("no time: got %s %v", got, err)
	}
}
