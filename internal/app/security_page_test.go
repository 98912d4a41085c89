package app

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The page for those who answer for a server's security names the tests that try to
// break each rule. A test that is renamed or gone must not stay there as a promise.
func TestSecurityPageNamesTestsThatExist(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(moduleRoot, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, file := range sourceFiles(t) {
		if !file.test {
			continue
		}
		text, err := os.ReadFile(filepath.Join(moduleRoot, file.path))
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`).FindAllStringSubmatch(string(text), -1) {
			there[match[1]] = true
		}
	}
	named := regexp.MustCompile("`(Test[A-Z]\\w+)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 20 {
		t.Fatalf("the page names %d tests", len(named))
	}
	for _, match := range named {
		if !there[match[1]] {
			t.Errorf("docs/security.md names %s, which is no test", match[1])
		}
	}
}
