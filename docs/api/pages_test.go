package apidocs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
