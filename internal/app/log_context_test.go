package app

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinesOfCallsAreWrittenInTheirContext, by which the log knows the request and the trace: what
// carries out calls logs in no other way.
func TestLinesOfCallsAreWrittenInTheirContext(t *testing.T) {
	without := regexp.MustCompile(`(?i)\blog(?:ger)?\.(?:Debug|Info|Warn|Error)\(`)
	rooms := []string{"internal/api", "internal/service", "internal/people", "internal/access", "internal/overview",
		"internal/export", "internal/content", "internal/search", "internal/fanout"}
	looked := 0
	for _, file := range sourceFiles(t) {
		for _, room := range rooms {
			if file.test || file.room != room && !strings.HasPrefix(file.room, room+"/") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(moduleRoot, file.path))
			if err != nil {
				t.Fatal(err)
			}
			looked++
			if found := without.Find(text); found != nil {
				t.Errorf("%s has a line of the log without a context: %s", file.path, found)
			}
		}
	}
	if looked < 100 {
		t.Errorf("%d files were looked at: this test looks at the wrong place", looked)
	}
}
