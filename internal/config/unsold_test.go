package config

import (
	"regexp"
	"strings"
	"testing"
)

// TestNoLimitIsSold: every limit protects the server from what one client may do to it, and whoever runs the server
// sets it to what they like, most of them to none. There is nothing else to unlock.
func TestNoLimitIsSold(t *testing.T) {
	least := map[string]string{"limits.header_bytes": "4096", "limits.parts": "1"} // without which no call can be read
	sold := regexp.MustCompile(`licen[cs]e|edition|seats?\b|subscription|activat|trial|tier|plan\b|register|telemetry`)
	limits := 0
	for _, s := range Settings() {
		if found := sold.FindString(s.Key); found != "" {
			t.Errorf("the setting %s has %q in its name", s.Key, found)
		}
		if !strings.HasPrefix(s.Key, "limits.") {
			continue
		}
		limits++
		value := "0"
		if of, ok := least[s.Key]; ok {
			value = of
		}
		if _, err := Load(Sources{Flags: map[string]string{s.Key: value}}); err != nil {
			t.Errorf("%s cannot be lifted: %v", s.Key, err)
		}
	}
	if limits < 10 {
		t.Errorf("found %d limits", limits)
	}
}
