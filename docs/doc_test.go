// Package docs holds the project's documents to their form: lines that can be
// read, links that lead somewhere, decisions that are listed. What single pages
// say is tested beside the code they describe. It holds no code but tests.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); os.Exit(m.Run()) }

// moduleRoot is where the module's go.mod lies.
const moduleRoot = ".."

// mustListFiles lists the project's files with an ending, by their paths below
// moduleRoot. It passes over what is built, hidden or of others.
func mustListFiles(t *testing.T, ending string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(moduleRoot, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() && name != moduleRoot &&
			(strings.HasPrefix(base, ".") || base == "data" || base == "bin" || base == "node_modules" ||
				base == "third_party" || name == filepath.Join(moduleRoot, "web", "build")) {
			return fs.SkipDir
		}
		if strings.HasSuffix(base, ending) && !entry.IsDir() {
			inside, err := filepath.Rel(moduleRoot, name)
			files = append(files, inside)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 30 {
		t.Fatalf("found only %d files that end in %s", len(files), ending)
	}
	return files
}

func mustRead(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(moduleRoot, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
