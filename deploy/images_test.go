package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// named finds the images that a file is built or run with.
var named = regexp.MustCompile(`(?m)^(?:FROM (?:--platform=\S+ )?| *image: )(\S+)`)

// wantPinned checks that each image is named by its tag and digest.
func wantPinned(t *testing.T, name, text, digest string) {
	t.Helper()
	images := 0
	pinned := regexp.MustCompile(`^[a-z0-9./-]+:[A-Za-z0-9.-]+@` + digest + `$`)
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		if m[1] == "signet" { // which is built here
			continue
		}
		if images++; !pinned.MatchString(m[1]) {
			t.Errorf("%s names %s without its tag and digest", name, m[1])
		}
	}
	if images < 2 {
		t.Errorf("%s has %d images: this test looks at the wrong place", name, images)
	}
}

func TestImagesArePinned(t *testing.T) {
	for _, name := range []string{"Dockerfile", "compose.yaml"} {
		wantPinned(t, name, mustRead(t, name), `sha256:[0-9a-f]{64}`)
	}
}

// pin-images leaves digests as they are, here those of a docker that tells another one, and
// renews all of them where it is told to.
func TestImagesArePinnedAnew(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"Dockerfile", "compose.yaml", "pin-images"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(mustRead(t, name)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	pin := func(digest string, args ...string) (string, error) {
		script := "#!/bin/sh\necho " + digest + "\n"
		if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		command := exec.Command(filepath.Join(dir, "pin-images"), args...)
		command.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
		out, err := command.CombinedOutput()
		return string(out), err
	}
	digest := "sha256:" + strings.Repeat("0123456789abcdef", 4)
	if out, err := pin(digest); err != nil || out != "" {
		t.Errorf("with digests it says %q, %v", out, err)
	}
	if out, err := pin(digest, "anew"); err == nil {
		t.Errorf("an argument that is not known is taken: %s", out)
	}
	for _, name := range []string{"Dockerfile", "compose.yaml"} {
		if mustRead(t, filepath.Join(dir, name)) != mustRead(t, name) {
			t.Errorf("%s was changed", name)
		}
	}
	if out, err := pin("nothing", "--renew"); err == nil {
		t.Errorf("an answer that is no digest is taken: %s", out)
	}
	if out, err := pin(digest, "--renew"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"Dockerfile", "compose.yaml"} {
		text := mustRead(t, filepath.Join(dir, name))
		wantPinned(t, name, text, digest)
		if before := mustRead(t, name); strings.Count(text, "\n") != strings.Count(before, "\n") {
			t.Errorf("%s has other lines than before", name)
		}
	}
}
