package docs

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryDecisionIsListed: the index has each page by its title.
func TestEveryDecisionIsListed(t *testing.T) {
	t.Parallel()
	index := filepath.Join("docs", "decisions", "README.md")
	listed := mustRead(t, index)
	for _, page := range mustListFiles(t, ".md") {
		if filepath.Dir(page) != filepath.Dir(index) || page == index {
			continue
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(mustRead(t, page), "# "), "\n")
		if row := "| [" + title + "](" + filepath.Base(page) + ") |"; !strings.Contains(listed, row) {
			t.Errorf("%s does not have the row %s", index, row)
		}
	}
}
