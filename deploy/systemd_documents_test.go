package deploy

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentsNameUnitsThatExist in what they say and have people type, and systemd.md names all.
func TestDocumentsNameUnitsThatExist(t *testing.T) {
	all := units(t)
	pages, err := filepath.Glob("../docs/operate/*.md")
	if err != nil {
		t.Fatal(err)
	}
	runbooks, err := filepath.Glob("../docs/operate/runbooks/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var (
		name  = regexp.MustCompile(`\bsignet(?:-[a-z]+)*\.(?:service|socket|timer)\b`)
		typed = regexp.MustCompile(`systemctl [a-z]+(?: --\S+| -s \S+)*((?: signet[\w.-]*)+)`)
	)
	for _, page := range slices.Concat(pages, runbooks, []string{"../README.md"}) {
		text := mustRead(t, page)
		named := name.FindAllString(text, -1)
		for _, command := range typed.FindAllStringSubmatch(text, -1) {
			for _, unit := range strings.Fields(command[1]) {
				unit = strings.TrimRight(unit, ".")
				if filepath.Ext(unit) == "" {
					unit += ".service"
				}
				named = append(named, unit)
			}
		}
		for _, unit := range named {
			if all[unit] == nil {
				t.Errorf("%s names %s, which is not in deploy", page, unit)
			}
		}
	}
	page := mustRead(t, "../docs/operate/systemd.md")
	for unit := range all {
		if !strings.Contains(page, unit) {
			t.Errorf("docs/operate/systemd.md does not say what %s is for", unit)
		}
	}
}

// TestSystemdPageSaysWhatTheUnitsSay: paths, commands and lines to copy.
func TestSystemdPageSaysWhatTheUnitsSay(t *testing.T) {
	page, all := mustRead(t, "../docs/operate/systemd.md"), units(t)
	var commented string
	for unit, values := range all {
		commented += mustRead(t, unit)
		if filepath.Ext(unit) != ".service" {
			continue
		}
		for _, file := range values["EnvironmentFile"] {
			wantOnPage(t, page, unit, strings.TrimPrefix(file, "-"))
		}
		words := strings.Fields(values["ExecStart"][0])
		wantOnPage(t, page, unit, "`"+words[0]+"`") // where programs are that no package has installed
		target := words[len(words)-1]
		if after, found := strings.CutPrefix(target, "%S/"); found {
			command := strings.Join(words[1:len(words)-1], " ")
			wantOnPage(t, page, unit, "`signet "+command+"`", "`/var/lib/"+after+"`", "`/var/lib/private/"+after+"`")
		}
	}
	for _, block := range regexp.MustCompile("(?s)```ini\n(.*?)```").FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(block[1]) {
			if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "[") && !strings.Contains(commented, "# "+line) {
				t.Errorf("docs/operate/systemd.md has %q in a drop-in, which no unit has as a comment", line)
			}
		}
	}
}

func wantOnPage(t *testing.T, page, unit string, want ...string) {
	t.Helper()
	for _, text := range want {
		if !strings.Contains(page, text) {
			t.Errorf("docs/operate/systemd.md lacks %s of %s", text, unit)
		}
	}
}
