package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// What the files are called that go into archives and packages beside the program.
const (
	licenseFile = "LICENSE"
	noticesFile = "THIRD-PARTY-NOTICES.txt"
	configFile  = "signet.yaml"
)

// ask has the program write what it knows of itself, and takes from the repository what else
// goes with it.
func (r *release) ask() error {
	if err := os.MkdirAll(r.made("completion"), 0o755); err != nil {
		return err
	}
	if _, err := r.run("licenses"); err != nil { // it fails if the licence of anything is not known
		return err
	}
	for name, args := range map[string][]string{
		noticesFile:       {"licenses", "--text"},
		configFile:        {"config", "describe", "--commented", "data=/var/lib/signet"},
		"completion/bash": {"completion", "bash"},
		"completion/zsh":  {"completion", "zsh"},
		"completion/fish": {"completion", "fish"},
	} {
		out, err := r.run(args...)
		if err != nil {
			return err
		}
		if err := os.WriteFile(r.made(name), out, 0o644); err != nil {
			return err
		}
	}
	if _, err := r.run("manual", r.made("man")); err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return err
	}
	return os.WriteFile(r.made(licenseFile), license, 0o644)
}

// run runs the program, with nothing in its environment.
func (r *release) run(args ...string) ([]byte, error) {
	command := exec.Command(r.program(here()), args...)
	command.Dir, command.Env = r.work, []string{}
	var problems bytes.Buffer
	command.Stderr = &problems
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("signet %s: %w\n%s", strings.Join(args, " "), err, &problems)
	}
	return out, nil
}

// pages lists the manual pages below the directory of all files, as man1/signet.1.
func (r *release) pages() ([]string, error) {
	found, err := filepath.Glob(r.made("man/man*/*"))
	for i := range found {
		found[i] = filepath.ToSlash(strings.TrimPrefix(found[i], r.made("man")+string(filepath.Separator)))
	}
	return found, err
}

// list writes what a program is made of.
func (r *release) list(platform string) error {
	return writeFile(r.file(r.name(platform)+".cdx.json"), func(w io.Writer) error {
		return r.goTool(w, nil, "run", "./deploy/sbom", r.program(platform))
	})
}

// name is how the files for a platform begin.
func (r *release) name(platform string) string {
	return "signet_" + r.number() + "_" + strings.ReplaceAll(platform, "/", "_")
}

// compressed is a file as gzip makes it of nothing but its content.
func compressed(content []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}
