package span

import (
	"testing"
	"time"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); m.Run() }

func TestDurationsHaveDays(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"500ms": 500 * time.Millisecond, "90s": 90 * time.Second, "1h30m": 90 * time.Minute, " 8h ": 8 * time.Hour, "0": 0,
		"-1s": -time.Second,
		"30d": 30 * day, "1d12h": 36 * time.Hour, "0d": 0, "2190d": 2190 * day,
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q is %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "30", "30 days", "1.5d", "-1d", "1d-2h", "99999d", "1h2d", "1d2d", "1w"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is %v, want an error", text, got)
		}
	}
}
