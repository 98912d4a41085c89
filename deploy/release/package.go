package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

const summary = "self-hosted secure-messaging server"

// systems is what is different in the kinds of packages.
var systems = map[string]struct {
	zsh      string // where completion for zsh goes
	license  string // what the file of the licence is called
	requires []string
	suggests []string
}{
	"deb": {"/usr/share/zsh/vendor-completions", "copyright", []string{"passwd"}, []string{"postgresql"}},
	"rpm": {"/usr/share/zsh/site-functions", licenseFile, []string{"systemd"}, nil},
}

// pack writes the package of a kind for a machine of Linux.
func (r *release) pack(kind, machine string) error {
	contents, err := r.contents(kind, "linux/"+machine)
	if err != nil {
		return err
	}
	info := &nfpm.Info{
		Name: "signet", Arch: machine, Platform: "linux", Version: r.number(), VersionSchema: "none", Release: "1",
		Section: "net", Priority: "optional", Maintainer: "The Signet authors <signet@localhost>", Vendor: "Signet",
		License: "Apache-2.0", MTime: r.time, DisableGlobbing: true,
		Description: summary + "\nPrograms and people send messages to people and groups, over HTTP and in a\n" +
			"browser; everything is stored in one directory, or in PostgreSQL.",
		Overridables: nfpm.Overridables{
			Contents: contents, Depends: systems[kind].requires, Recommends: []string{"ca-certificates"},
			Suggests: systems[kind].suggests,
			RPM:      nfpm.RPM{BuildHost: "signet", Group: "Applications/Communications", Summary: summary, Compression: "zstd"},
			Deb:      nfpm.Deb{Compression: "zstd"},
		},
	}
	if kind == "deb" { // its version says that nobody has packaged the same version again
		info.Release = ""
	}
	scripts := &info.Overridables.Scripts
	for name, to := range map[string]*string{"postinst": &scripts.PostInstall, "prerm": &scripts.PreRemove,
		"postrm": &scripts.PostRemove} {
		if *to, err = r.script(kind+machine, name); err != nil {
			return err
		}
	}
	packager, err := nfpm.Get(kind)
	if err != nil {
		return err
	}
	info = nfpm.WithDefaults(info)
	return writeFile(r.file(packager.ConventionalFileName(info)), func(w io.Writer) error {
		return packager.Package(info, w)
	})
}

// script writes a script of the package with the names of its units, in place of UNITS, and of its
// timers, in place of TIMERS, and returns where.
func (r *release) script(of, name string) (string, error) {
	units, err := r.units()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(r.packaging(name))
	if err != nil {
		return "", err
	}
	named := strings.NewReplacer("UNITS", strings.Join(units, " "), "TIMERS", strings.Join(timers(units), " "))
	return r.keep("script-"+of+"-"+name, []byte(named.Replace(string(text))))
}

// packaging is a file of the repository's that only packages have.
func (r *release) packaging(name string) string {
	return filepath.Join(r.root, "deploy", "release", "package", name)
}

// keep writes a file that a package is made of, and returns where.
func (r *release) keep(name string, content []byte) (string, error) {
	path := filepath.Join(r.work, name)
	return path, os.WriteFile(path, content, 0o644)
}

// contents are the files of a package.
func (r *release) contents(kind, platform string) (files.Contents, error) {
	var all files.Contents
	add := func(from, to, type_ string, mode fs.FileMode) {
		all = append(all, &files.Content{Source: from, Destination: to, Type: type_,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.time}})
	}
	// written makes a file first.
	var problem error
	written := func(to string, content []byte, err error) {
		if err == nil {
			var path string
			if path, err = r.keep(kind+strings.ReplaceAll(platform+to, "/", "-"), content); err == nil {
				add(path, to, "", 0o644)
			}
		}
		if err != nil && problem == nil {
			problem = fmt.Errorf("%s: %w", to, err)
		}
	}

	add(r.program(platform), "/usr/bin/signet", "", 0o755)
	add("", "/etc/signet", files.TypeDir, 0o755)
	add(r.made(configFile), "/etc/signet/signet.yaml", files.TypeConfigNoReplace, 0o640)
	add(r.packaging("signet.sysusers"), "/usr/lib/sysusers.d/signet.conf", "", 0o644)
	add(r.made("completion/bash"), "/usr/share/bash-completion/completions/signet", "", 0o644)
	add(r.made("completion/zsh"), systems[kind].zsh+"/_signet", "", 0o644)
	add(r.made("completion/fish"), "/usr/share/fish/vendor_completions.d/signet.fish", "", 0o644)
	add(r.made(noticesFile), "/usr/share/doc/signet/"+noticesFile, "", 0o644)
	add(r.made(licenseFile), "/usr/share/doc/signet/"+systems[kind].license, "", 0o644)
	units, err := r.units()
	if err != nil {
		return nil, err
	}
	for _, unit := range units {
		content, err := r.packageUnit(unit)
		written("/usr/lib/systemd/system/"+unit, content, err)
	}
	pages, err := r.pages()
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		text, err := os.ReadFile(r.made("man/" + page))
		if err == nil {
			text, err = compressed(text)
		}
		written("/usr/share/man/"+page+".gz", text, err)
	}
	changes, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err == nil {
		changes, err = compressed(changes)
	}
	written("/usr/share/doc/signet/changelog.gz", changes, err)
	return all, problem
}
