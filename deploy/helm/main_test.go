package helm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"signet/internal/testenv"
)

// programs is where the program that renders and checks is built.
var programs string

func TestMain(m *testing.M) {
	testenv.Clear()
	var err error
	if programs, err = os.MkdirTemp("", "signet-charttest-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(programs) // it lies where the system cleans up
	os.Exit(code)
}

// charttest builds the program, once, and returns its path.
var charttest = sync.OnceValues(func() (string, error) {
	path := filepath.Join(programs, "charttest")
	out, err := inModule("build", "-o", path, ".")
	if err != nil {
		err = fmt.Errorf("build charttest: %w\n%s", err, out)
	}
	return path, err
})

// inModule runs the go command in the module of charttest, as make test-all builds it before.
func inModule(args ...string) ([]byte, error) {
	command := exec.Command("go", append([]string{"-C", "charttest"}, args...)...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	return command.CombinedOutput()
}

// What charttest is asked, and what it answers.
type (
	release struct {
		Name, Namespace, Values string
		Upgrade, Lint           bool
	}
	rendered struct {
		Files map[string]string
		Notes string
		Error string
		Lint  []string
	}
	request struct {
		Chart     string
		Releases  []release
		Kustomize []string
		Check     map[string]string
		CRDs      string
	}
	answer struct {
		Releases  []rendered
		Kustomize []rendered
		Check     map[string][]string
	}
)

func mustAsk(t *testing.T, in request) (out answer) {
	t.Helper()
	testenv.Long(t) // Kubernetes' packages have to be built first
	in.Chart = "signet"
	if len(in.Check) > 0 {
		dir, err := inModule("list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/gateway-api")
		if err != nil {
			t.Fatalf("find the Gateway API: %v\n%s", err, dir)
		}
		in.CRDs = filepath.Join(strings.TrimSpace(string(dir)), "config", "crd", "standard")
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	program, err := charttest()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program)
	command.Stdin = bytes.NewReader(text)
	command.Stderr = os.Stderr
	text, err = command.Output()
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatalf("charttest: %v", err)
	}
	return out
}

// mustRender renders the chart with values, and stops the test where it is refused.
func mustRender(t *testing.T, releases ...release) []rendered {
	t.Helper()
	out := mustAsk(t, request{Releases: releases}).Releases
	for i, r := range out {
		if r.Error != "" {
			t.Fatalf("release %d is refused: %s", i, r.Error)
		}
	}
	return out
}

func mustRead(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
