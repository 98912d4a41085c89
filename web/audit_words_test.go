package web

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// auditActions are the actions of the audit log that the server can write, each with whether it
// only shows something, as internal/model/audit.go has them.
func auditActions(t *testing.T) map[string]bool {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "internal", "model", "audit.go"))
	if err != nil {
		t.Fatal(err)
	}
	actions, names := map[string]bool{}, map[string]string{}
	named := regexp.MustCompile(`(Action\w+) +AuditAction += "([a-z.]+)"`)
	for _, m := range named.FindAllStringSubmatch(string(source), -1) {
		names[m[1]], actions[m[2]] = m[2], false
	}
	_, reads, _ := strings.Cut(string(source), ") Reads() bool {")
	reads, _, _ = strings.Cut(reads, "return true")
	for _, name := range regexp.MustCompile(`Action\w+`).FindAllString(reads, -1) {
		actions[names[name]] = true
	}
	if _, unknown := actions[""]; unknown || len(actions) < 60 || !actions["audit.read"] || actions["role.grant"] {
		t.Fatalf("found %v", actions)
	}
	return actions
}

// TestEveryActionOfTheAuditLogHasItsWords: in each language a sentence that says who did it, and
// words for what one does.
func TestEveryActionOfTheAuditLogHasItsWords(t *testing.T) {
	actions := auditActions(t)
	for _, language := range languages {
		texts := mustReadDictionary(t, language).texts
		for action := range actions {
			for _, name := range []string{"console.did." + action, "console.act." + action} {
				if len(texts[name]) == 0 {
					t.Errorf("%s.json lacks %q: say there what an entry %q means", language, name, action)
				}
			}
		}
		for name := range texts {
			action, found := strings.CutPrefix(name, "console.act.")
			if _, known := actions[action]; found && !known {
				t.Errorf("%s.json has %q, and no entry is of such an action", language, name)
			}
			// A sentence may be one of several of its action.
			action, found = strings.CutPrefix(name, "console.did.")
			_, known := actions[action]
			_, of := actions[action[:max(0, strings.LastIndex(action, "."))]]
			if found && !known && !of {
				t.Errorf("%s.json has %q, and no entry is of such an action", language, name)
			}
		}
	}
}

// TestTheConsoleOffersEveryActionOfTheAuditLog: once, and those that only show something together.
func TestTheConsoleOffersEveryActionOfTheAuditLog(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("src", "console", "state", "actions.ts"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(source), "export const actions = {")
	list, _, found := strings.Cut(list, "} as const;")
	if !found {
		t.Fatal("actions.ts has no list of actions")
	}
	_, reading, _ := strings.Cut(list, "reading: [")
	quoted := regexp.MustCompile(`"([a-z.]+)"`)
	offered := map[string]int{}
	for _, m := range quoted.FindAllStringSubmatch(list, -1) {
		offered[m[1]]++
	}
	var reads []string
	for _, m := range quoted.FindAllStringSubmatch(reading, -1) {
		reads = append(reads, m[1])
	}
	for action, shows := range auditActions(t) {
		if offered[action] != 1 {
			t.Errorf("actions.ts has %q %d times, want it once", action, offered[action])
		}
		if slices.Contains(reads, action) != shows {
			t.Errorf("%q only shows something: %t; actions.ts has it among those that do: %t", action, shows, !shows)
		}
		delete(offered, action)
	}
	if len(offered) > 0 {
		t.Errorf("actions.ts has actions that no entry is of: %q", slices.Sorted(maps.Keys(offered)))
	}
}
