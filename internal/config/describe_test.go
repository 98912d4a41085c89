package config

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/configuration.md")

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
	page := filepath.Join("..", "..", "docs", "configuration.md")
	var b bytes.Buffer
	if err := Markdown(&b); err != nil {
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
		t.Errorf("docs/configuration.md is not what the settings say; run `make generate`")
	}
}

func wantConfig(t *testing.T, got, want *Config) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("settings differ\n got %+v\nwant %+v", got, want)
	}
}

func mustWrite(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
