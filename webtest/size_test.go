package webtest

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// most is how large the script of a page may be, compressed, in bytes.
const most = 80 << 10

// TestPagesAreSmall: the script of each page, with what pages share, and without the
// languages other than English, of which a browser loads one.
func TestPagesAreSmall(t *testing.T) {
	dist := filepath.Join(moduleRoot, "web", "dist")
	pages, err := filepath.Glob(filepath.Join(dist, "*.html"))
	if err != nil || len(pages) < 2 {
		t.Fatalf("found the pages %v, %v", pages, err)
	}
	imported := regexp.MustCompile(`(?:from|import)\s*"\./([^"]+\.js)"`)
	for _, page := range pages {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		entry := regexp.MustCompile(`/assets/([^"]+\.js)`).FindSubmatch(content)
		if entry == nil {
			t.Fatalf("%s has no script", page)
		}
		total, seen := 0, map[string]bool{}
		for next := []string{string(entry[1])}; len(next) > 0; next = next[1:] {
			if seen[next[0]] {
				continue
			}
			seen[next[0]] = true
			script, err := os.ReadFile(filepath.Join(dist, "assets", next[0]))
			if err != nil {
				t.Fatal(err)
			}
			total += compressed(t, script)
			for _, m := range imported.FindAllSubmatch(script, -1) {
				next = append(next, string(m[1]))
			}
		}
		t.Logf("%s: %d bytes of script in %d files", filepath.Base(page), total, len(seen))
		if total > most {
			t.Errorf("%s has %d bytes of script, at most %d are to be loaded", filepath.Base(page), total, most)
		}
	}
}

// compressed is how many bytes gzip makes of some.
func compressed(t *testing.T, content []byte) int {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Len()
}
