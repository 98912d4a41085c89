package main

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// release is what is being made of a commit.
type release struct {
	root      string // of the repository
	out       string // where the files go when all of them are made
	work      string // for what is only needed meanwhile, beside out
	platforms []string

	version  string    // v0.1.0
	revision string    // of the commit
	time     time.Time // of the commit: that of each file, and of the image
}

// mostBytes is how large the program may be. It is loaded over slow links, and kept in memory
// by many; what makes it larger is to be noticed.
const mostBytes = 37 << 20

// newRelease looks whether a release can be made of a repository, for some of the platforms,
// into a directory. It has to be closed.
func newRelease(root, out string, only []string) (*release, error) {
	r := &release{platforms: only}
	for _, platform := range only {
		if !slices.Contains(platforms, platform) {
			return nil, fmt.Errorf("nothing is released for %q", platform)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "web", "dist", "gzip", "index.html")); err != nil {
		return nil, errors.New("the pages have not been built: make pages")
	}
	var err error
	if r.root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	if r.out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	if err := replaceable(r.out); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(r.out), 0o755); err != nil {
		return nil, err
	}
	if r.work, err = os.MkdirTemp(filepath.Dir(r.out), ".signet-release-"); err != nil {
		return nil, err
	}
	return r, os.Mkdir(r.file(""), 0o755)
}

// replaceable refuses a directory that has anything else in it than a release.
func replaceable(dir string) error {
	found, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(found) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, sumsFile)); err != nil {
		return fmt.Errorf("%s is neither empty nor a release: nothing there is replaced", dir)
	}
	return nil
}

func (r *release) close() { _ = os.RemoveAll(r.work) } // what stays has a name that says what it is

// make makes all files, checks them, and puts them in their place. Only a whole release gets
// there.
func (r *release) make(key string) error {
	// The first program tells what is wrong with the commit, before the others are waited for.
	if err := r.build(here()); err != nil {
		return err
	}
	if err := r.identify(); err != nil {
		return err
	}
	if err := r.buildOthers(); err != nil {
		return err
	}
	if err := r.ask(); err != nil {
		return err
	}
	var steps []func() error
	for _, platform := range r.platforms {
		steps = append(steps, func() error { return r.archive(platform) }, func() error { return r.list(platform) })
		if system, machine, _ := strings.Cut(platform, "/"); system == "linux" {
			steps = append(steps, func() error { return r.pack("deb", machine) }, func() error { return r.pack("rpm", machine) })
		}
	}
	if err := together(append(steps, r.image)); err != nil {
		return err
	}
	if err := r.sum(key); err != nil {
		return err
	}
	if err := check(r.file("")); err != nil {
		return err
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	return os.Rename(r.file(""), r.out)
}

// together takes steps, as many at a time as there are processors.
func together(steps []func() error) error {
	var (
		all   sync.WaitGroup
		slots = make(chan bool, runtime.GOMAXPROCS(0))
		errs  = make([]error, len(steps))
	)
	for i, step := range steps {
		all.Go(func() {
			slots <- true
			errs[i] = step()
			<-slots
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// program is where the program of a platform lies.
func (r *release) program(platform string) string {
	name := "signet"
	if strings.HasPrefix(platform, "windows/") {
		name += ".exe"
	}
	return filepath.Join(r.work, strings.ReplaceAll(platform, "/", "-"), name)
}

// here is the platform that this runs on.
func here() string { return runtime.GOOS + "/" + runtime.GOARCH }

// build builds the program for a platform, as "make build" does.
func (r *release) build(platform string) error {
	system, machine, _ := strings.Cut(platform, "/")
	// What whoever builds has set is not to make another program.
	return r.goTool(nil, []string{"GOOS=" + system, "GOARCH=" + machine, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0",
		"GOEXPERIMENT=", "GOFIPS140=off"},
		"build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-tags=nopgxregisterdefaulttypes", "-o",
		r.program(platform), "./cmd/signet")
}

// goTool runs the go command in the repository, with nothing that its user has set for it. What
// it prints goes to out; the error says what it complains about.
func (r *release) goTool(out io.Writer, env []string, args ...string) error {
	command := exec.Command("go", args...)
	command.Dir, command.Stdout = r.root, out
	command.Env = append(append(os.Environ(), "GOFLAGS=-trimpath", "GOWORK=off"), env...) // empty, "go env -w" counts
	var problems bytes.Buffer
	command.Stderr = &problems
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s go %s: %w\n%s", strings.Join(env, " "), strings.Join(args, " "), err, &problems)
	}
	return nil
}

// buildOthers builds the program for the platforms beside this one, and looks at what it has
// become on each.
func (r *release) buildOthers() error {
	var steps []func() error
	for _, platform := range r.platforms {
		if platform != here() {
			steps = append(steps, func() error { return r.build(platform) })
		}
	}
	if err := together(steps); err != nil {
		return err
	}
	for _, platform := range r.platforms {
		file, err := os.Stat(r.program(platform))
		if err != nil {
			return err
		}
		fmt.Printf("%s %s: %d bytes\n", r.version, platform, file.Size())
		if platform == "linux/amd64" && file.Size() > mostBytes {
			return fmt.Errorf("the program for %s has %d bytes, more than %d: look at what was added to it", platform,
				file.Size(), mostBytes)
		}
	}
	return nil
}

// identify takes version and time from the program.
func (r *release) identify() error {
	info, err := buildinfo.ReadFile(r.program(here()))
	if err != nil {
		return err
	}
	settings := make(map[string]string)
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	r.version, r.revision = info.Main.Version, settings["vcs.revision"]
	switch {
	case settings["vcs.modified"] == "true":
		return errors.New("the tree has changes that are not committed: nobody could make the same again")
	case r.revision == "" || !strings.HasPrefix(r.version, "v"):
		return errors.New("the program does not know its commit: build in a clone, not in a worktree of another one")
	}
	r.time, err = time.Parse(time.RFC3339, settings["vcs.time"])
	return err
}

// number is the version as packages have it, in which a tilde comes before everything: v0.1.0
// is 0.1.0, v0.1.0-rc.1 is 0.1.0~rc.1.
func (r *release) number() string {
	number := strings.TrimPrefix(r.version, "v")
	before, after, found := strings.Cut(number, "-")
	if !found {
		return number
	}
	return before + "~" + strings.ReplaceAll(after, "-", ".")
}

// file is a file of the release while it is made.
func (r *release) file(name string) string { return filepath.Join(r.work, "release", name) }

// made is a file that the program has made, or one of the repository's, for the packages.
func (r *release) made(name string) string {
	return filepath.Join(r.work, "files", filepath.FromSlash(name))
}
