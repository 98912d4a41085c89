package installtest

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"signet/internal/testenv"
)

// The versions that the tests install one after the other.
const (
	before = "0.0.1"
	after  = "0.0.2"
)

// built is what all tests look at: the tool, and a release of each version for this machine.
var built struct {
	dir      string            // of everything
	tool     string            // makes releases
	licenses string            // collects licences
	key      string            // that the later one is signed with
	releases map[string]string // directories, by version
	again    string            // the earlier one, built on another path
	confined error             // why no namespace can be made here; nil: one can
}

func TestMain(m *testing.M) {
	testenv.Clear()
	flag.Parse()
	if testing.Short() { // releases take long, and each test looks at one
		os.Exit(m.Run())
	}
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "signet-installtest-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	built.dir = dir
	built.confined = tryNamespaces()
	if err := build(); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// namespaces are what makes a file system and a network of its own, by unshare.
func namespaces() []string {
	args := []string{"unshare", "--mount", "--net"}
	if os.Geteuid() != 0 {
		args = append(args, "--user", "--map-root-user", "--map-auto")
	}
	return args
}

// tryNamespaces says why no namespace can be made here, as install.sh does for whoever runs make test-all.
func tryNamespaces() error {
	args := append(namespaces(), "mount", "-t", "tmpfs", "tmpfs", "/tmp")
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("no namespace can be made here, which takes CAP_SYS_ADMIN or a user who may: %w: %s", err, out)
	}
	return nil
}

// build makes the releases of a repository that has the tree as it is, each as a commit. The
// later one has another file of settings, as a real one may.
func build() error {
	tree, longer := filepath.Join(built.dir, "tree"), filepath.Join(built.dir, "a longer/path to", "it")
	built.tool, built.licenses = filepath.Join(built.dir, "release"), filepath.Join(built.dir, "licenses")
	built.key = filepath.Join(built.dir, "key")
	built.releases = map[string]string{before: filepath.Join(built.dir, "one"), after: filepath.Join(built.dir, "two")}
	built.again = filepath.Join(built.dir, "again")
	if err := copyTree(tree); err != nil {
		return err
	}
	build := func(root, out string, more ...string) []string {
		return append([]string{root, built.tool, "build", "-platforms", platform, "-out", out}, append(more, root)...)
	}
	// Neither the path, nor the rights of new files, nor the number of processors shows in a release; and
	// there is no network here, where a namespace can be made.
	elsewhere := func(step []string) []string {
		alone := []string{step[0]}
		if built.confined == nil {
			alone = append(alone, namespaces()...)
		}
		alone = append(alone, "sh", "-c", `umask 077; GOMAXPROCS=3 exec "$@"`, "sh")
		return append(alone, step[1:]...)
	}
	tools := []string{filepath.Join(tree, "deploy", "release"), "go", "build", "-o", built.dir + "/", ".", "./licenses"}
	for _, step := range [][]string{
		{tree, "git", "init", "-q"},
		{tree, "git", "config", "user.name", "A test"},
		{tree, "git", "config", "user.email", "test@localhost"},
		{tree, "git", "add", "-A"},
		{tree, "git", "commit", "-q", "-m", "one"},
		{tree, "git", "tag", "v" + before},
		{tree, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", built.key},
		tools,
		build(tree, built.releases[before]),
		{tree, "git", "clone", "-q", tree, longer},
		{tree, "cp", "-r", filepath.Join(tree, "web", "dist"), filepath.Join(longer, "web")},
		elsewhere(build(longer, built.again)),
		{tree, "sed", "-i", `s|"data=/var/lib/signet"|&, "log.format=json"|`, "deploy/release/ask.go"},
		{tree, "git", "commit", "-q", "-a", "-m", "two"},
		{tree, "git", "tag", "v" + after},
		tools,
		build(tree, built.releases[after], "-key", built.key),
	} {
		command := exec.Command(step[1], step[2:]...)
		command.Dir = step[0]
		if out, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(step[1:], " "), err, out)
		}
	}
	return nil
}

// copyTree copies the repository's files as they are, with changes that are not committed, and
// the pages.
func copyTree(to string) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		return fmt.Errorf("list the files: %w", err)
	}
	for name := range strings.SplitSeq(strings.Trim(string(names), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(root, name))
		if err != nil || !info.Mode().IsRegular() { // it was removed, or leads elsewhere
			continue
		}
		if err := copyFile(filepath.Join(root, name), filepath.Join(to, name), info.Mode()); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(root, "web", "dist", "gzip", "index.html")); err != nil {
		return fmt.Errorf("%w: the pages have to be built before (make pages)", err)
	}
	return os.CopyFS(filepath.Join(to, "web", "dist", "gzip"), os.DirFS(filepath.Join(root, "web", "dist", "gzip")))
}

func copyFile(from, to string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// mustRun runs a command on this machine.
func mustRun(t *testing.T, command ...string) string {
	t.Helper()
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
	return string(out)
}

// wantIn reports what a text lacks.
func wantIn(t *testing.T, what, text string, want ...string) {
	t.Helper()
	for _, one := range want {
		if !strings.Contains(text, one) {
			t.Errorf("%s lacks %q:\n%s", what, one, text)
		}
	}
}
