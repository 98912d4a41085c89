package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// plurals are the forms that each language has here; French has a third one for whole
// millions, in place of which the pages take the other.
var plurals = []string{"one", "other"}

// dictionary is one of web/src/text: its texts, each with its forms, and their order.
type dictionary struct {
	names []string
	texts map[string]map[string]string // by name and form; the one form of a plain text is ""
}

func mustReadDictionary(t *testing.T, language string) dictionary {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("src", "text", language+".json"))
	if err != nil {
		t.Fatal(err)
	}
	read := dictionary{texts: map[string]map[string]string{}}
	tokens := json.NewDecoder(bytes.NewReader(content))
	if _, err := tokens.Token(); err != nil {
		t.Fatal(err)
	}
	for tokens.More() {
		name, err := tokens.Token()
		if err != nil {
			t.Fatal(err)
		}
		var text any
		if err := tokens.Decode(&text); err != nil {
			t.Fatal(err)
		}
		forms := map[string]string{}
		switch text := text.(type) {
		case string:
			forms[""] = text
		case map[string]any:
			for form, words := range text {
				forms[form] = words.(string)
			}
		}
		if _, twice := read.texts[name.(string)]; twice {
			t.Errorf("%s.json has %q twice", language, name)
		}
		read.names, read.texts[name.(string)] = append(read.names, name.(string)), forms
	}
	return read
}

// braces are the values that are filled into a text.
func braces(words string) []string {
	found := slices.Sorted(slices.Values(regexp.MustCompile(`\{\w*\}`).FindAllString(words, -1)))
	return slices.Compact(found)
}

// TestDictionariesAgree: each language has each text, with the same values to fill in, in
// its own plural forms, and no text is empty. The names are sorted, whatever their case.
func TestDictionariesAgree(t *testing.T) {
	english := mustReadDictionary(t, "en")
	for _, language := range languages {
		other := mustReadDictionary(t, language)
		if sorted := slices.IsSortedFunc(other.names, compareNames); !sorted {
			t.Errorf("%s.json is not sorted", language)
		}
		for _, name := range english.names {
			mine, theirs := english.texts[name], other.texts[name]
			if theirs == nil {
				t.Errorf("%s.json lacks %q", language, name)
				continue
			}
			forms := plurals
			if _, plain := mine[""]; plain {
				forms = []string{""}
			}
			if got := slices.Sorted(maps.Keys(theirs)); !slices.Equal(got, forms) {
				t.Errorf("%s.json has %q in the forms %q, want %q", language, name, got, forms)
			}
			want := braces(fmt.Sprint(mine))
			for form, words := range theirs {
				if got := braces(words); !slices.Equal(got, want) && !(form == "one" && len(got) < len(want)) {
					t.Errorf("%s.json: %q (%s) has %v, want %v", language, name, form, got, want)
				}
				if strings.TrimSpace(words) != words || words == "" {
					t.Errorf("%s.json: %q is %q", language, name, words)
				}
			}
		}
		for _, name := range other.names {
			if english.texts[name] == nil {
				t.Errorf("%s.json has %q, which en.json has not", language, name)
			}
		}
	}
}

func compareNames(a, b string) int {
	if order := strings.Compare(strings.ToLower(a), strings.ToLower(b)); order != 0 {
		return order
	}
	return strings.Compare(a, b)
}

// TestEveryTextIsUsed: by its name, or by the beginning of a name that code completes.
func TestEveryTextIsUsed(t *testing.T) {
	var code strings.Builder
	for path, content := range mustReadSources(t, "src") {
		if !strings.Contains(path, "schema") {
			code.WriteString(content)
		}
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("[\"`]([\\w.]+)[\"`]|\\b(\\w+)[:,]").FindAllStringSubmatch(code.String(), -1) {
		named[m[1]], named[m[2]] = true, true
	}
	var begun []string
	for _, m := range regexp.MustCompile("`([\\w.]+)\\$\\{").FindAllStringSubmatch(code.String(), -1) {
		begun = append(begun, m[1])
	}
	for _, name := range mustReadDictionary(t, "en").names {
		if !named[name] && !slices.ContainsFunc(begun, func(b string) bool { return strings.HasPrefix(name, b) }) {
			t.Errorf("nothing shows %q", name)
		}
	}
}

// TestPagesHaveTheirWords: a page loads the texts that begin with its own name, and those that
// begin with none; what several pages show is among the latter.
func TestPagesHaveTheirWords(t *testing.T) {
	for page, others := range map[string]string{"messenger": "console|docs", "console": "docs", "docs": "console"} {
		foreign := regexp.MustCompile(`"(` + others + `)\.\w+"`)
		for path, content := range mustReadSources(t, filepath.Join("src", page)) {
			if name := foreign.FindString(content); name != "" {
				t.Errorf("%s has %s, which its page does not load", path, name)
			}
		}
	}
}

// TestProblemsAreCodes: what pages say of a refusal in their own words is of a code that the
// interface has. describe looks them up by it.
func TestProblemsAreCodes(t *testing.T) {
	codes, err := os.ReadFile(filepath.Join("..", "docs", "api", "errors.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range mustReadDictionary(t, "en").names {
		if code, is := strings.CutPrefix(name, "problem."); is && !bytes.Contains(codes, []byte("| `"+code+"` |")) {
			t.Errorf("%q is of no code in docs/api/errors.md", name)
		}
	}
}

func mustReadSources(t *testing.T, directory string) map[string]string {
	t.Helper()
	sources := map[string]string{}
	err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasPrefix(filepath.Ext(path), ".ts") {
			return err
		}
		content, err := os.ReadFile(path)
		sources[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources
}
