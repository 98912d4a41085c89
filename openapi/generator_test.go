package openapi

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"signet/internal/testenv"
)

// TestGeneratorsWithout31TakeTheDocument makes a Go client with oapi-codegen, which
// does not know OpenAPI 3.1, and compiles it.
func TestGeneratorsWithout31TakeTheDocument(t *testing.T) {
	testenv.Long(t)
	text, err := JSON30("", "")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	document, client, overlay := filepath.Join(dir, "openapi.json"), filepath.Join(dir, "client.go"),
		filepath.Join(dir, "overlay.json")
	mustWrite(t, document, text)
	mustGo(t, "tool", "oapi-codegen", "-generate", "types,client", "-package", "generatortest", "-o", client, document)

	here, err := filepath.Abs("generatortest")
	if err != nil {
		t.Fatal(err)
	}
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "client.go"): client}})
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, overlay, replace)
	mustGo(t, "build", "-overlay", overlay, ".")
}

// mustGo runs the go command in the generator's module.
func mustGo(t *testing.T, arguments ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", append([]string{"-C", "generatortest"}, arguments...)...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0") // as make test-all builds the generator before
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go %q: %v\n%s", arguments, err, output)
	}
}

func mustWrite(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
