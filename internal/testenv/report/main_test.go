package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); os.Exit(m.Run()) }

func TestWhatTookLongestAndWhatPassedAtASecondTryIsTold(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.json": `{"Action":"run","Package":"signet/a","Test":"TestA"}
{"Action":"fail","Package":"signet/a","Test":"TestA","Elapsed":1.5}
{"Action":"pass","Package":"signet/a","Test":"TestA","Elapsed":1.5}
{"Action":"fail","Package":"signet/b","Test":"TestC","Elapsed":0.25}
{"Action":"pass","Package":"signet/a","Test":"TestB/part","Elapsed":90}
{"Action":"pass","Package":"signet/a","Test":"TestB","Elapsed":2}
{"Action":"pass","Package":"signet/a","Elapsed":100}
`,
		"pages.json": `{"suites": [{"suites": [{"specs": [{"file": "story.spec.ts", "title": "they talk",
			"tests": [{"status": "expected", "results": [{"duration": 4200}]}]}]}],
			"specs": [{"file": "a.spec.ts", "title": "it fails", "tests": [{"status": "unexpected", "results": [
			{"duration": 10}, {"duration": 10}]}]}]}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var said strings.Builder
	if err := run([]string{filepath.Join(dir, "go.json"), filepath.Join(dir, "pages.json")}, &said); err != nil {
		t.Fatal(err)
	}
	const want = `--- FAIL: TestC (0.25s)
FAIL	signet/b
FAIL pages: a.spec.ts › it fails
The longest of 5 tests:
    4.2 s  pages: story.spec.ts › they talk
    3.0 s  go: signet/a TestA
    2.0 s  go: signet/a TestB
    0.2 s  go: signet/b TestC
    0.0 s  pages: a.spec.ts › it fails
Passed at a second try only: 1
      2 tries  go: signet/a TestA
`
	if said.String() != want {
		t.Errorf("it says\n%s\nwant\n%s", said.String(), want)
	}
}
