package docs

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryPromiseHasItsProof: each row of the promises of why.md names tests that are where it says.
func TestEveryPromiseHasItsProof(t *testing.T) {
	t.Parallel()
	page := filepath.Join("docs", "why.md")
	_, part, _ := strings.Cut(mustRead(t, page), "\n## What it promises\n")
	part, _, _ = strings.Cut(part, "\n## ")
	proof := regexp.MustCompile("\\[`([^`]+)`\\]\\(([^)]+)\\)")
	promises := 0
	for line := range strings.Lines(part) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.HasPrefix(cells[0], "---") || strings.TrimSpace(cells[0]) == "promise" {
			continue
		}
		promises++
		found := proof.FindAllStringSubmatch(cells[2], -1)
		if len(found) == 0 {
			t.Errorf("%q names no test", strings.TrimSpace(cells[0]))
		}
		for _, m := range found {
			file := filepath.Join("docs", filepath.FromSlash(m[2]))
			text := mustRead(t, file) // which fails where there is none
			if strings.HasPrefix(m[1], "Test") && !strings.Contains(text, "\nfunc "+m[1]+"(t *testing.T) {\n") {
				t.Errorf("%s has no test %s", file, m[1])
			}
		}
	}
	if promises < 10 {
		t.Errorf("%s has %d promises", page, promises)
	}
}
