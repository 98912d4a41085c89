package deploy

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"signet/internal/promtest"
)

// ruleFile is a file of rules for Prometheus.
type ruleFile struct {
	Groups []struct {
		Name  string
		Rules []rule
	}
}

type rule struct {
	Alert, Record, Expr string
	Labels, Annotations map[string]string
}

// The example and the rules are such as Prometheus takes when it starts, and the example names the
// rules.
func TestPrometheusTakesItsFiles(t *testing.T) {
	e := promtest.Start(t)
	const example = "prometheus/prometheus.yaml"
	if err := e.ReadConfig(example); err != nil {
		t.Errorf("%s: %v", example, err)
	}
	files, err := filepath.Glob("prometheus/*.yaml")
	if err != nil || len(files) != 3 {
		t.Fatalf("the files are %v, %v", files, err)
	}
	for _, file := range files {
		if file == example {
			continue
		}
		if err := e.ReadRules(file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if !strings.Contains(mustRead(t, example), "- "+filepath.Base(file)+"\n") {
			t.Errorf("%s does not name %s", example, file)
		}
	}
	if err := e.ReadRules(filepath.Join(t.TempDir(), "nothing.yaml")); err == nil {
		t.Error("rules that are not there are taken")
	}
}

// A recorded name says the level, the metric and what was done, as Prometheus recommends, and some
// alert asks for it.
func TestRecordedNamesAreConventional(t *testing.T) {
	alerts := mustRead(t, "prometheus/signet.alerts.yaml")
	records := mustRead(t, "prometheus/signet.records.yaml")
	for _, group := range mustParse[ruleFile](t, "prometheus/signet.records.yaml")[0].Groups {
		for _, r := range group.Rules {
			if !regexp.MustCompile(`^[a-z_]+:signet_[a-z_]+:[a-z0-9_]+$`).MatchString(r.Record) {
				t.Errorf("the record %q is not LEVEL:METRIC:OPERATIONS", r.Record)
			}
			if !strings.Contains(alerts, r.Record) && strings.Count(records, r.Record) < 2 {
				t.Errorf("nothing asks for %s", r.Record)
			}
		}
	}
}

// runbooks is where the runbooks are.
const runbooks = "../docs/operate/runbooks"

// Each alert says how urgent it is, what is wrong, and where it is written what to do; and
// each runbook is that of an alert.
func TestAlertsHaveRunbooks(t *testing.T) {
	headings := map[string]string{} // of runbooks, by their links
	pages, err := filepath.Glob(runbooks + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	heading := regexp.MustCompile(`(?m)^## (Signet[A-Za-z]+)\n`)
	for _, page := range pages {
		text := mustRead(t, page)
		for _, m := range heading.FindAllStringSubmatch(text, -1) {
			_, section, _ := strings.Cut(text, m[0])
			section, _, _ = strings.Cut(section, "\n## ")
			link := "docs/operate/runbooks/" + filepath.Base(page) + "#" + strings.ToLower(m[1])
			headings[link] = m[1]
			for _, part := range []string{"**Users notice:**", "**Look:**", "**Do:**"} {
				if strings.Count(section, part) != 1 {
					t.Errorf("%s: %s does not have %q once", page, m[1], part)
				}
			}
		}
	}
	index := mustRead(t, runbooks+"/README.md")
	for _, group := range mustParse[ruleFile](t, "prometheus/signet.alerts.yaml")[0].Groups {
		for _, r := range group.Rules {
			severity, link := r.Labels["severity"], r.Annotations["runbook_url"]
			if !slices.Contains([]string{"critical", "warning"}, severity) || len(r.Labels) != 1 {
				t.Errorf("%s has the labels %v", r.Alert, r.Labels)
			}
			for _, name := range []string{"summary", "description"} {
				if !strings.HasSuffix(r.Annotations[name], ".") {
					t.Errorf("%s: its %s is %q", r.Alert, name, r.Annotations[name])
				}
			}
			if headings[link] != r.Alert {
				t.Errorf("%s: its runbook is %s, where there is %q", r.Alert, link, headings[link])
			}
			delete(headings, link)
			row := "| [" + r.Alert + "](" + filepath.Base(link) + ") | " + severity + " |"
			if !strings.Contains(index, row) {
				t.Errorf("%s/README.md does not have the row %q", runbooks, row)
			}
		}
	}
	for link := range headings {
		t.Errorf("%s is the runbook of no alert", link)
	}
}

// What runbooks name is there: metrics are described, what they look for in the log is written by the code,
// and commands of the system are among those that a server's machine has. Those of signet are checked by a
// test of internal/cli.
func TestRunbooksNameWhatThereIs(t *testing.T) {
	pages, err := filepath.Glob(runbooks + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	// Of coreutils, util-linux, procps, curl, systemd, openssl, PostgreSQL, chrony and NATS.
	known := []string{"signet", "df", "du", "ls", "findmnt", "ps", "curl", "grep", "systemctl", "journalctl",
		"timedatectl", "openssl", "psql", "chronyc", "sed"}
	commands := 0
	sources := mustReadSources(t)
	for _, page := range pages {
		text := mustRead(t, page)
		blocks := regexp.MustCompile("(?s)```sh\n(.*?)```")
		wantMetrics(t, page, blocks.ReplaceAllString(text, ""), "- `%s`")
		for _, block := range blocks.FindAllStringSubmatch(text, -1) {
			wantMetrics(t, page, block[1], "- `%s") // grep takes the beginning of a name
			wantLogged(t, page, block[1], sources)
			for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
				if strings.TrimSpace(line) == "" {
					continue
				}
				for part := range strings.SplitSeq(line, " | ") {
					name, _, _ := strings.Cut(strings.TrimSpace(part), " ")
					if commands++; !slices.Contains(known, name) {
						t.Errorf("%s names the command %q", page, name)
					}
				}
			}
		}
	}
	if commands < 20 {
		t.Errorf("found %d commands only", commands)
	}
	if _, err := os.Stat(runbooks + "/README.md"); err != nil {
		t.Error(err)
	}
}

// wantLogged checks that what commands look for in the log is in these sources.
func wantLogged(t *testing.T, page, commands, sources string) {
	t.Helper()
	looks := regexp.MustCompile(`journalctl .*\| grep (?:-[Ei] )?"?([^"\n]+)`)
	for _, m := range looks.FindAllStringSubmatch(commands, -1) {
		for text := range strings.SplitSeq(m[1], "|") {
			if !strings.Contains(sources, strings.TrimPrefix(text, "warning=")) {
				t.Errorf("%s looks for %q in the log, which nothing writes", page, text)
			}
		}
	}
}

// mustReadSources returns all code that a server may write its log with.
func mustReadSources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir("../internal", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			all.WriteString(mustRead(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// wantMetrics checks that docs/operate/metrics.md has each metric that a text names, in this form.
func wantMetrics(t *testing.T, page, text, form string) {
	t.Helper()
	described := mustRead(t, "../docs/operate/metrics.md")
	for _, name := range regexp.MustCompile(`\bsignet_[a-z_]+`).FindAllString(text, -1) {
		name = regexp.MustCompile(`_(bucket|sum|count)?$`).ReplaceAllString(name, "")
		if !strings.Contains(described, fmt.Sprintf(form, name)) {
			t.Errorf("%s names the metric %s, which there is not", page, name)
		}
	}
}
