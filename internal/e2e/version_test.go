package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// laterStore is what the store of later versions has besides: their steps. The first adds
// to tables that every send writes, the second removes again what the first has added.
const laterStore = `package store

import (
	"slices"
	"strings"

	"signet/internal/store/schema"
)

func Today() schema.Schema {
	s := releasedToday()
	steps := []schema.Migration{{SQL: "CREATE TABLE remarks (\n\tremark BIGINT NOT NULL,\n\tPRIMARY KEY (remark)\n){table};\n" +
		"ALTER TABLE messages ADD COLUMN remark TEXT NOT NULL DEFAULT '';\n" +
		"ALTER TABLE events ADD COLUMN remark BIGINT NOT NULL DEFAULT 0;\n" +
		"CREATE INDEX nodes_lease ON nodes (lease);\n"}}
	if CONTRACTED {
		steps = append(steps, schema.Migration{Contract: true, SQL: "ALTER TABLE messages DROP COLUMN remark;\n" +
			"ALTER TABLE events DROP COLUMN remark;\nDROP INDEX nodes_lease;\nDROP TABLE remarks;\n"})
	} else {
		s.SQL = strings.Replace(s.SQL, "CREATE TABLE messages (\n", "CREATE TABLE messages (\n\tremark TEXT NOT NULL,\n", 1)
		s.SQL = strings.Replace(s.SQL, "CREATE TABLE events (\n", "CREATE TABLE events (\n\tremark BIGINT NOT NULL,\n", 1)
		s.SQL += "\nCREATE TABLE remarks (\n\tremark BIGINT NOT NULL,\n\tPRIMARY KEY (remark)\n){table};\n" +
			"CREATE INDEX nodes_lease ON nodes (lease);\n"
	}
	s.Steps = append(slices.Clip(s.Steps), steps...)
	return s
}
`

// mustBuildLater builds the program as its next version might be, which changes the form of
// the data, or as the one after that, which removes what is no longer used. It is the
// program of this tree but for its schema, so that it needs neither a network nor history.
func mustBuildLater(t *testing.T, contracted bool) (path string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	schema := filepath.Join(root, "internal", "store", "schema.go")
	own, err := os.ReadFile(schema)
	if err != nil {
		t.Fatal(err)
	}
	renamed := strings.Replace(string(own), "func Today() ", "func releasedToday() ", 1)
	if renamed == string(own) {
		t.Fatalf("%s has no function Today", schema)
	}
	condition := "false"
	if contracted {
		condition = "true"
	}
	replace := map[string]string{}
	for name, text := range map[string]string{
		"schema.go": renamed, "later.go": strings.Replace(laterStore, "CONTRACTED", condition, 1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, "internal", "store", name)] = filepath.Join(dir, name)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "signet")
	mustGoBuild(t, root, path, "-overlay", filepath.Join(dir, "overlay.json"))
	return path
}

// mustBuildReleased builds the program of the last release, as the repository has it: a
// clone with tags. Where there is none, as in a shallow clone and before the first
// release, the answer is false.
func mustBuildReleased(t *testing.T) (path string, found bool) {
	t.Helper()
	describe := exec.CommandContext(t.Context(), "git", "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^")
	tag, err := describe.Output()
	if err != nil {
		return "", false
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "source.tar")
	for _, command := range [][]string{
		{"git", "-C", "../..", "archive", "--output", source, strings.TrimSpace(string(tag))},
		{"tar", "-C", dir, "-xf", source},
	} {
		if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", command, err, out)
		}
	}
	path = filepath.Join(dir, "bin", "signet")
	mustGoBuild(t, dir, path, "-buildvcs=false")
	t.Logf("the version before is %s", strings.TrimSpace(string(tag)))
	return path, true
}

// mustGoBuild builds the program of a tree as "make build" does, but for the tag: a version before it needs
// what the tag leaves out.
func mustGoBuild(t *testing.T, root, path string, flags ...string) {
	t.Helper()
	args := append([]string{"build", "-trimpath", "-ldflags=-s -w", "-o", path}, flags...)
	command := exec.CommandContext(t.Context(), "go", append(args, "./cmd/signet")...)
	command.Dir = root
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go %q: %v\n%s", args, err, out)
	}
}
