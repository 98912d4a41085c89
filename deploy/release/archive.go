package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive, or a directory, whose name ends in a slash.
type entry struct {
	name    string
	from    string // a file; empty: content
	content []byte
	mode    fs.FileMode
	owner   int // user and group
}

// archive writes the archive of a platform: the program, its licences, and what is installed
// with it by hand.
func (r *release) archive(platform string) error {
	top := r.name(platform) + "/"
	entries := []entry{
		{name: top + filepath.Base(r.program(platform)), from: r.program(platform), mode: 0o755},
		{name: top + licenseFile, from: r.made(licenseFile)},
		{name: top + noticesFile, from: r.made(noticesFile)},
		{name: top + configFile, from: r.made(configFile)},
	}
	if !strings.HasPrefix(platform, "windows/") {
		pages, err := r.pages()
		if err != nil {
			return err
		}
		for _, page := range pages {
			entries = append(entries, entry{name: top + "man/" + page, from: r.made("man/" + page)})
		}
		for _, shell := range []string{"bash", "fish", "zsh"} {
			entries = append(entries, entry{name: top + "completion/signet." + shell, from: r.made("completion/" + shell)})
		}
	}
	if strings.HasPrefix(platform, "linux/") {
		units, err := r.units()
		if err != nil {
			return err
		}
		for _, unit := range units {
			entries = append(entries, entry{name: top + "systemd/" + unit, from: filepath.Join(r.root, "deploy", unit)})
		}
	}
	if strings.HasPrefix(platform, "windows/") {
		return writeFile(r.file(r.name(platform)+".zip"), func(w io.Writer) error { return r.zip(w, entries) })
	}
	return writeFile(r.file(r.name(platform)+".tar.gz"), func(w io.Writer) error {
		zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		return errors.Join(writeTar(zipped, entries, r.time), zipped.Close())
	})
}

// writeFile writes a file.
func writeFile(name string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(fill(f), f.Close())
}

// writeTar writes entries by their names, each directory before what is in it.
func writeTar(w io.Writer, entries []entry, at time.Time) error {
	t := tar.NewWriter(w)
	for _, e := range withDirectories(entries) {
		header := &tar.Header{Name: e.name, Mode: int64(e.mode.Perm()), Uid: e.owner, Gid: e.owner, ModTime: at,
			Format: tar.FormatUSTAR, Typeflag: tar.TypeReg}
		if e.mode&fs.ModeSticky != 0 {
			header.Mode |= 0o1000
		}
		if strings.HasSuffix(e.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		content, err := e.read()
		if err != nil {
			return err
		}
		header.Size = int64(len(content))
		if err := t.WriteHeader(header); err != nil {
			return err
		}
		if _, err := t.Write(content); err != nil {
			return err
		}
	}
	return t.Close()
}

func (r *release) zip(w io.Writer, entries []entry) error {
	z := zip.NewWriter(w)
	for _, e := range withDirectories(entries) {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: r.time.UTC()}
		header.SetMode(e.mode)
		content, err := e.read()
		if err != nil {
			return err
		}
		f, err := z.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := f.Write(content); err != nil {
			return err
		}
	}
	return z.Close()
}

func (e entry) read() ([]byte, error) {
	if e.from == "" {
		return e.content, nil
	}
	return os.ReadFile(e.from)
}

// withDirectories sorts entries, with the directories that they lie in. An entry without a mode
// gets one by which everybody may read it.
func withDirectories(entries []entry) (all []entry) {
	known := make(map[string]bool)
	for _, e := range entries {
		known[e.name] = true
	}
	for _, e := range entries {
		if e.mode == 0 {
			e.mode = 0o644
		}
		all = append(all, e)
		for dir := path.Dir(strings.TrimSuffix(e.name, "/")); dir != "."; dir = path.Dir(dir) {
			if name := dir + "/"; !known[name] {
				known[name] = true
				all = append(all, entry{name: name, mode: fs.ModeDir | 0o755})
			}
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return all
}
