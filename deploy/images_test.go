package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What pin-images makes of the files names every image by its digest, here those of a
// docker that tells one; a second run changes nothing.
func TestImagesArePinned(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"Dockerfile", "compose.yaml", "pin-images"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(mustRead(t, name)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	pin := func(digest string) (string, error) {
		script := "#!/bin/sh\necho " + digest + "\n"
		if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		command := exec.Command(filepath.Join(dir, "pin-images"))
		command.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
		out, err := command.CombinedOutput()
		return string(out), err
	}
	if out, err := pin("nothing"); err == nil {
		t.Errorf("an answer that is no digest is taken: %s", out)
	}
	digest := "sha256:" + strings.Repeat("0123456789abcdef", 4)
	if out, err := pin(digest); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var pinned []string
	named := regexp.MustCompile(`(?m)^(?:FROM (?:--platform=\S+ )?| *image: )(\S+)`)
	for _, name := range []string{"Dockerfile", "compose.yaml"} {
		text := mustRead(t, filepath.Join(dir, name))
		pinned = append(pinned, text)
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if m[1] != "signet" && !strings.HasSuffix(m[1], "@"+digest) { // which is built here
				t.Errorf("%s names %s without its digest", name, m[1])
			}
		}
		if strings.Count(text, "@"+digest) < 2 {
			t.Errorf("%s has too few images: this test looks at the wrong place", name)
		}
	}
	if out, err := pin("sha256:" + strings.Repeat("f", 64)); err != nil || out != "" {
		t.Errorf("a second run says %q, %v", out, err)
	}
	for i, name := range []string{"Dockerfile", "compose.yaml"} {
		if mustRead(t, filepath.Join(dir, name)) != pinned[i] {
			t.Errorf("a second run changes %s", name)
		}
	}
}
