package deploy

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"signet/internal/config"
	"signet/internal/seal"
)

// afterGrace is how long a server may take to stop beyond shutdown.grace
// (internal/app, drain.go).
const afterGrace = 7 * time.Second

func mustRead(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// mustParse reads the documents of a YAML file into one value each.
func mustParse[T any](t *testing.T, name string) (out []T) {
	t.Helper()
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(mustRead(t, name))))
	for {
		var one T
		switch err := decoder.Decode(&one); {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, one)
	}
}

// mustLoad reads settings as the server does, and gives them back.
func mustLoad(t *testing.T, where string, variables map[string]string, file string) *config.Config {
	t.Helper()
	c, err := config.Load(config.Sources{Environ: environ(variables), File: file})
	if err != nil {
		t.Fatalf("%s: the server would not start: %v", where, err)
	}
	return c
}

// environ returns variables as a process has them.
func environ(variables map[string]string) (out []string) {
	for name, value := range variables {
		if name != "SIGNET_CONFIG" { // where the container has it
			out = append(out, name+"="+value)
		}
	}
	return out
}

// mustMakeSecrets runs make-secrets.
func mustMakeSecrets(t *testing.T) (directory string) {
	t.Helper()
	directory = filepath.Join(t.TempDir(), "secrets")
	if out, err := exec.Command("./make-secrets", directory).CombinedOutput(); err != nil {
		t.Fatalf("make-secrets: %v\n%s", err, out)
	}
	return directory
}

func TestSecretsAreMadeOnceAndAtRandom(t *testing.T) {
	one, other := mustMakeSecrets(t), mustMakeSecrets(t)
	files, err := os.ReadDir(one)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if mustRead(t, filepath.Join(one, file.Name())) == mustRead(t, filepath.Join(other, file.Name())) {
			t.Errorf("%s is the same twice", file.Name())
		}
	}
	if info, err := os.Stat(one); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others reach the secrets: %v, error %v", info.Mode(), err)
	}
	if err := exec.Command("./make-secrets", one).Run(); err == nil {
		t.Error("secrets that were there were replaced")
	}
	password := mustRead(t, filepath.Join(one, "postgres_password"))
	if len(password) != 48 ||
		!strings.HasPrefix(mustRead(t, filepath.Join(one, "pgpass")), "postgres:5432:signet:signet:"+password+"\n") {
		t.Error("the servers' password of the database is not the database's")
	}
	keys := mustRead(t, filepath.Join(one, "keys_password"))
	if len(keys) != 48 || keys == password ||
		!strings.Contains(mustRead(t, filepath.Join(one, "pgpass")), "keys:5432:keyring:signet:"+keys+"\n") {
		t.Error("the servers' password of the key ring is not the key ring's")
	}
	ring, err := seal.Open(t.Context(), seal.Options{Storage: seal.OpenFileBeside(filepath.Join(t.TempDir(), "keyring")),
		Master: seal.MasterFile(filepath.Join(one, "master.json")), Clock: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("the master key is none: %v", err)
	}
	defer ring.Close()
	ignored := mustRead(t, "../.gitignore") + mustRead(t, "Dockerfile.dockerignore")
	if strings.Count(ignored, "/deploy/secrets") != 2 {
		t.Error("the secrets can get into the repository or the image")
	}
}

// wantLonger reports a time that is not longer than what it has to be.
func wantLonger(t *testing.T, what string, got, least time.Duration) {
	t.Helper()
	if got <= least {
		t.Errorf("%s is %v, want more than the %v that a server may take to stop", what, got, least)
	}
}

func TestEveryFileIsDescribed(t *testing.T) {
	page := mustRead(t, "../docs/operate/cluster.md")
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := file.Name()
		if slices.Contains([]string{".go", ".dockerignore"}, filepath.Ext(name)) || name == "secrets" {
			continue
		}
		if !strings.Contains(page, "deploy/"+name) {
			t.Errorf("docs/operate/cluster.md does not say what deploy/%s is for", name)
		}
	}
}
