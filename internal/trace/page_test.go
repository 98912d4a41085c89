package trace_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"signet/internal/trace"
)

// TestPageDescribesWhatLeaves: each attribute and no other, and each span.
func TestPageDescribesWhatLeaves(t *testing.T) {
	text, err := os.ReadFile("../../docs/operate/tracing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| attribute | value |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var described []string
	for row := range strings.Lines(table) {
		name, _, _ := strings.Cut(strings.TrimPrefix(row, "|"), "|")
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(name, -1) {
			described = append(described, m[1])
		}
	}
	if slices.Sort(described); !slices.Equal(described, trace.Keys()) {
		t.Errorf("the page describes %q, want %q", described, trace.Keys())
	}
	for _, name := range []string{trace.Transaction, trace.Blob, trace.BusSend, trace.BusReceive} {
		if !strings.Contains(string(text), "\n| `"+name+"` | ") {
			t.Errorf("the page does not describe the span %s", name)
		}
	}
}
