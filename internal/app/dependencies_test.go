package app

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// Each dependency has a line in docs/dependencies.md, and nothing else has.
func TestDependenciesAreExplained(t *testing.T) {
	used := make(map[string]bool)
	required := slices.Concat(requiredModules(t, "go.mod"), requiredModules(t, "deploy/release/go.mod"))
	for _, file := range sourceFiles(t) {
		for _, imported := range file.imports {
			for _, m := range required {
				if imported == m || strings.HasPrefix(imported, m+"/") {
					used[m] = true
				}
			}
		}
	}
	for _, m := range slices.Concat(toolModules(t), npmPackages(t),
		mustRequireDirectly(t, "internal/promtest/evaluator/go.mod"),
		mustRequireDirectly(t, "internal/openid/openidtest/provider/go.mod"),
		mustRequireDirectly(t, "deploy/helm/charttest/go.mod")) {
		used[m] = true
	}
	page, err := os.ReadFile(filepath.Join(moduleRoot, "docs", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	explained := make(map[string]bool)
	for _, match := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		explained[match[1]] = true
	}
	for _, m := range slices.Sorted(maps.Keys(used)) {
		if !explained[m] {
			t.Errorf("docs/dependencies.md does not say what %s is for", m)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(explained)) {
		if !used[m] {
			t.Errorf("docs/dependencies.md explains %s, which nothing imports", m)
		}
	}
}

// requiredModules lists what a go.mod requires.
func requiredModules(t *testing.T, file string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(moduleRoot, file))
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for _, match := range regexp.MustCompile(`(?m)^(?:require)?\s+([a-z0-9.-]+\.[a-z]+/\S+) v`).FindAllStringSubmatch(
		string(content), -1) {
		modules = append(modules, match[1])
	}
	if len(modules) == 0 {
		t.Fatal("found no requirement in go.mod")
	}
	return modules
}

// mustRequireDirectly lists what a go.mod requires for its own code.
func mustRequireDirectly(t *testing.T, file string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(moduleRoot, file))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := modfile.Parse(file, content, nil)
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for _, r := range parsed.Require {
		if !r.Indirect {
			modules = append(modules, r.Mod.Path)
		}
	}
	return modules
}

// toolModules lists the modules of the tools, in whichever go.mod.
func toolModules(t *testing.T) []string {
	t.Helper()
	var modules []string
	for _, file := range []string{"go.mod", "internal/blob/s3test/gateway/go.mod", "openapi/generatortest/go.mod",
		"internal/testenv/gotestsum/go.mod"} {
		required := requiredModules(t, file)
		content, err := os.ReadFile(filepath.Join(moduleRoot, file))
		if err != nil {
			t.Fatal(err)
		}
		// One stands alone, several in parentheses.
		text := regexp.MustCompile(`(?ms)^tool \(.*?^\)|^tool \S+$`).FindString(string(content))
		for _, tool := range strings.Fields(strings.Trim(strings.TrimPrefix(text, "tool "), "()")) {
			for _, m := range required {
				if tool == m || strings.HasPrefix(tool, m+"/") {
					modules = append(modules, m)
				}
			}
		}
	}
	return modules
}

// npmPackages lists the packages that the TypeScript of the project names.
func npmPackages(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(moduleRoot, "web", "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var described struct {
		Dependencies, DevDependencies map[string]string
	}
	if err := json.Unmarshal(content, &described); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(slices.Collect(maps.Keys(described.Dependencies)),
		slices.Collect(maps.Keys(described.DevDependencies)))
}
