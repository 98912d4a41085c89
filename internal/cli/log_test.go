package cli

import (
	"bytes"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestLogHoldsNoValuesThatNobodyMadeForIt(t *testing.T) {
	type secret struct{ Password string }
	for _, format := range []string{"text", "json"} {
		var out bytes.Buffer
		log := newLogger(format, slog.LevelDebug, &out)
		log.Info("x", "struct", secret{"hush"}, "pointer", &secret{"hush"}, "list", []string{"hush"}, "map",
			map[string]string{"a": "hush"}, "bytes", []byte("hush"),
			slog.Group("inner", "struct", secret{"hush"}))
		log.With("struct", secret{"hush"}).WithGroup("g").Warn("y", "any", any(secret{"hush"}))
		log.Info("z", "error", errors.New("told"), "address", netip.MustParseAddr("192.0.2.7"), "time", time.Unix(0, 0),
			"took", time.Second, "n", 7, "nothing", nil)
		got := out.String()
		if strings.Contains(got, "hush") {
			t.Errorf("%s: %s", format, got)
		}
		for _, want := range []string{"cli.secret", "told", "192.0.2.7", "1970"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in %s", format, want, got)
			}
		}
	}
}
