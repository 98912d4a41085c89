package config

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/operate/configuration.md")

func TestDescribeIsAFileThatHoldsTheDefaults(t *testing.T) {
	var b bytes.Buffer
	if err := Describe(&b); err != nil {
		t.Fatal(err)
	}
	// Every value is shifted first, so that one the file lacks would show.
	c := Default()
	known := make(map[string]*setting)
	for _, s := range c.settings() {
		shift(t, s)
		known[s.key] = s
	}
	for _, err := range readYAML("described.yaml", b.Bytes(), known) {
		if err != nil {
			t.Error(err)
		}
	}
	wantConfig(t, c, Default())

	path := filepath.Join(t.TempDir(), "signet.yaml")
	mustWrite(t, path, b.String())
	loaded, err := Load(Sources{File: path})
	if err != nil {
		t.Fatal(err)
	}
	wantConfig(t, loaded, Default())
}

// A file in which everything is a comment changes nothing. Each of its settings is in force as
// soon as its comment sign is gone.
func TestDescribeCommented(t *testing.T) {
	var b bytes.Buffer
	if err := DescribeCommented(&b, nil); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "signet.yaml")
	mustWrite(t, path, b.String())
	loaded, err := Load(Sources{File: path})
	if err != nil {
		t.Fatal(err)
	}
	wantConfig(t, loaded, Default())
	if len(loaded.origins) > 0 {
		t.Errorf("settings come from the file: %v", loaded.origins)
	}
	mustWrite(t, path, regexp.MustCompile(`(?m)^#(\S)`).ReplaceAllString(b.String(), "$1"))
	if loaded, err = Load(Sources{File: path}); err != nil {
		t.Fatal(err)
	}
	wantConfig(t, loaded, Default())
	if len(loaded.origins) != len(Settings()) {
		t.Errorf("%d settings come from the file, want %d", len(loaded.origins), len(Settings()))
	}

	b.Reset()
	if err := DescribeCommented(&b, map[string]string{"data": "/var/lib/signet", "tls.hsts": "0s"}); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, path, b.String())
	if loaded, err = Load(Sources{File: path}); err != nil {
		t.Fatal(err)
	}
	if loaded.Data != "/var/lib/signet" || loaded.TLS.HSTS != 0 || len(loaded.origins) != 2 {
		t.Errorf("data is %s and tls.hsts %v, from %v", loaded.Data, loaded.TLS.HSTS, loaded.origins)
	}
	for _, wrong := range []map[string]string{{"dta": "x"}, {"listen": "x"}} {
		if err := DescribeCommented(&b, wrong); err == nil {
			t.Errorf("%v is taken", wrong)
		}
	}
}

func TestDescribeDocumentsEverySetting(t *testing.T) {
	var b bytes.Buffer
	if err := Describe(&b); err != nil {
		t.Fatal(err)
	}
	for _, s := range Settings() {
		if len(s.Doc) < 20 || !strings.HasSuffix(s.Doc, ".") {
			t.Errorf("%s is documented as %q, want a sentence", s.Key, s.Doc)
		}
		for _, want := range []string{s.Variable, s.Flag} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: the description lacks %s", s.Key, want)
			}
		}
	}
	for line := range strings.Lines(b.String()) {
		if len(strings.TrimSuffix(line, "\n")) > 100 {
			t.Errorf("line is longer than a terminal: %q", line)
		}
	}
}

// The page in docs/ is written by this test: go generate runs it with -update.
func TestDocumentationPage(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "operate", "configuration.md")
	var b bytes.Buffer
	if err := markdown(&b); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(page, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, b.Bytes()) {
		t.Errorf("docs/operate/configuration.md is not what the settings say; run `make generate`")
	}
}

func wantConfig(t *testing.T, got, want *Config) {
	t.Helper()
	values := *got
	values.origins = want.origins
	if !reflect.DeepEqual(&values, want) {
		t.Errorf("settings differ\n got %+v\nwant %+v", got, want)
	}
}

func mustWrite(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

const markdownHead = `# Configuration

A server needs no configuration. There are three ways to change a setting. Where several of them name the same
setting, the first in this list wins:

1. a flag of ` + "`signet serve`: `--limits.messages-per-day 500`" + `
2. an environment variable: ` + "`SIGNET_LIMITS_MESSAGES_PER_DAY=500`" + `
3. a YAML file, named by ` + "`--config FILE` or `SIGNET_CONFIG`" + `:

   ` + "```yaml" + `
   limits:
     messages_per_day: 500
   ` + "```" + `

   The same key may be written ` + "`limits.messages_per_day: 500`" + ` on one line.

Lists are comma-separated in flags and variables. Durations have units: ` + "`500ms`, `90s`, `8h`, `30d`, `1d12h`" + `.
An unknown key, an unknown ` + "`SIGNET_...`" + ` variable or a value of the wrong type keeps the server from
starting. The message names it and, for a misspelt name, the nearest known one.

- ` + "`signet config describe`" + ` prints all settings as a file to start from.
- ` + "`signet config test FILE`" + ` checks such a file and the files that it names, and lists settings that
  have no effect.
- ` + "`signet config show`" + ` prints the settings in force and where each comes from. It hides passwords.
  With ` + "`--server`" + ` it asks the running server.

Only the client commands read ` + "`SIGNET_URL`, `SIGNET_API_KEY` and `SIGNET_API_SECRET`" + `. The server ignores the
variables that Kubernetes makes for a Service called ` + "`signet`" + `.

This page is generated from the settings themselves (` + "`make generate`" + `).

## Settings

`

// markdown writes the page of the documentation that lists the settings.
func markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(markdownHead)
	for _, s := range Settings() {
		value := "`" + s.Default + "`"
		if s.Default == "" {
			value = "empty"
		}
		fmt.Fprintf(&b, "### `%s`\n\n%s\n\nDefault: %s.\nVariable: `%s`.\nFlag: `%s %s`.\n\n",
			s.Key, s.Doc, value, s.Variable, s.Flag, s.Hint)
	}
	_, err := io.WriteString(w, strings.TrimSpace(b.String())+"\n")
	return err
}
