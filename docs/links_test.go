package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	block   = regexp.MustCompile("(?ms)^ *```\\w*\n(.*?)^ *```$")
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// TestLinksLeadSomewhere follows the links from each page to the others, to their
// headings, and to other files of the project.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range mustListFiles(t, ".md") {
		if strings.Contains(page, "testdata") {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(block.ReplaceAllString(mustRead(t, page), ""), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue // not ours
			}
			file := filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
			if target == "" {
				file = page
			}
			if _, err := os.Stat(filepath.Join(moduleRoot, file)); err != nil {
				t.Errorf("%s: the link %s leads nowhere: %v", page, m[1], err)
				continue
			}
			if anchor != "" && !anchors(mustRead(t, file))[anchor] {
				t.Errorf("%s: %s has no heading for %s", page, file, anchor)
			}
		}
	}
}

// anchors are the names by which the headings of a page can be linked to, as
// the usual viewers make them.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(block.ReplaceAllString(text, ""), -1) {
		out[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])] = true
	}
	return out
}
