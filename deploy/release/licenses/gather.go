package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// part is something that the program is made of, with the texts that come with it.
type part struct {
	name  string // as internal/licenses has it; of npm with its version
	texts []text
}

// text is a file of a part, or what a file says at its beginning.
type text struct {
	file string // as it is told to people
	text string
}

// platforms are those that are released: on each other modules are linked.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// named are files that say what may be done with what lies beside them.
var named = regexp.MustCompile(`(?i)^(licen[sc]e|copying|copyright|notice|patents)([-.].*)?$`)

// gather lists the parts, the program itself first.
func gather(root string) ([]part, error) {
	own, err := read(filepath.Join(root, "LICENSE"), "LICENSE")
	if err != nil {
		return nil, err
	}
	parts := []part{{"signet", []text{own}}}
	for _, from := range []func(string) ([]part, error){standardLibrary, modules, npm, data} {
		more, err := from(root)
		if err != nil {
			return nil, err
		}
		parts = append(parts, more...)
	}
	return parts, nil
}

func read(file, name string) (text, error) {
	content, err := os.ReadFile(file)
	return text{name, string(content)}, err
}

// standardLibrary is Go's library and runtime.
func standardLibrary(string) ([]part, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	p := part{name: "std"}
	for _, name := range []string{"LICENSE", "PATENTS"} {
		t, err := read(filepath.Join(strings.TrimSpace(string(out)), name), "go/"+name)
		if err != nil {
			return nil, err
		}
		p.texts = append(p.texts, t)
	}
	return []part{p}, nil
}

// listed is a package as go list tells of it.
type listed struct {
	Dir    string
	Module *struct {
		Path, Dir string
		Main      bool
	}
}

// modules are those that are linked: with the files at their roots, and those beside the
// packages that are linked of them.
func modules(root string) ([]part, error) {
	dirs := make(map[string][]string) // of a module, its own first
	for _, platform := range platforms {
		system, machine, _ := strings.Cut(platform, "/")
		command := exec.Command("go", "list", "-deps", "-json=Dir,Module", "./cmd/signet")
		command.Dir = root
		command.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+machine, "CGO_ENABLED=0")
		command.Stderr = os.Stderr
		out, err := command.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", platform, err)
		}
		for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
			var l listed
			if err := decoder.Decode(&l); err != nil {
				return nil, err
			}
			if l.Module == nil || l.Module.Main {
				continue
			}
			if dirs[l.Module.Path] == nil {
				dirs[l.Module.Path] = []string{l.Module.Dir}
			}
			for dir := l.Dir; len(dir) > len(l.Module.Dir); dir = filepath.Dir(dir) {
				if !slices.Contains(dirs[l.Module.Path], dir) {
					dirs[l.Module.Path] = append(dirs[l.Module.Path], dir)
				}
			}
		}
	}
	var parts []part
	for name, of := range dirs {
		slices.Sort(of[1:])
		p := part{name: name}
		for _, dir := range of {
			texts, err := textsOf(dir, name+strings.TrimPrefix(dir, of[0]))
			if err != nil {
				return nil, err
			}
			p.texts = append(p.texts, texts...)
		}
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.name, b.name) })
	return parts, nil
}

// textsOf reads the files in a directory that say what may be done with it.
func textsOf(dir, name string) (texts []text, err error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		where := name + "/" + file.Name()
		if _, passed := passedOver[where]; passed || file.IsDir() || !named.MatchString(file.Name()) {
			continue
		}
		if strings.HasSuffix(file.Name(), ".go") {
			continue
		}
		t, err := read(filepath.Join(dir, file.Name()), where)
		if err != nil {
			return nil, err
		}
		texts = append(texts, t)
	}
	return texts, nil
}

// npm are the packages that the pages are made of.
func npm(root string) ([]part, error) {
	content, err := os.ReadFile(filepath.Join(root, "web", "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version          string
			Dev, DevOptional bool
		}
	}
	if err := json.Unmarshal(content, &lock); err != nil {
		return nil, err
	}
	var parts []part
	for where, p := range lock.Packages {
		name, inside := strings.CutPrefix(where, "node_modules/")
		if !inside || p.Dev || p.DevOptional {
			continue
		}
		texts, err := textsOf(filepath.Join(root, "web", where), "npm:"+name)
		if err != nil {
			return nil, fmt.Errorf("%w: run `npm --prefix web ci`", err)
		}
		parts = append(parts, part{"npm:" + name + " " + p.Version, texts})
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.name, b.name) })
	return parts, nil
}

// data is what comes with no file of its own that says how it is licensed.
func data(root string) ([]part, error) {
	apache, err := read(filepath.Join(root, "LICENSE"), "LICENSE")
	if err != nil {
		return nil, err
	}
	unicode, err := read(filepath.Join(root, "deploy", "release", "licenses", "unicode.txt"), "unicode.txt")
	if err != nil {
		return nil, err
	}
	passwords, err := read(filepath.Join(root, "internal", "access", "common_passwords.txt"), "common_passwords.txt")
	if err != nil {
		return nil, err
	}
	var head []string // the comments in front of the list
	for line := range strings.Lines(passwords.text) {
		comment, found := strings.CutPrefix(line, "#")
		if !found {
			break
		}
		head = append(head, strings.TrimPrefix(comment, " "))
	}
	passwords.text = strings.Join(head, "")
	return []part{
		{"data:common-passwords", []text{passwords}},
		{"data:libphonenumber", []text{apache}}, // the plans of telephone numbers in nyaruka/phonenumbers
		{"data:unicode", []text{unicode}},       // the tables in std and golang.org/x/text
	}, nil
}
