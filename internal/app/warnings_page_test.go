package app

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"signet/internal/health"
)

// mustListTopics lists the topics of all warnings, out of the sources: each is a constant that is called
// one, or stands where the warning is set.
func mustListTopics(t *testing.T) []string {
	t.Helper()
	topics := map[string]bool{health.Store: true, health.Keyring: true, health.Attachments: true}
	named := regexp.MustCompile(`(?m)^(?:const|\t)\s*(?:topic\w*|\w+Topic)\s*=\s*"(\w+)"|arnings\.Set\("(\w+)"`)
	err := filepath.WalkDir(filepath.Join(moduleRoot, "internal"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			topics[m[1]+m[2]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(topics))
}

// Of what a server warns, docs/operate/metrics.md lists the topics, and somebody is told: by an alert of
// its own, or by SignetWarning, whose runbook says what each is about.
func TestEachWarningIsTold(t *testing.T) {
	topics := mustListTopics(t)
	mustCut := func(file, before, after string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(moduleRoot, file))
		_, rest, found := strings.Cut(string(text), before)
		if part, _, ended := strings.Cut(rest, after); err == nil && found && ended {
			return part
		}
		t.Fatalf("%s has nothing between %q and %q: %v", file, before, after, err)
		return ""
	}
	words := func(text string) (out []string) {
		for _, m := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
		return out
	}
	if listed := words(mustCut("docs/operate/metrics.md", "`topic` is one of", ".")); !slices.Equal(listed, topics) {
		t.Errorf("docs/operate/metrics.md lists the topics %q, the sources have %q", listed, topics)
	}
	told := strings.Split(mustCut("deploy/prometheus/signet.alerts.yaml", `signet_warning{topic!~"`, `"`), "|")
	for line := range strings.Lines(mustCut("docs/operate/runbooks/server.md", "The topics:\n\n", "\n\n")) {
		if about, _, found := strings.Cut(line, ":"); found && strings.HasPrefix(line, "- ") {
			told = append(told, words(about)...)
		}
	}
	if slices.Sort(told); !slices.Equal(told, topics) {
		t.Errorf("alerts of their own and the runbook of SignetWarning are about %q, the sources have %q", told, topics)
	}
}
