package installtest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"signet/internal/testenv"
)

// TestAReleaseIsTheSameOnAnotherPath compares two of the same commit.
func TestAReleaseIsTheSameOnAnotherPath(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	files, err := os.ReadDir(built.releases[before])
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		names = append(names, file.Name())
		one, err := os.ReadFile(filepath.Join(built.releases[before], file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		two, err := os.ReadFile(filepath.Join(built.again, file.Name()))
		if err != nil || !bytes.Equal(one, two) {
			t.Errorf("%s is another one (%v)", file.Name(), err)
		}
	}
	wantIn(t, "the release", strings.Join(names, "\n"), "SHA256SUMS", ".deb", ".rpm", ".tar.gz", ".cdx.json", "_image.tar")
}

// TestTheArchiveHasWhatIsInstalledByHand beside the program: licences, pages, completion, units.
func TestTheArchiveHasWhatIsInstalledByHand(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	list := mustRun(t, "sh", "-c", "tar --numeric-owner -tvzf "+built.releases[after]+"/*.tar.gz")
	names := []string{"signet", "LICENSE", "THIRD-PARTY-NOTICES.txt", "signet.yaml", "man/man1/signet.1",
		"man/man5/signet.yaml.5", "completion/signet.bash", "completion/signet.zsh", "completion/signet.fish"}
	for _, unit := range strings.Fields(units(t)) {
		names = append(names, "systemd/"+unit)
	}
	for _, name := range names {
		mode := "-rw-r--r-- 0/0"
		if name == "signet" {
			mode = "-rwxr-xr-x 0/0"
		}
		if !regexp.MustCompile(`(?m)^` + mode + ` .* signet_` + after + `_linux_[a-z0-9]+/` + regexp.QuoteMeta(name) + `$`).
			MatchString(list) {
			t.Errorf("the archive lacks %s %s:\n%s", mode, name, list)
		}
	}
}

// TestTheListOfWhatIsInside names everything with its licence.
func TestTheListOfWhatIsInside(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	text := mustRun(t, "sh", "-c", "cat "+built.releases[after]+"/*.cdx.json")
	var made struct {
		Metadata struct {
			Component struct{ Name, Version string }
		}
		Components []struct {
			Name     string
			Licenses []struct{ Expression string }
		}
	}
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		t.Fatal(err)
	}
	if made.Metadata.Component.Version != "v"+after || len(made.Components) < 40 {
		t.Errorf("the list is of %+v, with %d parts", made.Metadata, len(made.Components))
	}
	for _, c := range made.Components {
		if len(c.Licenses) != 1 {
			t.Errorf("%s has the licences %v", c.Name, c.Licenses)
		}
	}
}

// TestTheSignatureIsVerified as docs/operate/install.md says, and not if somebody changed
// anything.
func TestTheSignatureIsVerified(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "operate", "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)<!-- verify:begin -->\n```sh\n(.*?)```\n<!-- verify:end -->").FindSubmatch(page)
	if block == nil {
		t.Fatal("docs/operate/install.md does not say how a release is verified")
	}
	dir := filepath.Join(t.TempDir(), "release")
	if err := os.CopyFS(dir, os.DirFS(built.releases[after])); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(built.key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	verify := func() error {
		command := exec.Command("sh", "-ec", string(block[1]))
		command.Dir = dir
		command.Env = append(os.Environ(), "KEY="+strings.TrimSpace(string(key)))
		out, err := command.CombinedOutput()
		t.Logf("%s", out)
		_ = os.Remove(filepath.Join(dir, "signers")) // which is none of the release's files
		return err
	}
	if err := verify(); err != nil {
		t.Errorf("the release is refused: %v", err)
	}
	mustRun(t, built.tool, "check", dir)

	deb, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil || len(deb) != 1 {
		t.Fatalf("found %q, %v", deb, err)
	}
	mustAppend(t, deb[0])
	if err := verify(); err == nil {
		t.Error("a package that somebody changed is taken")
	}
	if err := exec.Command(built.tool, "check", dir).Run(); err == nil {
		t.Error("check takes a package that somebody changed")
	}
	mustRun(t, "sh", "-c", "cd '"+dir+"' && sha256sum *.deb *.rpm *.tar *.tar.gz *.json >SHA256SUMS")
	if err := verify(); err == nil {
		t.Error("checksums are taken that nobody signed")
	}
	if err := exec.Command(built.tool, "check", dir).Run(); err == nil {
		t.Error("check takes a signature of other checksums")
	}
}

// TestWhatCannotBeMadeAgainIsNotMade: a tree with changes has no version of its own.
func TestWhatCannotBeMadeAgainIsNotMade(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	tree := filepath.Join(t.TempDir(), "tree")
	mustRun(t, "git", "clone", "-q", filepath.Join(built.dir, "tree"), tree)
	mustRun(t, "cp", "-r", filepath.Join(built.dir, "tree", "web", "dist"), filepath.Join(tree, "web"))
	mustAppend(t, filepath.Join(tree, "README.md"))
	release := filepath.Join(tree, "bin", "release")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-platforms", platform, "-out", release, tree}, "changes that are not committed"},
		{[]string{"-platforms", "plan9/mips", "-out", release, tree}, `nothing is released for "plan9/mips"`},
		{[]string{"-out", filepath.Join(tree, "docs"), tree}, "docs is neither empty nor a release"},
		{[]string{"-out", release, built.dir}, "the pages have not been built"},
	} {
		out, err := exec.Command(built.tool, append([]string{"build"}, test.args...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), test.want) {
			t.Errorf("%q: %v, want %q\n%s", test.args, err, test.want, out)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(release)); err != nil || len(left) > 0 {
		t.Errorf("%v is left of releases that were refused (%v)", left, err)
	}
}

func mustAppend(t *testing.T, file string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("more\n"); err != nil {
		t.Fatal(err)
	}
}
