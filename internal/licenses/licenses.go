package licenses

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
)

// Part is something that the program is made of.
type Part struct {
	Name     string   `json:"name"`              // github.com/coder/websocket, npm:preact, data:unicode
	Version  string   `json:"version,omitempty"` // of data there is none
	Licenses []string `json:"licenses"`          // identifiers of SPDX: all of them hold
	Changed  bool     `json:"changed,omitempty"` // it is built from a directory of this project
}

// Notice is a text that goes with some of the parts: a licence, or what the authors want to be
// told.
type Notice struct {
	Licenses []string // none for a notice that grants nothing
	Parts    []string // names
	Text     string

	versions []string // of the parts, as far as the file has them
}

// own is the name of this project, and standard that of Go's library and runtime.
const (
	own      = "signet"
	standard = "std"
)

//go:embed notices.txt
var file string

// mark begins a notice in the file: what follows in its line are the licences, or noLicense.
// The lines after it, up to an empty one, name the parts.
const (
	mark      = "==== "
	noLicense = "notice"
)

// Notices returns every text, once.
func Notices() (all []Notice) {
	for _, block := range strings.Split("\n"+file, "\n"+mark)[1:] {
		head, text, _ := strings.Cut(block, "\n\n")
		licenses, names, _ := strings.Cut(head, "\n")
		n := Notice{Text: strings.TrimRight(text, "\n") + "\n"}
		if licenses != noLicense {
			n.Licenses = strings.Fields(licenses)
		}
		for line := range strings.Lines(names) {
			name, version, _ := strings.Cut(strings.TrimSpace(line), " ")
			n.Parts, n.versions = append(n.Parts, name), append(n.versions, version)
		}
		all = append(all, n)
	}
	return all
}

// Write writes all texts, each below the names of what it goes with.
func Write(w io.Writer) error {
	_, err := io.WriteString(w, file)
	return err
}

// Parts lists what the running program is made of, itself first: what it is linked of, and
// what the pages and the data in it are. The error names modules of which nothing is known.
func Parts() ([]Part, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil, errors.New("the program does not say which modules it is built of")
	}
	return PartsOf(info)
}

// PartsOf is Parts for a program that says this of its build.
func PartsOf(info *debug.BuildInfo) ([]Part, error) {
	known := make(map[string]*Part)
	var others []string // what is no module
	for _, n := range Notices() {
		for i, name := range n.Parts {
			if known[name] == nil {
				known[name] = &Part{Name: name, Version: n.versions[i]}
				if strings.Contains(name, ":") {
					others = append(others, name)
				}
			}
			for _, license := range n.Licenses {
				if !slices.Contains(known[name].Licenses, license) {
					known[name].Licenses = append(known[name].Licenses, license)
				}
			}
		}
	}
	var (
		parts   []Part
		unknown []string
	)
	add := func(name, version string, changed bool) {
		if known[name] == nil {
			unknown = append(unknown, name)
			return
		}
		p := *known[name]
		p.Version, p.Changed = version, changed
		parts = append(parts, p)
	}
	add(own, info.Main.Version, false)
	add(standard, strings.Fields(info.GoVersion)[0], false) // what follows are experiments
	for _, m := range info.Deps {
		add(m.Path, m.Version, m.Replace != nil)
	}
	for _, name := range others {
		add(name, known[name].Version, false)
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("the licences of %s are not known: run \"make generate\"", strings.Join(unknown, ", "))
	}
	return parts, nil
}
