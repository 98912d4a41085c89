package docs

import (
	"path"
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

// TestEveryPageIsOnTheMap: docs/README.md leads to each page, or to the README of a
// directory in which it lies.
func TestEveryPageIsOnTheMap(t *testing.T) {
	t.Parallel()
	docs := "docs" + string(filepath.Separator)
	listed := mustRead(t, docs+"README.md")
	for _, page := range mustListFiles(t, ".md") {
		name, inside := strings.CutPrefix(page, docs)
		if !inside || name == "README.md" {
			continue
		}
		found := strings.Contains(listed, "]("+filepath.ToSlash(name)+")")
		for dir := path.Dir(filepath.ToSlash(name)); dir != "." && !found; dir = path.Dir(dir) {
			found = strings.Contains(listed, "]("+dir+"/README.md)")
		}
		if !found {
			t.Errorf("docs/README.md leads neither to %s nor to the README of its directory", page)
		}
	}
}
