package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readme is the page whose quick start is run.
const readme = "../../README.md"

// TestQuickStartWorksAsPrinted pastes the README's quick start into a shell.
func TestQuickStartWorksAsPrinted(t *testing.T) {
	t.Parallel()
	script := mustReadQuickStart(t)
	t.Run("with this test's curl", func(t *testing.T) {
		t.Parallel()
		wantQuickStart(t, script, mustStandIn(t))
	})
	if _, err := exec.LookPath("curl"); err == nil {
		t.Run("with the real curl", func(t *testing.T) {
			t.Parallel()
			wantQuickStart(t, script, "")
		})
	}
}

// mustReadQuickStart returns the commands of the README's quick start.
func mustReadQuickStart(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, begins := strings.Cut(string(page), "<!-- quickstart:begin -->")
	part, _, ends := strings.Cut(rest, "<!-- quickstart:end -->")
	if !begins || !ends {
		t.Fatalf("%s has no quick start between its marks", readme)
	}
	var script strings.Builder
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(part, -1) {
		script.WriteString(block[1])
	}
	if script.Len() == 0 {
		t.Fatalf("the quick start of %s has no ```sh block", readme)
	}
	return script.String()
}

// mustStandIn makes a directory with a "curl" that is this test binary.
func mustStandIn(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	// The race detector's runtime waits for a second at the end of a program.
	script := fmt.Sprintf("#!/bin/sh\nexec env %s=1 GORACE=atexit_sleep_ms=0 '%s' \"$@\"\n", asCurl, self)
	if err := os.WriteFile(filepath.Join(dir, "curl"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// wantQuickStart runs the script where "make run" was, with a directory before
// the others of PATH.
func wantQuickStart(t *testing.T, script, path string) {
	t.Helper()
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "bin"), 0o700),
		os.Symlink(program, filepath.Join(dir, "bin", "signet"))); err != nil {
		t.Fatal(err)
	}
	s := mustServe(t, filepath.Join(dir, "data"))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// A person's shell goes on after a failure; here it must stop.
	shell := exec.CommandContext(ctx, "bash", "-eu", "-o", "pipefail", "-c", script)
	shell.Dir = dir
	shell.Env = []string{"PATH=" + path + string(filepath.ListSeparator) + os.Getenv("PATH"), "HOME=" + dir}
	var problems strings.Builder
	shell.Stderr = &problems
	output, err := shell.Output()
	text := string(output)
	if err != nil {
		t.Errorf("the quick start: %v\n%s", err, problems.String())
	}
	for _, want := range []string{
		`(?m)^HTTP/1.1 204 No Content\r$`,
		`(?mi)^TT-X-Message-Id: [0-9a-f-]{36}\r$`,
		`"tigertext:iq:message":\{[^}]*"body":"The results are in\."`,
		`(?m)^: signet$`,
		`"advisory":\{"name":"replay_stop"\}`,
		`(?m)^data: \{"event_id":"[^"]+","event":\{"tigertext:iq:message:status":\{[^}]*"status":"Delivered"`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("the quick start does not show %s", want)
		}
	}
	if n := strings.Count(text, "HTTP/1.1 204 "); n != 2 {
		t.Errorf("%d calls answered 204, want 2", n)
	}
	if t.Failed() {
		t.Logf("it printed\n%s", text)
	}
	s.stop()
	s.wantQuietLog()
}
