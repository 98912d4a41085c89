package apidocs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// TestLinksLeadSomewhere follows the links between the pages, and from them to
// other files of the project.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, page := range mustListPages(t) {
		text := mustReadPage(t, page)
		for _, m := range link.FindAllStringSubmatch(block.ReplaceAllString(text, ""), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				t.Errorf("%s refers to %s, which is not ours", page, m[1])
				continue
			}
			if target == "" {
				target = page
			}
			if _, err := os.Stat(filepath.FromSlash(target)); err != nil {
				t.Errorf("%s: the link %s leads nowhere: %v", page, m[1], err)
				continue
			}
			if anchor != "" && !anchors(mustReadPage(t, target))[anchor] {
				t.Errorf("%s: %s has no heading for %s", page, target, anchor)
			}
		}
	}
}

// TestEveryPageIsListed: the README leads to all of them.
func TestEveryPageIsListed(t *testing.T) {
	t.Parallel()
	contents := mustReadPage(t, "README.md")
	for _, page := range mustListPages(t) {
		if page != "README.md" && !strings.Contains(contents, "| ["+strings.TrimSuffix(page, ".md")+"]("+page+") |") {
			t.Errorf("the README does not list %s", page)
		}
	}
}

func mustReadPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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
