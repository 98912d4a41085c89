package main

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

const (
	sumsFile  = "SHA256SUMS"
	namespace = "signet-release" // what a signature is for, so that one for something else does not count
)

// sum writes the checksums of all files, in the form of sha256sum, and signs them with a key
// where one is named.
func (r *release) sum(key string) error {
	found, err := os.ReadDir(r.file(""))
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, file := range found {
		sum, err := sumOf(r.file(file.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, file.Name())
	}
	if err := os.WriteFile(r.file(sumsFile), []byte(b.String()), 0o644); err != nil {
		return err
	}
	if key == "" {
		fmt.Println("no key is named: the checksums are not signed")
		return nil
	}
	command := exec.Command("ssh-keygen", "-Y", "sign", "-n", namespace, "-f", key, r.file(sumsFile))
	command.Stdin, command.Stderr = os.Stdin, os.Stderr // it may ask for a passphrase, or for a touch
	if err := command.Run(); err != nil {
		return fmt.Errorf("sign the checksums: %w", err)
	}
	return nil
}

func sumOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// check looks at a release: its checksums are those of its files, a signature is one of them,
// and the image is whole. Whose signature it is, is for those to say who know the key.
func check(dir string) error {
	f, err := os.Open(filepath.Join(dir, sumsFile))
	if err != nil {
		return err
	}
	defer f.Close()
	known := make(map[string]string)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		if !ok || name != filepath.Base(name) {
			return fmt.Errorf("%s has the line %q", sumsFile, lines.Text())
		}
		known[name] = sum
	}
	found, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var problems []error
	for _, file := range found {
		name, path := file.Name(), filepath.Join(dir, file.Name())
		switch {
		case name == sumsFile:
			continue
		case name == sumsFile+".sig":
			problems = append(problems, checkSignature(dir))
			continue
		}
		sum, err := sumOf(path)
		if err == nil && sum != known[name] {
			err = fmt.Errorf("%s is not what %s says of it", name, sumsFile)
		}
		delete(known, name)
		if err == nil && strings.HasSuffix(name, "_image.tar") {
			err = withLayout(path, func(index v1.ImageIndex) error { return validate.Index(index) })
		}
		problems = append(problems, err)
	}
	for name := range known {
		problems = append(problems, fmt.Errorf("%s is missing", name))
	}
	return errors.Join(problems...)
}

func checkSignature(dir string) error {
	sums, err := os.Open(filepath.Join(dir, sumsFile))
	if err != nil {
		return err
	}
	defer sums.Close()
	command := exec.Command("ssh-keygen", "-Y", "check-novalidate", "-n", namespace, "-s",
		filepath.Join(dir, sumsFile+".sig"))
	command.Stdin = sums
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("the signature is none of %s: %w\n%s", sumsFile, err, out)
	}
	return nil
}
