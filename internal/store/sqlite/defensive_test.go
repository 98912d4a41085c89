package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNobodySetsDefensive: the binding's SetDefensive (v1.4.2) gives SQLite one
// argument of two, and SQLite then writes a 1 to whatever address follows in memory.
// Rows, indexes and pointers broke so, a few times in an hour of tests.
func TestNobodySetsDefensive(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("sources: %v, %v", files, err)
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if name != "defensive_test.go" && strings.Contains(string(source), ".SetDefensive(") {
			t.Errorf("%s calls SetDefensive", name)
		}
	}
}
